import { DAY_MS } from '../../../foundation/durations.ts';
import { parseIsoDatetime } from '../../../foundation/validation/iso-datetime.ts';
import { textOf } from '../../../foundation/validation/formats.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { DEFAULT_KEY_DAYS, MAX_KEY_DAYS } from '../administration.limits.ts';

/** When a key is to end. */
export const KEY_EXPIRY = textOf('key-expiry', problemOf, {
  description: `ISO 8601; ${DEFAULT_KEY_DAYS} days from now where nothing is said`,
});

function problemOf(given: string): Message | null {
  const end = parseIsoDatetime(given)?.getTime() ?? Number.NaN;
  const now = Date.now();
  if (end > now && end <= now + MAX_KEY_DAYS * DAY_MS) return null;
  return text('must be an ISO 8601 time within the next {days} days', { days: MAX_KEY_DAYS });
}

export function expiryOf(given: string | undefined): Date {
  return given === undefined ? new Date(Date.now() + DEFAULT_KEY_DAYS * DAY_MS) : new Date(given);
}
