import type { Content } from './yaml-text.ts';

export const FIELD_TYPES = [
  'string',
  'text',
  'integer',
  'bigint',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'enum',
  'json',
  'relation',
  'user',
  'file',
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** A field as a model declares it; what is typed half is missing. */
export interface FieldDraft {
  readonly code?: string;
  readonly name?: string;
  readonly type?: FieldType;
  readonly required?: boolean;
  readonly unique?: boolean;
  readonly indexed?: boolean;
  readonly searchable?: boolean;
  readonly default?: unknown;
  readonly min?: number;
  readonly max?: number;
  readonly scale?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly patternMessage?: string;
  readonly values?: readonly string[];
  readonly target?: string;
  readonly onDelete?: string;
  readonly readPermission?: boolean;
  readonly writePermission?: boolean;
  readonly renamedFrom?: string;
}

/** The fields of a model; what is no field is an empty one, so that each keeps its place. */
export function fieldsOf(content: Content | null): FieldDraft[] {
  const { fields } = content ?? {};
  if (!Array.isArray(fields)) return [];
  return fields.map((field: unknown) => (typeof field === 'object' && field !== null ? (field as FieldDraft) : {}));
}

/** A code made of what people call something. */
export function codeOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 48);
  return /^[a-z]/.test(plain) ? plain : plain === '' ? '' : `f_${plain}`.slice(0, 48);
}

/** A code that none of the others is. */
export function freeCode(code: string, taken: ReadonlySet<string>): string {
  if (!taken.has(code)) return code;
  for (let number = 2; ; number += 1) {
    if (!taken.has(`${code}_${number}`)) return `${code}_${number}`;
  }
}
