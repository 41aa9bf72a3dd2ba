import { parseJson } from './envelope.mjs';
import { UsageError } from './outcome.mjs';

/** An option that gives fields their values. */
export const SET = /** @type {const} */ ({
  set: { type: 'string', multiple: true, about: 'field=value; a value is JSON, or a text' },
});

/** @returns {Record<string, unknown>} by field @throws {UsageError} */
export function assigned(/** @type {readonly string[]} */ given = []) {
  return Object.fromEntries(
    given.map((one) => {
      const at = one.indexOf('=');
      if (at < 1) throw new UsageError(`--set takes field=value, such as name=Ada: not ${one}`);
      return [one.slice(0, at), valueOf(one.slice(at + 1))];
    }),
  );
}

/** What is no JSON is a text; so is a number that JSON would write otherwise, such as `12.50`. */
export function valueOf(/** @type {string} */ text) {
  const value = parseJson(text);
  if (value === null && text !== 'null') return text;
  return typeof value === 'number' && String(value) !== text ? text : value;
}
