/**
 * Postgres' text form of a timestamptz in UTC ("2026-01-31 09:30:00.25+00") as ISO 8601 with milliseconds
 * ("2026-01-31T09:30:00.250Z"). Connections run with timezone=UTC, so no arithmetic is needed.
 */
export function parseTimestamp(text: string): string {
  const end = text.indexOf('+', 19);
  if (end > 22) return `${text.slice(0, 10)}T${text.slice(11, 23)}Z`;
  const fraction = text.length > 22 ? text.slice(20, end) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}
