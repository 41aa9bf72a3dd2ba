import type { RecordData } from '../../app/application.ts';
import { formatLocale } from '../../app/preferences.ts';
import { momentOf, wallTimeOf } from '../../app/wall-time.ts';

/** Days are texts such as `2026-01-31`: they have no zone. */
const WEEK = 7;
const WEEKS = 6;

interface LocaleWithWeek {
  readonly weekInfo?: { readonly firstDay: number };
  getWeekInfo?: () => { readonly firstDay: number };
}

export interface DayRecords {
  readonly day: string;
  /** Of all records of the day. */
  readonly count: number;
  readonly records: readonly RecordData[];
}

/** 1 is Monday, 7 is Sunday. */
function firstDayOfWeek(): number {
  const locale = new Intl.Locale(formatLocale) as LocaleWithWeek;
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;
}

function dateOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

export function addDays(day: string, days: number): string {
  const date = dateOf(day);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** The first day of the month that is so many months away. */
export function addMonths(day: string, months: number): string {
  const date = dateOf(`${day.slice(0, 7)}-01`);
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, 10);
}

/** The day of a moment where the reader is. */
export function dayOf(value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  if (text.length <= 10) return text;
  return wallTimeOf(text).slice(0, 10);
}

export function today(): string {
  return dayOf(new Date().toISOString());
}

export function isDayText(text: string | undefined): text is string {
  return text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(dateOf(text).getTime());
}

/** The days of the weeks that a month is in. */
export function weeksOf(day: string): string[][] {
  const first = `${day.slice(0, 7)}-01`;
  // 0 is Sunday here.
  const before = (dateOf(first).getUTCDay() - (firstDayOfWeek() % WEEK) + WEEK) % WEEK;
  const start = addDays(first, -before);
  const weeks = Array.from({ length: WEEKS }, (_, week) =>
    Array.from({ length: WEEK }, (_day, index) => addDays(start, week * WEEK + index)),
  );
  return weeks.filter(([begin = '', ...rest]) => [begin, ...rest].some((one) => one.slice(0, 7) === first.slice(0, 7)));
}

/** The same moment of another day. @param value of a date or a moment */
export function onDay(value: unknown, day: string): string {
  if (typeof value !== 'string' || value.length <= 10) return day;
  return momentOf(`${day}${wallTimeOf(value).slice(10)}`);
}
