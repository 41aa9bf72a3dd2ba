import { Type, type Static } from 'typebox';
import { throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { recordOf } from '../../../foundation/expressions/value-origin.ts';
import { mapOf } from '../../../foundation/validation/schema.ts';
import { closedObject, EXPRESSION, IDENTIFIER } from '../../../platform/metadata/content/schema-parts.ts';
import { valuesOfRecord } from '../../../platform/metadata/models/expression-values.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { typeOfRecord } from '../../../platform/metadata/models/record-types.ts';
import { ALL_PERMISSIONS } from '../../../platform/metadata/permissions/permissions.ts';
import { toModel } from '../../../platform/metadata/resources/resource-type.ts';
import { checkCreate, checkUpdate } from '../../../platform/records/writing/payload.ts';
import type { RecordData } from '../../../platform/records/reader/record-reader.ts';
import { problemOfLiteral } from './literal-problem.ts';
import { recordType } from './result-type.ts';
import { ANY_STEP, atStep, expressionsIn, type CommandStepKind, type StepExecution } from './command-step.ts';

const schema = closedObject(
  {
    ...ANY_STEP,
    operation: Type.Enum(['CREATE', 'UPDATE', 'DELETE']),
    modelCode: IDENTIFIER,
    target: Type.Optional(EXPRESSION),
    values: Type.Optional(mapOf(EXPRESSION)),
  },
  {
    allOf: [
      { if: { properties: { operation: { const: 'CREATE' } } }, then: { required: ['values'] } },
      { if: { properties: { operation: { enum: ['UPDATE', 'DELETE'] } } }, then: { required: ['target'] } },
    ],
  },
);
type RecordStep = Static<typeof schema>;

/** Writes a record. It has an `operation` in the place of a `type`. */
export const recordStep: CommandStepKind<RecordStep & { type?: string }> = {
  schema,
  isAnswered: true,
  expressions: ({ target, values }) => [
    ...(target === undefined ? [] : [['target', target] as const]),
    ...expressionsIn('values', values),
  ],
  references: ({ modelCode, values = {} }, at) => [
    toModel(`${at}.modelCode`, modelCode),
    ...Object.keys(values).map((field) => ({ ...toModel(`${at}.values.${field}`, modelCode, field), isWritten: true })),
  ],
  problems({ modelCode, values = {} }, { after }) {
    const problems: FieldErrors = {};
    const fields = after.find(MODEL, modelCode)?.fields;
    for (const [code, source] of Object.entries(values)) {
      const problem = problemOfLiteral(fields?.get(code)?.content, source);
      if (problem) problems[`values.${code}`] = problem;
    }
    return problems;
  },
  outputType({ modelCode }, after) {
    const model = after.find(MODEL, modelCode);
    return model ? typeOfRecord(model) : 'any';
  },
  outputOrigin: ({ modelCode }) => recordOf(modelCode),
  resultType: ({ modelCode }, { reveals }) => recordType(modelCode, reveals),
  writes: ({ modelCode, values = {} }) =>
    Object.entries(values).map(([code, source]) => ({
      path: `values.${code}`,
      field: `${modelCode}.${code}`,
      source,
    })),
  modelWritten: ({ modelCode }) => modelCode,
  async run(step, execution) {
    const record = await write(step, execution);
    return { output: record, read: valuesOfRecord(execution.actor.metadata.model(step.modelCode), record) };
  },
};

async function write(
  { id, operation, modelCode, target, values = {} }: RecordStep,
  { actor, writer, evaluate, evaluateAll }: StepExecution,
): Promise<RecordData> {
  const model = actor.metadata.model(modelCode);
  const payload = await evaluateAll(values, 'values');
  const errors: FieldErrors = {};
  if (operation === 'CREATE') {
    // The right to execute a command includes its effects on any field.
    const columns = checkCreate(model, ALL_PERMISSIONS, payload, errors);
    throwIfInvalid(atStep(id, errors));
    return writer.create(model, columns);
  }
  const before = await writer.lock(model, String(evaluate(target ?? '', 'target')));
  if (operation === 'DELETE') {
    await writer.delete(model, before);
    return before;
  }
  const columns = checkUpdate(model, ALL_PERMISSIONS, payload, errors);
  throwIfInvalid(atStep(id, errors));
  return writer.update(model, before, columns);
}
