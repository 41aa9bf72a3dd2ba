import type { KnownField } from '../toolbox.ts';
import { textOfWords, type Word } from './words.ts';

const NUMBERS = new Set(['integer', 'bigint', 'decimal']);
const DAY_MS = 86_400_000;

export function isNumeric({ type }: KnownField): boolean {
  return NUMBERS.has(type);
}

/** A number as people write it: `1,000`, `5k`, `€20.50`; null for anything else. */
export function numberOf(raw: string): number | null {
  const [, digits, thousands] = /^[€$£]?(-?\d[\d_]*(?:\.\d+)?)(k)?[€$£]?$/i.exec(raw.replaceAll(',', '')) ?? [];
  return digits === undefined ? null : Number(digits.replaceAll('_', '')) * (thousands ? 1_000 : 1);
}

/** A day as `YYYY-MM-DD`: written so, or as today, yesterday, tomorrow; null for anything else. */
function dayOf(low: string, now: Date): string | null {
  if (/^\d{4}-\d{2}-\d{2}$/.test(low)) return low;
  const offset = { yesterday: -1, today: 0, tomorrow: 1 }[low];
  return offset === undefined ? null : isoDay(new Date(now.getTime() + offset * DAY_MS));
}

export function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

type FieldValue = string | number | boolean;

/** What words mean as a value of a field; undefined where they mean nothing there. */
export function valueOf(field: KnownField, words: readonly Word[], now: Date): FieldValue | undefined {
  const [first] = words;
  if (!first) return undefined;
  const text = textOfWords(words);
  if (isNumeric(field)) {
    const number = numberOf(text);
    if (number === null) return undefined;
    return field.type === 'integer' ? number : String(number);
  }
  if (field.values.length > 0) return field.values.find((value) => value.toLowerCase() === text.toLowerCase());
  if (field.type === 'boolean') return { true: true, yes: true, false: false, no: false }[first.low];
  if (field.type === 'date') return dayOf(first.low, now) ?? undefined;
  if (field.type === 'datetime') {
    const day = dayOf(first.low, now);
    return day === null ? undefined : `${day}T00:00:00Z`;
  }
  return field.type === 'json' ? undefined : text;
}
