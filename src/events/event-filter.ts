import { LRUCache } from 'lru-cache';
import type { EventBody } from './outbox.ts';
import { compileCondition, type Condition } from '../expressions/condition.ts';

export const MAX_FILTER_LENGTH = 4_000;

const compiled = new LRUCache<string, Condition>({ max: 2_000 });

/** @throws an Error with a message for the person who writes it */
function conditionOf(expression: string): Condition {
  let condition = compiled.get(expression);
  if (!condition) {
    condition = compileCondition(expression);
    compiled.set(expression, condition);
  }
  return condition;
}

/** What is wrong with a `filterExpression`, with its position, or null. Spec: "Webhook subscription". */
export function problemOfFilter(expression: string): string | null {
  if (expression.length > MAX_FILTER_LENGTH) return `must not be longer than ${MAX_FILTER_LENGTH} characters`;
  try {
    conditionOf(expression);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Every name that a valid `filterExpression` mentions: those of fields among them. */
export function namesInFilter(expression: string): ReadonlySet<string> {
  return conditionOf(expression).names;
}

/**
 * Whether an event passes a subscription's `filterExpression`: the payload's fields stand for themselves, one that is absent is
 * null; `payload`, `result`, `commandCode` and `modelCode` are there too. What cannot be evaluated does not match; it throws nothing.
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
