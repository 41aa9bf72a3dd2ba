import { formatLocale, timeZone } from './preferences.ts';

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
const moments = new Intl.DateTimeFormat(formatLocale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
const relative = new Intl.RelativeTimeFormat(formatLocale, { numeric: 'auto' });
const fullMoments = new Intl.DateTimeFormat(formatLocale, { dateStyle: 'full', timeStyle: 'long', timeZone });

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

/** Relative within a day, else absolute. */
export function formatMoment(iso: string): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return iso;
  const distance = time - Date.now();
  if (Math.abs(distance) >= DAY_MS) return moments.format(time);
  const [unit, size] = UNITS.find(([, ms]) => Math.abs(distance) >= ms) ?? ['second', 1_000];
  return relative.format(Math.round(distance / size), unit);
}

/** With its zone, for tooltips. */
export function formatWholeMoment(iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? iso : fullMoments.format(time);
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
