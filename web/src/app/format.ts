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

/** Digits as the service sends them: none is lost. @param scale places after the point */
export function formatDecimal(digits: string, scale = 0): string {
  const [, fraction = ''] = digits.split('.');
  const places = Math.min(Math.max(fraction.length, scale), 20);
  const format = new Intl.NumberFormat(formatLocale, { minimumFractionDigits: places });
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

const short = new Intl.NumberFormat(formatLocale, { notation: 'compact', maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat(formatLocale, { style: 'percent', maximumFractionDigits: 0 });

const MAX_DIGITS = 2;
const withDigits = [0, 1, MAX_DIGITS].map(
  (digits) => new Intl.NumberFormat(formatLocale, { minimumFractionDigits: digits, maximumFractionDigits: MAX_DIGITS }),
);

/** A figure, to two places. `isShort`: `12K` in the place of 12,000. `digits`: so many places at least. */
export function formatRounded(value: number, { isShort = false, digits = 0 } = {}): string {
  return (isShort ? short : (withDigits[digits] ?? numbers)).format(value);
}

/** How many places it takes to show each of some figures. */
export function digitsOf(values: readonly number[]): number {
  const hasPlaces = (digits: number) =>
    values.every((value) => Number(value.toFixed(MAX_DIGITS)) === Number(value.toFixed(digits)));
  return [0, 1].find(hasPlaces) ?? MAX_DIGITS;
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
