const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i;

/**
 * Whether a text is a day such as 2026-01-31 that the calendar has, in a year that both Postgres and ISO 8601
 * write alike.
 */
export function isCalendarDate(text: string): boolean {
  const match = DATE.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  return year > 99 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/**
 * The time that an ISO 8601 text with a zone names, such as 2026-01-31T09:30:00Z; a day stands for its
 * beginning in UTC. Null where it names none that a timestamptz holds and four digits write. `Date.parse`
 * alone accepts "1" and years below 0000.
 */
export function parseIsoDatetime(text: string): Date | null {
  if (!isCalendarDate(text.slice(0, 10))) return null;
  if (text.length > 10 && !TIME.test(text.slice(10))) return null;
  const moment = new Date(text);
  // An offset can lead out of the years that have four digits.
  return moment.getUTCFullYear() <= 9999 ? moment : null;
}
