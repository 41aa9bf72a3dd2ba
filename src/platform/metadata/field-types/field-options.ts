import { Type, type Static, type TObject } from 'typebox';
import { MAX_SCALE, MAX_WHOLE } from '../../../foundation/expressions/values/decimal.ts';
import { MAX_LIST_ITEMS } from './field-types.limits.ts';
import { SEQUENCE } from './sequence.ts';
import { mapOf } from '../../../foundation/validation/schema.ts';
import { EXPRESSION, IDENTIFIER, IDENTIFIER_PATTERN, NAME } from '../content/schema-parts.ts';

/** Everything that a field may say beside its type. */
export const FIELD_OPTIONS = {
  code: IDENTIFIER,
  name: NAME,
  renamedFrom: Type.Optional(
    Type.String({
      pattern: IDENTIFIER_PATTERN,
      description: 'The code that the field had before: its column and its values go with it',
    }),
  ),
  required: Type.Optional(Type.Boolean()),
  unique: Type.Optional(Type.Boolean({ description: 'No two live records of one tenant share a value' })),
  default: Type.Optional(Type.Unknown({ description: 'Stored by a create whose payload does not name the field' })),
  computed: Type.Optional(
    Type.String({
      ...EXPRESSION,
      description: 'A CEL expression over `record`, whose value is stored at each write; no payload names the field',
    }),
  ),
  sequence: Type.Optional({ ...SEQUENCE, description: 'Numbers new records; no payload names the field' }),
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  scale: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_SCALE, description: 'The most digits after the point of a decimal' }),
  ),
  precision: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_WHOLE,
      description: 'The most digits of a decimal, before and after the point',
    }),
  ),
  maxLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  pattern: Type.Optional(
    Type.String({ maxLength: 500, description: 'A regular expression of RE2 that a part of the text must match' }),
  ),
  patternMessage: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Says what the pattern asks for: a text, or the key of one of an I18N resource',
    }),
  ),
  values: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { minItems: 1, maxItems: 500, uniqueItems: true }),
  ),
  labels: Type.Optional({
    ...mapOf(Type.String({ minLength: 1, maxLength: 200 }), { minProperties: 1, maxProperties: 500 }),
    description: 'Value -> what people call it, or the key of a text of an I18N resource',
  }),
  transitions: Type.Optional(
    mapOf(Type.Array(Type.String(), { maxItems: 500, uniqueItems: true }), { minProperties: 1, maxProperties: 500 }),
  ),
  target: Type.Optional(IDENTIFIER),
  onDelete: Type.Optional(
    Type.Enum(['restrict', 'setNull', 'cascade'], {
      description: 'What becomes of the record when the one that it refers to is deleted; `restrict` by default',
    }),
  ),
  accept: Type.Optional(
    Type.Array(
      Type.String({ pattern: '^[a-z0-9][a-z0-9!#$&^_.+-]*/(\\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$', maxLength: 100 }),
      {
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
        description: 'Media types that a file may have; `image/*` stands for all of a kind',
      },
    ),
  ),
  maxBytes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'The largest file' }),
  ),
  minItems: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_LIST_ITEMS, description: 'The fewest items of a list' }),
  ),
  maxItems: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIST_ITEMS, description: 'The most items of a list' }),
  ),
  searchable: Type.Optional(Type.Boolean({ description: 'Takes part in the `keyword` of a list' })),
  indexed: Type.Optional(Type.Boolean()),
  readPermission: Type.Optional(Type.Boolean({ description: 'Reading needs `field:read:<model>.<field>`' })),
  writePermission: Type.Optional(Type.Boolean({ description: 'Writing needs `field:write:<model>.<field>`' })),
};

export type FieldOptions = Static<TObject<typeof FIELD_OPTIONS>>;

/** Whether the program makes the values of a field: no payload may name it. */
export function isGenerated({ computed, sequence }: Pick<FieldOptions, 'computed' | 'sequence'>): boolean {
  return computed !== undefined || sequence !== undefined;
}

/** Whether no two live records of a tenant share a value of the field. */
export function isUnique({ unique = false, sequence }: Pick<FieldOptions, 'unique' | 'sequence'>): boolean {
  return unique || sequence !== undefined;
}

/** Options that mean nothing for a field whose values the program makes. */
const OF_WRITTEN = ['required', 'default', 'transitions', 'writePermission'] as const satisfies (keyof FieldOptions)[];

/** The options that such a field has and must not have. */
export function optionsOfWritten(field: FieldOptions): (keyof FieldOptions)[] {
  return isGenerated(field)
    ? OF_WRITTEN.filter((option) => field[option] !== undefined && field[option] !== false)
    : [];
}
