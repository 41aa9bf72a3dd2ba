import { isLongerThan } from '../../foundation/validation/text-length.ts';
import { LRUCache } from 'lru-cache';
import type { EventBody } from './outbox/outbox.ts';
import { compileCondition, problemOfCondition, type Condition } from '../../foundation/expressions/condition.ts';
import { text, type Message } from '../../foundation/i18n/text.ts';
import { MAX_FILTER_LENGTH } from './events.limits.ts';

const compiled = new LRUCache<string, Condition>({ max: 2_000 });

/** @throws an Error with a message for the filter's author */
function conditionOf(expression: string): Condition {
  let condition = compiled.get(expression);
  if (!condition) {
    condition = compileCondition(expression);
    compiled.set(expression, condition);
  }
  return condition;
}

/** Problem of a `filterExpression`, with its position, or null. Spec: "Webhook subscription". */
export function problemOfFilter(expression: string): Message | null {
  if (isLongerThan(expression, MAX_FILTER_LENGTH)) {
    return text('must not be longer than {max} characters', { max: MAX_FILTER_LENGTH });
  }
  return problemOfCondition(expression);
}

/** All names in a valid `filterExpression`, field codes included. */
export function namesInFilter(expression: string): ReadonlySet<string> {
  return conditionOf(expression).names;
}

/**
 * Whether an event matches a `filterExpression`. Its variables are the fields of the payload (null where
 * absent), `payload`, `result`, `commandCode` and `modelCode`. An event for which it cannot be evaluated does
 * not match.
 */
export function matchesFilter(expression: string, body: EventBody): boolean {
  try {
    const { commandCode, modelCode, payload, result } = body;
    const variables = new Map<string, unknown>(Object.entries(payload));
    for (const [name, value] of Object.entries({ commandCode, modelCode, payload, result })) variables.set(name, value);
    return conditionOf(expression).holds(variables);
  } catch {
    return false;
  }
}
