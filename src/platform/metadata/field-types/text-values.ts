import type { Checked, FieldTypeDefinition } from './field-type.ts';

/** What the types have in common whose values are stored as text. */
export const TEXT_VALUES = {
  column: 'text',
  widensFrom: ['character varying(32)', 'integer', 'bigint'],
  cast: 'text',
  comparable: true,
  ordered: true,
  textual: true,
  formats: ['email', 'url', 'phone', 'multiline', 'markdown'],
  check(value: unknown): Checked {
    if (typeof value !== 'string') return { problem: 'must be a text' };
    if (value.includes('\0')) return { problem: 'must not contain the character NUL' };
    return value.isWellFormed() ? { value } : { problem: 'is not well-formed Unicode' };
  },
} as const satisfies Partial<FieldTypeDefinition>;
