import { Type, type Static } from 'typebox';
import { throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { ValueType } from '../../../foundation/expressions/type-check.ts';
import {
  computedFrom,
  fromFields,
  join,
  listOf,
  recordOf,
  withMembers,
} from '../../../foundation/expressions/value-origin.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { closedObject, EXPRESSION, IDENTIFIER } from '../../../platform/metadata/content/schema-parts.ts';
import { valuesOfFields, valuesOfRecord } from '../../../platform/metadata/models/expression-values.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { typeOfRecord } from '../../../platform/metadata/models/record-types.ts';
import { toModel } from '../../../platform/metadata/resources/resource-type.ts';
import { isMeasurable } from '../../../platform/records/aggregates/aggregate-statement.ts';
import { FUNCTIONS } from '../../../platform/records/aggregates/aggregate-schema.ts';
import { NEWEST_FIRST } from '../../../platform/records/conditions/sort-order.ts';
import { objectType, orNull, recordType, UNKNOWN, type ResultType } from './result-type.ts';
import { atStep, stepSchema, type NamedStepKind, type ResultContext, type StepExecution } from './command-step.ts';
import { problemOfFilter, problemOfSort } from './filter-problem.ts';

const FILTER = closedObject({ fieldName: IDENTIFIER, operator: Type.String(), value: Type.Optional(EXPRESSION) });
const MEASURE = closedObject({
  fn: Type.Enum([...FUNCTIONS]),
  fieldName: Type.Optional(IDENTIFIER),
  as: IDENTIFIER,
});
const schema = stepSchema('query', {
  modelCode: IDENTIFIER,
  filters: Type.Optional(Type.Array(FILTER, { maxItems: 50 })),
  sortField: Type.Optional(IDENTIFIER),
  sortOrder: Type.Optional(Type.Enum(['asc', 'desc'])),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  fields: Type.Optional(Type.Array(IDENTIFIER, { minItems: 1, maxItems: 500, uniqueItems: true })),
  measures: Type.Optional(
    Type.Array(MEASURE, { minItems: 1, maxItems: 20, description: 'Figures over all records that fit' }),
  ),
});
type QueryStep = Static<typeof schema>;

/** Keys that say which records are read, and how. */
const KEYS_OF_RECORDS = ['sortField', 'sortOrder', 'limit', 'fields'] as const;

/**
 * Reads records: `record` is the first that fits or null, `records` are all up to `limit`. With `measures` it
 * gives these figures instead.
 */
export const queryStep: NamedStepKind<QueryStep> = {
  schema,
  isAnswered: false,
  expressions: ({ filters = [] }) =>
    filters.flatMap(({ value }, index) => (value === undefined ? [] : [[`filters.${index}.value`, value] as const])),
  references: (step, at) => [
    toModel(`${at}.modelCode`, step.modelCode),
    ...[...fieldsNamed(step)].map(([path, field]) => toModel(`${at}.${path}`, step.modelCode, field)),
  ],
  problems(step, { after, check }) {
    const problems: FieldErrors = {};
    for (const key of step.measures ? KEYS_OF_RECORDS : []) {
      if (step[key] !== undefined) problems[key] = 'is not for a query with measures';
    }
    const fields = after.find(MODEL, step.modelCode)?.fields;
    const ofSort = problemOfSort(fields?.get(step.sortField ?? ''));
    if (ofSort) problems.sortField ??= ofSort;
    for (const [index, { fieldName, ...filter }] of (step.filters ?? []).entries()) {
      const field = fields?.get(fieldName);
      const problem = field && problemOfFilter(field, filter, check);
      if (problem) problems[`filters.${index}.${problem.key}`] = problem.message;
    }
    for (const [index, { fn, fieldName, as }] of (step.measures ?? []).entries()) {
      const { type } = fields?.get(fieldName ?? '') ?? {};
      if (fieldName === undefined && fn !== 'count') problems[`measures.${index}.fieldName`] = 'is required';
      if (type && !isMeasurable(type, fn))
        problems[`measures.${index}.fn`] = text('is not for a {type} field', { type });
      const isTaken = step.measures?.findIndex((one) => one.as === as) !== index;
      if (isTaken) problems[`measures.${index}.as`] = 'is named twice';
    }
    return problems;
  },
  outputType({ modelCode, fields, measures }, after) {
    if (measures) return { fields: Object.fromEntries(measures.map(({ as }) => [as, 'any' as const])) };
    const model = after.find(MODEL, modelCode);
    const record = model ? withFields(typeOfRecord(model), fields) : 'any';
    return { fields: { record, records: { list: record } } };
  },
  outputOrigin(step, originOf) {
    const { modelCode, filters = [], fields, measures, sortField } = step;
    const read = [...filters.map(({ fieldName }) => fieldName), sortField ?? 'pid', 'pid'];
    const values = filters.flatMap(({ value }) => (value === undefined ? [] : originOf(value)));
    // The outcome tells about the fields in the filters.
    const told = computedFrom(fromFields(read.map((field) => `${modelCode}.${field}`)), ...values);
    const ofField = (field: string) => fromFields([`${modelCode}.${field}`]);
    if (measures) {
      const ofMeasures = measures.map(({ as, fieldName }) => [as, ofField(fieldName ?? 'pid')] as const);
      return join(told, withMembers(ofMeasures));
    }
    const record = fields ? withMembers(fields.map((field) => [field, ofField(field)])) : recordOf(modelCode);
    return join(told, withMembers(Object.entries({ record, records: listOf(record) })));
  },
  resultType(step, about) {
    if (step.measures) return objectType(Object.fromEntries(step.measures.map(({ as }) => [as, UNKNOWN])));
    const record = recordResult(step, about);
    return objectType({ record: orNull(record), records: { kind: 'list', items: record } });
  },
  modelRead: ({ modelCode }) => modelCode,
  async run(step, execution) {
    const errors: FieldErrors = {};
    const read = step.measures ? await measure(step, execution, errors) : await find(step, execution, errors);
    throwIfInvalid(atStep(step.id, errors));
    return { output: null, read };
  },
};

async function find(step: QueryStep, execution: StepExecution, errors: FieldErrors) {
  const { modelCode, sortField = NEWEST_FIRST.fieldName, sortOrder, limit = 1, fields = null } = step;
  const { actor, writer } = execution;
  const model = actor.metadata.model(modelCode);
  const order = sortOrder ?? (step.sortField === undefined ? NEWEST_FIRST.order : 'asc');
  const lookup = {
    conditions: conditionsOf(step, execution),
    sortFields: [{ fieldName: sortField, order }],
    limit,
    fields,
  };
  const records = (await writer.lookup.find(model, lookup, errors)).map((record) => valuesOfRecord(model, record));
  return { record: records[0] ?? null, records };
}

async function measure(step: QueryStep, execution: StepExecution, errors: FieldErrors) {
  const { actor, writer } = execution;
  const model = actor.metadata.model(step.modelCode);
  const conditions = conditionsOf(step, execution);
  const figures = await writer.lookup.measure(model, conditions, step.measures ?? [], errors);
  const fields = figures.map(({ name: code, type }) => ({ code, type }));
  return valuesOfFields(fields, Object.fromEntries(figures.map(({ name, value }) => [name, value])));
}

function conditionsOf({ filters = [] }: QueryStep, { evaluate }: StepExecution): object[] {
  return filters.map(({ fieldName, operator, value }, index) => ({
    fieldName,
    operator,
    ...(value !== undefined && { value: evaluate(value, `filters.${index}.value`) }),
  }));
}

function* fieldsNamed({ filters = [], sortField, fields = [], measures = [] }: QueryStep): Iterable<[string, string]> {
  for (const [index, { fieldName }] of filters.entries()) yield [`filters.${index}.fieldName`, fieldName];
  if (sortField !== undefined) yield ['sortField', sortField];
  for (const [index, field] of fields.entries()) yield [`fields.${index}`, field];
  for (const [index, { fieldName }] of measures.entries()) {
    if (fieldName !== undefined) yield [`measures.${index}.fieldName`, fieldName];
  }
}

function withFields(record: ValueType, fields: readonly string[] | undefined): ValueType {
  if (!fields || typeof record !== 'object' || !('fields' in record)) return record;
  return {
    fields: Object.fromEntries(fields.flatMap((code) => (record.fields[code] ? [[code, record.fields[code]]] : []))),
  };
}

function recordResult({ modelCode, fields }: QueryStep, { reveals, fieldOf }: ResultContext): ResultType {
  if (!fields) return recordType(modelCode, reveals);
  return objectType(Object.fromEntries(fields.map((field) => [field, fieldOf(modelCode, field)])));
}
