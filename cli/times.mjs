import { UsageError } from './outcome.mjs';

const UNITS = /** @type {Record<string, number>} */ ({ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 });

/** How options take a time that has been. */
export const AGO = '(ISO 8601), or so long ago: 90s, 15m, 2h, 7d';

/** @returns {string | undefined} ISO 8601 @throws {UsageError} */
export function timeAgo(/** @type {string} */ option, /** @type {string | undefined} */ given) {
  return given === undefined ? undefined : timeOf(option, given, -1);
}

/** @returns {string | undefined} ISO 8601 @throws {UsageError} */
export function timeAhead(/** @type {string} */ option, /** @type {string | undefined} */ given) {
  return given === undefined ? undefined : timeOf(option, given, 1);
}

function timeOf(/** @type {string} */ option, /** @type {string} */ given, /** @type {1 | -1} */ direction) {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(given) ?? [];
  if (count) return new Date(Date.now() + direction * Number(count) * (UNITS[unit] ?? 0)).toISOString();
  if (Number.isNaN(Date.parse(given))) throw new UsageError(`--${option} is a time, or 90s, 15m, 2h, 7d: not ${given}`);
  return given;
}
