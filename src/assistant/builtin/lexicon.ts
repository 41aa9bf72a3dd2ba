import type { KnownField, KnownModel, Toolbox } from '../toolbox.ts';
import { formsOf, longestAt, matchAt, type Word } from './words.ts';

/** Where a model is named in a message. */
export interface Mention {
  readonly model: KnownModel;
  readonly at: number;
  readonly length: number;
  readonly isPlural: boolean;
}

/** The first model that a message names. */
export function modelIn(words: readonly Word[], { models }: Toolbox): Mention | null {
  const known = models.map((model) => [formsOf(model.code, model.name), model] as const);
  for (let at = 0; at < words.length; at += 1) {
    const found = longestAt(words, at, known);
    if (!found) continue;
    const { meaning: model, length } = found;
    const isSingular = [model.code, model.code.replaceAll('_', ' '), model.name.toLowerCase()].some(
      (name) => matchAt(words, at, name.split(' ')) === length,
    );
    return { model, at, length, isPlural: !isSingular };
  }
  return null;
}

/** Fields that everybody calls so. */
const ALIASES: Readonly<Record<string, string[]>> = {
  created_at: ['created', 'creation date'],
  updated_at: ['updated', 'changed'],
  created_by: ['creator'],
};

export function fieldAt(
  words: readonly Word[],
  at: number,
  fields: readonly KnownField[],
): { readonly meaning: KnownField; readonly length: number } | null {
  const known = fields.map(
    (field) => [formsOf(field.code, field.name, ...(ALIASES[field.code] ?? [])), field] as const,
  );
  return longestAt(words, at, known);
}

/** An enum's value, and the field that has it. */
export function enumValueAt(
  words: readonly Word[],
  at: number,
  fields: readonly KnownField[],
): { readonly field: KnownField; readonly value: string; readonly length: number } | null {
  for (const field of fields) {
    for (const value of field.values) {
      const length =
        matchAt(words, at, value.toLowerCase().split(/[\s_]+/)) || matchAt(words, at, [value.toLowerCase()]);
      if (length > 0) return { field, value, length };
    }
  }
  return null;
}

/** The field that people call a record by. */
export function titleField(fields: readonly KnownField[]): KnownField | undefined {
  const texts = fields.filter(
    ({ type, code }) => (type === 'string' || type === 'text') && !code.endsWith('_by') && code !== 'pid',
  );
  return (
    texts.find(({ code }) => /^(name|title|subject)$/.test(code)) ?? texts.find(({ required }) => required) ?? texts[0]
  );
}

/** What a record is called, as a keyword finds it. */
export function nameOf(record: Readonly<Record<string, unknown>>, model: KnownModel): string {
  const field = titleField(model.fields);
  const name = field ? record[field.code] : undefined;
  return typeof name === 'string' && name !== '' ? name : String(record.pid);
}
