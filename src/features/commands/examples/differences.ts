/** An expected value and the actual one. */
export interface Difference {
  /** Such as `result.lead.status`. */
  readonly path: string;
  readonly expected: unknown;
  /** Absent if there is no value. */
  readonly actual?: unknown;
}

/**
 * Where a value does not hold what is expected. An object may have more keys than expected, a list has as
 * many items. A number may be expected of a decimal, which JSON has as a text.
 */
export function differencesOf(expected: unknown, actual: unknown, path: string): Difference[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [{ path, expected, actual }];
    if (actual.length !== expected.length) {
      return [{ path: `${path}.length`, expected: expected.length, actual: actual.length }];
    }
    return expected.flatMap((item, index) => differencesOf(item, actual[index], `${path}[${index}]`));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return [{ path, expected, actual }];
    return Object.entries(expected).flatMap(([key, value]) =>
      differencesOf(value, Object.hasOwn(actual, key) ? actual[key as never] : undefined, `${path}.${key}`),
    );
  }
  const isEqual = expected === actual || (typeof expected === 'number' && isNumber(actual, expected));
  // A key that has no value is as good as one that is null.
  return isEqual || (expected === null && actual === undefined) ? [] : [{ path, expected, actual }];
}

function isNumber(actual: unknown, expected: number): boolean {
  return typeof actual === 'string' && actual.trim() !== '' && Number(actual) === expected;
}
