import { Type, type Static } from 'typebox';
import { FILTERS } from '../content/filter-content.ts';
import { closedObject, IDENTIFIER, NAME } from '../content/schema-parts.ts';
import { CHECKS, NO_OVERLAP, UNIQUE_TOGETHER } from './rule-content.ts';
import { FIELD, MAX_FIELDS } from '../field-types/field-content.ts';

/**
 * Which records a caller sees. A value may be a variable of the caller (`$user.pid`) or of the time (`$now`).
 */
const ROW_RULE = closedObject({
  name: NAME,
  unless: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Callers with this permission are not bound by the rule',
    }),
  ),
  conditions: FILTERS,
});
export type RowRuleContent = Static<typeof ROW_RULE>;

/** A relation to many records, each of which may have many of these: records of a third model join them. */
const MANY_TO_MANY = closedObject({
  code: IDENTIFIER,
  name: NAME,
  through: IDENTIFIER,
  from: IDENTIFIER,
  to: IDENTIFIER,
});
export type ManyToManyContent = Static<typeof MANY_TO_MANY>;

export const MODEL_SCHEMA = closedObject({
  name: NAME,
  fields: Type.Array(FIELD, { minItems: 1, maxItems: MAX_FIELDS }),
  displayField: Type.Optional(
    Type.String({ ...IDENTIFIER, description: 'The field by which people know a record, wherever it is named' }),
  ),
  relations: Type.Optional(Type.Array(MANY_TO_MANY, { maxItems: 50 })),
  uniqueTogether: Type.Optional(UNIQUE_TOGETHER),
  noOverlap: Type.Optional(NO_OVERLAP),
  checks: Type.Optional(CHECKS),
  rowRules: Type.Optional(Type.Array(ROW_RULE, { maxItems: 50 })),
  concurrency: Type.Optional(
    Type.Enum(['optional', 'required'], {
      description: 'Whether an update or a delete has to say from which version of the record it starts',
    }),
  ),
});
export type ModelContent = Static<typeof MODEL_SCHEMA>;
