import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { problemOfFilter, problemOfSort } from '../../commands/steps/filter-problem.ts';
import { activitySchema, toModel } from './step-schema.ts';
import { presentCodes } from '../../../platform/metadata/models/former-codes.ts';
import { declaredFields } from '../../../platform/metadata/models/model.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { typeOfRecord } from '../../../platform/metadata/models/record-types.ts';
import { fromFields, listOf, recordOf, withMembers } from '../../../foundation/expressions/value-origin.ts';
import { Type, type Static } from 'typebox';
import { closedObject, EXPRESSION, IDENTIFIER } from '../../../platform/metadata/content/schema-parts.ts';
import type { ActivityStepKind } from './step-kind.ts';
import { DEFAULT_QUERY_LIMIT } from '../automations.limits.ts';

/** A filter condition whose value is an expression. */
const CONDITION = closedObject({
  fieldName: Type.String(),
  operator: Type.String(),
  value: Type.Optional(EXPRESSION),
});
const schema = activitySchema('query', {
  modelCode: IDENTIFIER,
  filters: Type.Optional(Type.Array(CONDITION, { maxItems: 100 })),
  sortField: Type.Optional(IDENTIFIER),
  sortOrder: Type.Optional(Type.Enum(['asc', 'desc'])),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
});

/** Lists records that the run may read. */
export const queryStep: ActivityStepKind<Static<typeof schema>> = {
  schema,
  defaultTimeoutSeconds: 30,

  references: ({ modelCode, filters = [], sortField }) => [
    ...toModel('modelCode', modelCode),
    ...filters.flatMap(({ fieldName }, index) => toModel(`filters.${index}.fieldName`, modelCode, fieldName)),
    ...(sortField === undefined ? [] : toModel('sortField', modelCode, sortField)),
  ],

  permissionsNeeded: ({ modelCode }) => [['modelCode', permissionCode.recordRead(modelCode)]],

  problemsAmong({ modelCode, filters = [], sortField }, after, check) {
    const fields = after.find(MODEL, modelCode)?.fields;
    const problems: FieldErrors = {};
    const ofSort = problemOfSort(fields?.get(sortField ?? ''));
    if (ofSort) problems.sortField = ofSort;
    for (const [index, { fieldName, ...filter }] of filters.entries()) {
      const field = fields?.get(fieldName);
      const problem = field && problemOfFilter(field, filter, check);
      if (problem) problems[`filters.${index}.${problem.key}`] = problem.message;
    }
    return problems;
  },

  outputType({ modelCode }, after) {
    const model = after.find(MODEL, modelCode);
    return { fields: { records: model ? { list: typeOfRecord(model) } : 'any', total: 'number' } };
  },

  // Which records are found depends on the fields in the filters.
  outputOrigin: ({ modelCode, filters = [], sortField = 'pid' }) => ({
    ...fromFields(
      ['pid', sortField, ...filters.map(({ fieldName }) => fieldName)].map((code) => `${modelCode}.${code}`),
    ),
    ...withMembers([['records', listOf(recordOf(modelCode))]]),
  }),

  async execute(step, { actor, expressions }, { records }) {
    const { modelCode, filters = [], sortField, sortOrder, limit = DEFAULT_QUERY_LIMIT } = step;
    // The definition may be older than the names of the fields.
    const codes = presentCodes(declaredFields(actor.metadata.model(modelCode)));
    const present = (code: string): string => codes.get(code) ?? code;
    const conditions = filters.map(({ value, fieldName, operator }, index) => ({
      fieldName: present(fieldName),
      operator,
      ...(value !== undefined && { value: expressions.evaluate(value, `filters.${index}.value`) }),
    }));
    const sort = { sortField: sortField && present(sortField), sortOrder };
    const names = { pageSize: String(limit), filters: JSON.stringify(conditions), ...sort };
    const { records: found, total } = await records.listByNames(actor, modelCode, names, true);
    return { kind: 'done', output: { records: found, total } };
  },
};
