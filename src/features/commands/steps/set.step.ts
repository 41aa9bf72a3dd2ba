import { type Static } from 'typebox';
import { withMembers } from '../../../foundation/expressions/value-origin.ts';
import { mapOf } from '../../../foundation/validation/schema.ts';
import { EXPRESSION } from '../../../platform/metadata/content/schema-parts.ts';
import { objectType } from './result-type.ts';
import { expressionsIn, stepSchema, type NamedStepKind } from './command-step.ts';

const schema = stepSchema('set', { values: mapOf(EXPRESSION, { minProperties: 1, maxProperties: 100 }) });

/** Names values, which later expressions read. */
export const setStep: NamedStepKind<Static<typeof schema>> = {
  schema,
  isAnswered: false,
  expressions: ({ values }) => expressionsIn('values', values),
  outputType: ({ values }, _after, check) => ({
    fields: Object.fromEntries(Object.entries(values).map(([name, source]) => [name, check.valueTypeOf(source)])),
  }),
  outputOrigin: ({ values }, originOf) =>
    withMembers(Object.entries(values).map(([name, source]) => [name, originOf(source)])),
  resultType: ({ values }, { typeOf }) =>
    objectType(Object.fromEntries(Object.entries(values).map(([name, source]) => [name, typeOf(source)]))),
  async run({ values }, { computeAll }) {
    const read = await computeAll(values, 'values');
    return { output: null, read };
  },
};
