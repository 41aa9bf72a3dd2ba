import { formatLocale, momentFormat } from './preferences.ts';

const DAY_MS = 86_400_000;
const UNITS = [
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const numbers = new Intl.NumberFormat(formatLocale, { maximumFractionDigits: 20 });
const dates = new Intl.DateTimeFormat(formatLocale, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const datesOfYear = new Intl.DateTimeFormat(formatLocale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const months = new Intl.DateTimeFormat(formatLocale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const formatLong = momentFormat(formatLocale, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(formatLocale, { numeric: 'auto' });
const formatWhole = momentFormat(formatLocale, { dateStyle: 'full', timeStyle: 'long' });

export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** Digits as the service sends them: none is lost on the way to the screen. */
export function formatDecimal(digits: string): string {
  const [, fraction = ''] = digits.split('.');
  const format = new Intl.NumberFormat(formatLocale, { minimumFractionDigits: Math.min(fraction.length, 20) });
  // Takes texts, and keeps all their digits.
  return (format.format as (value: string) => string)(digits);
}

/** A day without a zone: `2026-01-31`. The year only where it is another. */
export function formatDate(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return day;
  const isThisYear = date.getUTCFullYear() === new Date().getFullYear();
  return (isThisYear ? datesOfYear : dates).format(date);
}

/** `January 2026`. @param day any of it */
export function formatMonth(day: string): string {
  return months.format(new Date(`${day}T00:00:00Z`));
}

/** @param day any of it */
export function formatYear(day: string): string {
  return day.slice(0, 4);
}

/** Relative within a day, else absolute. */
export function formatMoment(iso: string): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return iso;
  const distance = time - Date.now();
  if (Math.abs(distance) >= DAY_MS) return formatLong(time);
  const [unit, size] = UNITS.find(([, ms]) => Math.abs(distance) >= ms) ?? ['second', 1_000];
  return relative.format(Math.round(distance / size), unit);
}

/** With its zone, for tooltips. */
export function formatWholeMoment(iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? iso : formatWhole(time);
}

const rounded = new Intl.NumberFormat(formatLocale, { maximumFractionDigits: 2 });
const short = new Intl.NumberFormat(formatLocale, { notation: 'compact', maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat(formatLocale, { style: 'percent', maximumFractionDigits: 0 });

/** A figure, to two places. `isShort`: `12K` in the place of 12,000. */
export function formatRounded(value: number, { isShort = false } = {}): string {
  return (isShort ? short : rounded).format(value);
}

/** @param share 1 is all */
export function formatPercent(share: number): string {
  return percents.format(share);
}

const parts = new Intl.NumberFormat(formatLocale).formatToParts(12_345.6);
const GROUP = parts.find(({ type }) => type === 'group')?.value ?? ',';
const POINT = parts.find(({ type }) => type === 'decimal')?.value ?? '.';

/** A number as the reader writes it, as the service takes it: `1,200.50` is `1200.50`. */
export function plainNumber(text: string): string {
  return text.replace(/\s/gu, '').replaceAll(GROUP, '').replace(POINT, '.');
}

const DAY_ORDER = new Intl.DateTimeFormat(formatLocale)
  .formatToParts(0)
  .flatMap(({ type }) => (type === 'day' || type === 'month' || type === 'year' ? [type] : []));

/** A day as the reader writes it, in ISO 8601; what is no day stays as it is. */
export function parseDay(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const numbers = text.split(/\D+/).filter((one) => one !== '');
  if (numbers.length !== 3) return text;
  const [year = '', month = '', day = ''] = (['year', 'month', 'day'] as const).map(
    (part) => numbers[DAY_ORDER.indexOf(part)] ?? '',
  );
  return year.length === 4 ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : text;
}
