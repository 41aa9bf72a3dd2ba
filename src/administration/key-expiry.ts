import { momentOf } from '../database/moment.ts';
import { textOf } from '../http/formats.ts';

const DAY_MS = 86_400_000;
const DEFAULT_LIFETIME_DAYS = 90;
const MAX_LIFETIME_DAYS = 366;

/** When a key is to end. */
export const KEY_EXPIRY = textOf('key-expiry', problemOf, {
  description: `ISO 8601; ${DEFAULT_LIFETIME_DAYS} days from now where nothing is said`,
});

function problemOf(given: string): string | null {
  const end = momentOf(given)?.getTime() ?? Number.NaN;
  const now = Date.now();
  if (end > now && end <= now + MAX_LIFETIME_DAYS * DAY_MS) return null;
  return `must be an ISO 8601 time within the next ${MAX_LIFETIME_DAYS} days`;
}

export function expiryOf(given: string | undefined): Date {
  return given === undefined ? new Date(Date.now() + DEFAULT_LIFETIME_DAYS * DAY_MS) : new Date(given);
}
