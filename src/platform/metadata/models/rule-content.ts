import { Type, type Static } from 'typebox';
import { closedObject, CONDITION, IDENTIFIER } from '../content/schema-parts.ts';

const FIELD_CODES = Type.Array(IDENTIFIER, { minItems: 1, maxItems: 10, uniqueItems: true });
const MESSAGE = Type.String({ minLength: 1, maxLength: 500 });

/** `data.reason` of a conflict that an author names. */
export const REASON = Type.String({
  pattern: '^[A-Z][A-Z0-9_]{0,31}$',
  description: '`data.reason` of a CONFLICT; STATE by default',
});

export const UNIQUE_TOGETHER = Type.Array(Type.Array(IDENTIFIER, { minItems: 2, maxItems: 10, uniqueItems: true }), {
  maxItems: 20,
  description: 'Fields of which no two live records of one tenant share all values',
});

/** Conditions with plain values, by which a rule of a table leaves records out. */
const WHERE = Type.Array(
  closedObject({
    fieldName: IDENTIFIER,
    operator: Type.Enum(['eq', 'ne', 'in', 'not_in']),
    value: Type.Unknown({ description: 'A value of the field, or a list of them' }),
  }),
  { minItems: 1, maxItems: 10 },
);

const NO_OVERLAP_RULE = closedObject({
  fields: Type.Optional({
    ...FIELD_CODES,
    description: 'Records that share these values must not overlap; by default all',
  }),
  from: Type.String({ ...IDENTIFIER, description: 'The field with the start: a date, a datetime or an integer' }),
  to: Type.String({
    ...IDENTIFIER,
    description: 'The field with the end, of the same type; without a value there is none',
  }),
  where: Type.Optional({ ...WHERE, description: 'Only these records count, joined by AND' }),
  message: Type.Optional(MESSAGE),
});
export type NoOverlap = Static<typeof NO_OVERLAP_RULE>;
export const NO_OVERLAP = Type.Array(NO_OVERLAP_RULE, {
  maxItems: 10,
  description: 'Records of one tenant whose times must not overlap',
});

const CHECK = closedObject({
  assert: CONDITION,
  message: MESSAGE,
  reason: Type.Optional(REASON),
  fields: Type.Optional({
    ...FIELD_CODES,
    description: 'The fields that a 400 is shown at; `payload` without them',
  }),
});
export type RecordCheck = Static<typeof CHECK>;
export const CHECKS = Type.Array(CHECK, {
  maxItems: 50,
  description: 'What must be true of every record that is written: 400 at fields, or 409 with `reason`',
});
