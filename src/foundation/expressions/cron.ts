import { text, type Message } from '../i18n/text.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const SHORTHANDS = new Set(['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually']);

interface Part {
  readonly name: string;
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
  return wrong ? text('has a wrong {problem}', { problem: wrong.name }) : null;
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
