import { LRUCache } from 'lru-cache';

/** The zone of tenants that name none. */
export const UTC = 'UTC';

/**
 * Whether it is the name of an IANA time zone. Temporal knows no offsets, and Postgres counts them to the
 * west.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z_]+(\/[A-Za-z0-9_+-]+)*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Names in any case are names of zones: callers may think of many. */
const clocks = new LRUCache<string, Intl.DateTimeFormat>({ max: 200 });

/** What tells the time of a zone: to make one takes longer than to ask it. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone);
  if (!clock) {
    const digits = { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
    clock = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', era: 'short', year: 'numeric', ...digits });
    clocks.set(timeZone, clock);
  }
  return clock;
}

/** What the clocks of a zone show at a moment, as the moment at which those of UTC show the same. */
export function wallClock(moment: Date, timeZone: string): Date {
  if (timeZone === UTC) return new Date(moment);
  const parts = new Map(
    clockOf(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year');
  const shown = new Date(0);
  shown.setUTCFullYear(year, part('month') - 1, part('day'));
  shown.setUTCHours(part('hour'), part('minute'), part('second'), moment.getUTCMilliseconds());
  return shown;
}

/**
 * The moment at which the clocks of a zone show this; the first of two. What they leave out is as much later
 * as they are put forward.
 */
export function momentAt(shown: Date, timeZone: string): Date {
  if (timeZone === UTC) return new Date(shown);
  const offsetAt = (moment: Date): number => wallClock(moment, timeZone).getTime() - moment.getTime();
  // Clocks are put forward or back by less than a day.
  const before = offsetAt(new Date(shown.getTime() - 86_400_000));
  const after = offsetAt(new Date(shown.getTime() + 86_400_000));
  const early = new Date(shown.getTime() - before);
  if (before === after || offsetAt(early) === before) return early;
  const late = new Date(shown.getTime() - after);
  return offsetAt(late) === after ? late : early;
}

/** The day of a moment in a zone, such as 2026-01-31. */
export function dayIn(moment: Date, timeZone: string): string {
  return wallClock(moment, timeZone).toISOString().slice(0, 10);
}

/** The moment at which a day such as 2026-01-31 begins in a zone. */
export function startOfDay(day: string, timeZone: string): Date {
  return momentAt(new Date(`${day}T00:00:00Z`), timeZone);
}
