import { Type, type Static } from 'typebox';
import { throwIfInvalid, validationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { listOf, recordOf } from '../../../foundation/expressions/value-origin.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { mapOf } from '../../../foundation/validation/schema.ts';
import { closedObject, EXPRESSION, IDENTIFIER } from '../../../platform/metadata/content/schema-parts.ts';
import { MAX_LIST_ITEMS } from '../../../platform/metadata/field-types/field-types.limits.ts';
import { pathOfItem } from '../../../platform/metadata/field-types/field-value.ts';
import { valuesOfRecord } from '../../../platform/metadata/models/expression-values.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { typeOfRecord } from '../../../platform/metadata/models/record-types.ts';
import { writableFields } from '../../../platform/metadata/models/model.ts';
import { problemOfFit, recordOfModel } from '../../../platform/metadata/models/value-fit.ts';
import { ALL_PERMISSIONS } from '../../../platform/metadata/permissions/permissions.ts';
import { toModel } from '../../../platform/metadata/resources/resource-type.ts';
import { writeAtPaths } from '../../../platform/records/operations/record-batch.ts';
import { checkCreate, checkUpdate, type ColumnValues } from '../../../platform/records/writing/payload.ts';
import type { RecordData } from '../../../platform/records/reader/record-reader.ts';
import { recordType } from './result-type.ts';
import { ANY_STEP, atStep, expressionsIn, type CommandStepKind, type StepExecution } from './command-step.ts';

const schema = closedObject(
  {
    ...ANY_STEP,
    operation: Type.Enum(['CREATE', 'UPDATE', 'DELETE']),
    modelCode: IDENTIFIER,
    forEach: Type.Optional({ ...EXPRESSION, description: 'A list: one record is created for each `item` of it' }),
    target: Type.Optional(EXPRESSION),
    values: Type.Optional(mapOf(EXPRESSION)),
  },
  {
    allOf: [
      {
        if: { properties: { operation: { const: 'CREATE' } } },
        then: { required: ['values'] },
        else: { properties: { forEach: false } },
      },
      { if: { properties: { operation: { enum: ['UPDATE', 'DELETE'] } } }, then: { required: ['target'] } },
    ],
  },
);
type RecordStep = Static<typeof schema>;

/** Writes a record. It has an `operation` in the place of a `type`. */
export const recordStep: CommandStepKind<RecordStep & { type?: string }> = {
  schema,
  isAnswered: true,
  list: ({ forEach }) => forEach,
  expressions: ({ target, values }) => [
    ...(target === undefined ? [] : [['target', target] as const]),
    ...expressionsIn('values', values),
  ],
  references: ({ modelCode, values = {} }, at) => [
    toModel(`${at}.modelCode`, modelCode),
    ...Object.keys(values).map((field) => ({ ...toModel(`${at}.values.${field}`, modelCode, field), isWritten: true })),
  ],
  problems({ operation, modelCode, target, values = {} }, { after, check }) {
    const problems: FieldErrors = {};
    const model = after.find(MODEL, modelCode);
    const ofTarget = target === undefined ? null : problemOfFit(recordOfModel(modelCode), target, check);
    if (ofTarget) problems.target = ofTarget;
    if (target !== undefined && operation === 'CREATE') problems.target = 'is not for this operation';
    if (operation === 'DELETE' && Object.keys(values).length > 0) problems.values = 'is not for a delete';
    for (const [code, source] of Object.entries(values)) {
      const problem = problemOfFit(model?.fields.get(code)?.content, source, check);
      if (problem) problems[`values.${code}`] = problem;
    }
    for (const { code, required, default: fallback } of model && operation === 'CREATE' ? writableFields(model) : []) {
      if (required && fallback === undefined && !Object.hasOwn(values, code))
        problems[`values.${code}`] = 'is required';
    }
    return problems;
  },
  outputType({ modelCode, forEach }, after) {
    const model = after.find(MODEL, modelCode);
    const record = model ? typeOfRecord(model) : 'any';
    return forEach === undefined ? record : { list: record };
  },
  outputOrigin: ({ modelCode, forEach }) => (forEach === undefined ? recordOf(modelCode) : listOf(recordOf(modelCode))),
  resultType({ modelCode, forEach }, { reveals }) {
    const record = recordType(modelCode, reveals);
    return forEach === undefined ? record : { kind: 'list', items: record };
  },
  writes: ({ modelCode, values = {} }) =>
    Object.entries(values).map(([code, source]) => ({
      path: `values.${code}`,
      field: `${modelCode}.${code}`,
      source,
    })),
  modelWritten: ({ modelCode }) => modelCode,
  async run(step, execution) {
    const model = execution.actor.metadata.model(step.modelCode);
    if (step.forEach === undefined) {
      const record = await write(step, execution);
      return { output: record, read: valuesOfRecord(model, record) };
    }
    const records = await createEach(step, step.forEach, execution);
    return { output: records, read: records.map((record) => valuesOfRecord(model, record)) };
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

/** Creates a record for each item of a list, all at once. @throws with the path of a wrong item */
async function createEach(
  { id, modelCode, values = {} }: RecordStep,
  list: string,
  { actor, writer, compute, forItem }: StepExecution,
): Promise<readonly RecordData[]> {
  // A list that was not given has no items.
  const items = compute(list, 'forEach') ?? [];
  if (!Array.isArray(items)) throw validationError({ [`steps.${id}.forEach`]: 'is not a list' });
  if (items.length > MAX_LIST_ITEMS)
    throw validationError({ [`steps.${id}.forEach`]: text('has more than {max} items', { max: MAX_LIST_ITEMS }) });
  const model = actor.metadata.model(modelCode);
  // Whoever sent the list finds the item where it stands in the payload.
  const [, code = id] = /^payload\.(\w+)$/.exec(list.trim()) ?? [];
  const errors: FieldErrors = {};
  const created: ColumnValues[] = [];
  for (const [index, item] of items.entries()) {
    const ofItem: FieldErrors = {};
    const payload = await forItem(item).evaluateAll(values, 'values');
    created.push(checkCreate(model, ALL_PERMISSIONS, payload, ofItem));
    Object.assign(errors, atStep(pathOfItem(code, index), ofItem));
  }
  throwIfInvalid(errors);
  return writeAtPaths(
    created,
    (index) => pathOfItem(code, index),
    (attempt) => writer.attempt(attempt),
    (part) => writer.createAll(model, part),
  );
}
