import { Type, type Static } from 'typebox';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { closedObject } from '../content/schema-parts.ts';

/** How records are numbered: `INV-2026-00042`. */
export const SEQUENCE = closedObject({
  prefix: Type.Optional(
    Type.String({ maxLength: 40, description: 'What stands before the number; {yyyy}, {yy} and {MM} are of the day' }),
  ),
  digits: Type.Optional(Type.Integer({ minimum: 1, maximum: 12, description: 'Filled up with zeros; 1 by default' })),
  per: Type.Optional(
    Type.Enum(['year', 'month', 'never'], { description: 'When the numbers begin again; `never` by default' }),
  ),
  gapless: Type.Optional(
    Type.Boolean({ description: 'No number is missing: creates of the model and tenant wait for each other' }),
  ),
});
export type Sequence = Static<typeof SEQUENCE>;

const PARTS: Readonly<Record<string, (day: string) => string>> = {
  '{yyyy}': (day) => day.slice(0, 4),
  '{yy}': (day) => day.slice(2, 4),
  '{MM}': (day) => day.slice(5, 7),
};
const PART = /\{[^{}]*\}/g;

/** Problem of a sequence: its numbers have to differ from one period to the next. */
export function problemOfPrefix({ prefix = '', per }: Sequence): Message | null {
  const parts: readonly string[] = prefix.match(PART) ?? [];
  if (parts.some((part) => !Object.hasOwn(PARTS, part)) || /[{}]/.test(prefix.replace(PART, '')))
    return text('knows {names} alone', { names: Object.keys(PARTS).join(', ') });
  const hasYear = parts.includes('{yyyy}') || parts.includes('{yy}');
  if (per === 'year' && !hasYear) return beginsAgain('{yyyy} or {yy}');
  if (per === 'month' && !(hasYear && parts.includes('{MM}'))) return beginsAgain('{yyyy} or {yy}, and {MM}');
  return null;
}

function beginsAgain(names: string): Message {
  return text('must have {names}: the numbers begin again with each', { names });
}

/** What stands before the numbers of a day, such as 2026-01-31. */
export function prefixOf({ prefix = '' }: Sequence, day: string): string {
  return prefix.replace(PART, (part) => PARTS[part]?.(day) ?? part);
}

/** The name of the period in which the numbers of a day are counted. */
export function periodOf({ per = 'never' }: Sequence, day: string): string {
  return { year: day.slice(0, 4), month: day.slice(0, 7), never: '' }[per];
}

export function numberOf(sequence: Sequence, day: string, count: number | bigint): string {
  return prefixOf(sequence, day) + String(count).padStart(sequence.digits ?? 1, '0');
}
