import { createHash } from 'node:crypto';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import { parseDecimal } from '../../../foundation/expressions/values/decimal.ts';
import { equalitiesOf } from '../../../foundation/expressions/equalities.ts';
import type { StepExpressions } from './step-expressions.ts';
import { MAX_CORRELATED_LENGTH, MAX_CORRELATED_VALUES } from '../automations.limits.ts';

/** Variables of a waiting step's filter that stay as they are while it waits. */
const CONSTANTS = new Set(['input', 'steps', 'item', 'index', 'loops', 'run', 'actor']);

/**
 * What an event must hold for a filter to be true, as an indexed value: from the first `event.<path> ==
 * <text>` that the filter demands. Null where it demands none; then each event of the type has to be
 * evaluated.
 */
export function correlationOf(filter: string, expressions: StepExpressions): string | null {
  for (const { path, other } of equalitiesOf(filter, 'event', CONSTANTS)) {
    const value = valueOf(other, expressions);
    // A number may stand in the event in another form: 1.5 and 1.50 are equal.
    const isText = typeof value === 'string' && parseDecimal(value) === null;
    if (isText && value.length <= MAX_CORRELATED_LENGTH) return correlation(path, value);
  }
  return null;
}

/**
 * All values that filters can demand of an event.
 * @returns null for an event with too many texts: it may fit any filter
 */
export function correlationsIn(variable: object): string[] | null {
  const found: string[] = [];
  const collect = (value: unknown, path: readonly string[]): void => {
    if (found.length > MAX_CORRELATED_VALUES || Array.isArray(value)) return;
    if (typeof value === 'string' && value.length <= MAX_CORRELATED_LENGTH) found.push(correlation(path, value));
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) collect(item, [...path, key]);
  };
  collect(variable, []);
  return found.length > MAX_CORRELATED_VALUES ? null : found;
}

/** A filter that cannot be evaluated yet has no value. */
function valueOf(source: string, expressions: StepExpressions): unknown {
  try {
    return expressions.evaluate(source, 'filter');
  } catch (error) {
    if (error instanceof ApplicationError) return null;
    throw error;
  }
}

function correlation(path: readonly string[], value: string): string {
  return createHash('sha256')
    .update(JSON.stringify([path, value]))
    .digest('base64url')
    .slice(0, 32);
}
