import { timeZone } from './preferences.ts';

/** Swedes write dates as ISO 8601 does. */
const clock = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone });

/** A moment as the clock of the reader's zone shows it, for a control: `2026-01-31T09:30`. */
export function wallTimeOf(iso: unknown): string {
  const time = typeof iso === 'string' ? Date.parse(iso) : NaN;
  return Number.isNaN(time) ? '' : clock.format(time).replace(' ', 'T');
}

/** The moment at which that clock shows this. */
export function momentOf(wallTime: string): string {
  const asUtc = Date.parse(`${wallTime}Z`);
  // The offset may be another one at the moment that it leads to.
  const first = asUtc - offsetAt(asUtc);
  return new Date(asUtc - offsetAt(first)).toISOString();
}

function offsetAt(time: number): number {
  return Date.parse(`${clock.format(time).replace(' ', 'T')}Z`) - Math.floor(time / 60_000) * 60_000;
}
