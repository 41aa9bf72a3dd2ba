import { HOUR_MS } from '../durations.ts';
import { text, type Message } from '../i18n/text.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
]);

interface Part {
  readonly name: Message;
  readonly min: number;
  readonly max: number;
  readonly words?: readonly string[];
}

const PARTS: readonly Part[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, words: ['', ...MONTHS] },
  { name: 'day of the week', min: 0, max: 7, words: DAYS },
];

/** Problem of a cron expression with five parts, or null. */
export function problemOfCron(cron: string): Message | null {
  if (SHORTHANDS.has(cron)) return null;
  const parts = cron.trim().split(/\s+/);
  if (parts.length !== PARTS.length)
    return 'must have five parts: minute, hour, day of the month, month, day of the week';
  const wrong = PARTS.find(
    (part, index) => !(parts[index] as string).split(',').every((term) => isValidTerm(term, part)),
  );
  if (wrong) return text('has a wrong {problem}', { problem: wrong.name });
  return isEverDue(parts) ? null : 'names a day that its months do not have';
}

/** The most days that each month has. */
const MONTH_LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a month has the day that valid parts name, as 30 February never comes. */
function isEverDue(texts: readonly string[]): boolean {
  const [, , day = '', month = '', weekDay = ''] = texts;
  if (!/^[*?]/.test(weekDay)) return true;
  const isIn = (given: string, index: number, value: number): boolean =>
    given.split(',').some((term) => hasValue(term, PARTS[index] as Part, value));
  return MONTH_LENGTHS.some(
    (length, index) =>
      isIn(month, 3, index + 1) && Array.from({ length }, (_, at) => at + 1).some((each) => isIn(day, 2, each)),
  );
}

/**
 * Whether a valid cron expression can be due at a time. Wider than Temporal in one respect: the day may be
 * that of the month or of the week.
 * @param timeZone IANA name
 */
export function canBeDue(cron: string, timeZone: string, time: Date): boolean {
  const texts = (SHORTHANDS.get(cron) ?? cron).trim().split(/\s+/);
  const isIn = (index: number, value: number): boolean =>
    (texts[index] ?? '').split(',').some((term) => hasValue(term, PARTS[index] as Part, value));
  const [minute, hour, day, month, weekDay] = wallClock(time, timeZone);
  const [, hourBefore] = wallClock(new Date(time.getTime() - HOUR_MS), timeZone);
  // Where the clocks leave an hour out, what is due in it is due an hour later.
  const isAfterGap = (hour - hourBefore + 24) % 24 === 2;
  const isHour = isIn(1, hour) || (isAfterGap && isIn(1, (hourBefore + 1) % 24));
  const isDay = isIn(2, day) || isIn(4, weekDay) || (weekDay === 0 && isIn(4, 7));
  return time.getUTCSeconds() === 0 && isIn(0, minute) && isHour && isDay && isIn(3, month);
}

type WallClock = readonly [minute: number, hour: number, day: number, month: number, weekDay: number];

function wallClock(time: Date, timeZone: string): WallClock {
  const format = { timeZone, hourCycle: 'h23', month: 'numeric', day: 'numeric', hour: 'numeric' } as const;
  const parts = new Intl.DateTimeFormat('en', { ...format, minute: 'numeric', weekday: 'short' }).formatToParts(time);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  const weekDay = DAYS.indexOf(part('weekday').toLowerCase());
  return [Number(part('minute')), Number(part('hour')), Number(part('day')), Number(part('month')), weekDay];
}

/** Whether a valid term has a value among its own. */
function hasValue(term: string, part: Part, value: number): boolean {
  const [range = '', step = '1'] = term.split('/');
  const isAll = range === '*' || range === '?';
  const [from = part.min, to = term.includes('/') ? part.max : from] = isAll
    ? [part.min, part.max]
    : range.split('-').map((end) => valueOf(end, part));
  return value >= from && value <= to && (value - from) % Number(step) === 0;
}

/** A term is `*`, a value or a range, with an optional step. */
function isValidTerm(term: string, part: Part): boolean {
  const [, range = '', step] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(term) ?? [];
  if (range === '' || (step !== undefined && Number(step) < 1)) return false;
  if (range === '*' || range === '?') return true;
  const ends = range.split('-').map((end) => valueOf(end, part));
  const [from = Number.NaN, to = from] = ends;
  return ends.length <= 2 && from >= part.min && to <= part.max && from <= to;
}

function valueOf(text: string, { words = [] }: Part): number {
  const word = text === '' ? -1 : words.indexOf(text.toLowerCase());
  return word >= 0 ? word : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
}
