import { timeZone } from './preferences.ts';

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Swedes write dates as ISO 8601 does. */
function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  const clock = known ?? new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone: zone });
  clocks.set(zone, clock);
  return clock;
}

/** A moment as the clock of the reader's zone shows it, for a control: `2026-01-31T09:30`. */
export function wallTimeOf(iso: unknown): string {
  const time = typeof iso === 'string' ? Date.parse(iso) : NaN;
  return Number.isNaN(time) ? '' : clockOf(timeZone()).format(time).replace(' ', 'T');
}

/** The day that it is there now: `2026-01-31`. */
export function dayIn(zone: string): string {
  return clockOf(zone).format(Date.now()).slice(0, 10);
}

/** The moment at which that clock shows this; in another zone, its own clock. */
export function momentOf(wallTime: string, zone = timeZone()): string {
  const asUtc = Date.parse(`${wallTime}Z`);
  // The offset may be another one at the moment that it leads to.
  const first = asUtc - offsetAt(asUtc, zone);
  return new Date(asUtc - offsetAt(first, zone)).toISOString();
}

function offsetAt(time: number, zone: string): number {
  return Date.parse(`${clockOf(zone).format(time).replace(' ', 'T')}Z`) - Math.floor(time / 60_000) * 60_000;
}
