import { Type, type Static } from 'typebox';
import { mapOf } from '../../../foundation/validation/schema.ts';
import {
  closedObject,
  CONDITION,
  EXPRESSION,
  IDENTIFIER,
  NAME,
} from '../../../platform/metadata/content/schema-parts.ts';
import { EXAMPLES } from './example-content.ts';
import { RELATIONS } from './relation-content.ts';
import { FIELDS, MAX_FIELDS } from '../../../platform/metadata/field-types/field-content.ts';
import type { AnyCommandStep } from '../steps/command-step.ts';
import { REASON } from '../../../platform/metadata/models/rule-content.ts';
import { STEP_SCHEMA } from '../steps/step-kinds.ts';

export const OPERATIONS = ['CREATE', 'UPDATE', 'UPSERT', 'DELETE', 'CUSTOM'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** As `fields`: every field of the model, those to come as well. */
export const EVERY_FIELD = '*';

/** A condition that must hold before a command writes; otherwise the command ends with `code`. */
const RULE = closedObject({
  assert: CONDITION,
  message: Type.String({ minLength: 1, maxLength: 500 }),
  code: Type.Optional(Type.Enum(['CONFLICT', 'VALIDATION_ERROR'])),
  reason: Type.Optional(REASON),
  field: Type.Optional({ ...IDENTIFIER, description: 'The field that a VALIDATION_ERROR is shown at' }),
});
export type CommandRuleContent = Static<typeof RULE>;

/** Codes of fields of the model. */
export type FieldList = readonly string[] | typeof EVERY_FIELD;
export type FieldsTaken = FieldList | Readonly<Partial<Record<'CREATE' | 'UPDATE' | 'UPSERT', FieldList>>>;

const FIELD_LIST = {
  type: ['array', 'string'],
  items: IDENTIFIER,
  maxItems: MAX_FIELDS,
  uniqueItems: true,
  pattern: '^\\*$',
};
const FIELDS_TAKEN = Type.Unsafe<FieldsTaken>({
  ...FIELD_LIST,
  type: ['array', 'string', 'object'],
  properties: { CREATE: FIELD_LIST, UPDATE: FIELD_LIST, UPSERT: FIELD_LIST },
  additionalProperties: false,
  minProperties: 1,
  description: 'The fields of the model that the payload may have, for all operations or for each; `*` for all',
});

export const COMMAND_SCHEMA = closedObject({
  name: NAME,
  modelCode: IDENTIFIER,
  operations: Type.Array(Type.Enum([...OPERATIONS]), { minItems: 1, uniqueItems: true }),
  target: Type.Optional(
    Type.Boolean({
      description: 'A CUSTOM command works on an existing record (`targetRecordId`), read into `record`',
    }),
  ),
  payload: Type.Optional({
    ...FIELDS,
    description: 'The payload of a CUSTOM command; other operations take the fields of the model',
  }),
  fields: Type.Optional(FIELDS_TAKEN),
  matchOn: Type.Optional(
    Type.Array(IDENTIFIER, {
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
      description: 'Unique fields by which an UPSERT may look for the record that it updates',
    }),
  ),
  relations: Type.Optional(RELATIONS),
  transition: Type.Optional(
    closedObject({
      field: IDENTIFIER,
      from: Type.Array(Type.String(), { minItems: 1, maxItems: 500, uniqueItems: true }),
      to: Type.String(),
    }),
  ),
  rules: Type.Optional(Type.Array(RULE, { maxItems: 100 })),
  steps: Type.Optional(Type.Array(Type.Unsafe<AnyCommandStep>(STEP_SCHEMA), { minItems: 1, maxItems: 100 })),
  result: Type.Optional(mapOf(EXPRESSION, { minProperties: 1 })),
  reveals: Type.Optional(
    Type.Array(Type.String({ pattern: '^[a-z][a-z0-9_]{0,47}\\.[a-z][a-z0-9_]{0,47}$' }), {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description: 'Fields (`<model>.<field>`) that the answer shows to callers who may not read them',
    }),
  ),
  event: Type.Optional(closedObject({ type: Type.String({ pattern: '^[a-z][a-z0-9_.:]{0,99}$' }) })),
  execution: Type.Optional(
    Type.Enum(['grouped', 'workflow', 'inline'], {
      description:
        'Commands that arrive together share a workflow (`grouped`, default); each has its own (`workflow`), or none (`inline`)',
    }),
  ),
  examples: Type.Optional({
    ...EXAMPLES(OPERATIONS),
    description: 'Tests of the command, which a designer, `keelson test` and promotions run',
  }),
  idempotency: Type.Optional(
    Type.Enum(['replay', 'strict'], {
      description: 'A repeated key with another body gets the first result (`replay`, default), or 409 (`strict`)',
    }),
  ),
});
export type CommandContent = Static<typeof COMMAND_SCHEMA>;
