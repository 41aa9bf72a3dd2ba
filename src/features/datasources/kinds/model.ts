import { brokenDataSource, modelOf, readableField } from '../broken-data-source.ts';
import { PARAMS, fieldsComparedWith, paramsInConditions, withSamples, withValues } from '../params/params.ts';
import { Type, type Static } from 'typebox';
import type { Sql } from '../../../foundation/database/pool.ts';
import { throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { FILTERS, type FilterContent } from '../../../platform/metadata/content/filter-content.ts';
import { closedObject, IDENTIFIER, NAME } from '../../../platform/metadata/content/schema-parts.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import { declaredFields, quoteIdentifier, type Model } from '../../../platform/metadata/models/model.ts';
import { toModel } from '../../../platform/metadata/resources/resource-type.ts';
import { compileFilters, trustedScope } from '../../../platform/records/conditions/filter-condition.ts';
import { unknownField } from '../../../platform/records/conditions/unknown-field.ts';
import { problemsByPlace } from '../../../platform/records/conditions/problems-by-place.ts';
import { problemsOfRuleValues } from '../../../platform/records/conditions/row-rules.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { SAMPLE_CALLER } from '../../../platform/records/conditions/dynamic-values.ts';
import { BEHIND_WALL, visibleRows, WALL } from '../../../platform/records/query/record-select.ts';
import { orderBy, sortKeys, NEWEST_FIRST } from '../../../platform/records/conditions/sort-order.ts';
import type { RowsRequest } from '../rows.ts';
import type { DataSourceKind } from './kind.ts';

const SCHEMA = closedObject({
  name: NAME,
  kind: Type.Literal('model'),
  params: PARAMS,
  modelCode: IDENTIFIER,
  fields: Type.Array(IDENTIFIER, { minItems: 1 }),
  /** A value `$params.<code>` is that of a param; a condition whose param has no value does not apply. */
  conditions: Type.Optional(FILTERS),
  sortFields: Type.Optional(
    Type.Array(closedObject({ fieldName: IDENTIFIER, order: Type.Enum(['asc', 'desc']) }), { maxItems: 10 }),
  ),
});
type ModelSource = Static<typeof SCHEMA>;

/** Records of one model. */
export const MODEL_RECORDS: DataSourceKind<typeof SCHEMA> = {
  schema: SCHEMA,
  references: ({ modelCode }) => [toModel('modelCode', modelCode)],
  *paramsNamed({ conditions = [] }) {
    for (const name of paramsInConditions(conditions)) yield ['conditions', name];
  },
  problems: problemsOf,
  columnNames: ({ fields }) => fields,
  columns({ modelCode, fields }, actor) {
    const model = modelOf(actor, modelCode);
    return fields.map((code) => readableField(model, code, actor)).map(({ code, type }) => ({ name: code, type }));
  },
  rows(source, request, { database }) {
    const statement = statementOf(source, request);
    return database.queryRecords(statement.text, statement.values);
  },
};

function problemsOf(source: ModelSource, models: ReadonlyMap<string, Model>): FieldErrors {
  const { modelCode, fields, params, conditions = [], sortFields = [] } = source;
  const model = models.get(modelCode);
  if (!model) return { 'content.modelCode': 'is not a model' };
  const problems: FieldErrors = {};
  fields.forEach((code, index) => {
    if (!model.fields.has(code)) problems[`content.fields.${index}`] = unknownField(model, code);
    if (fields.indexOf(code) !== index) problems[`content.fields.${index}`] = 'is named twice';
  });
  sortFields.forEach(({ fieldName }, index) => {
    const path = `content.sortFields.${index}.fieldName`;
    const field = model.fields.get(fieldName);
    if (!field) problems[path] = unknownField(model, fieldName);
    else if (!FIELD_TYPES[field.type].comparable) {
      problems[path] = text('is a {type} field, which has no order', { type: field.type });
    }
  });
  const ofConditions = problemsByPlace(conditions, 'content.conditions', (some) =>
    problemOfFixed(withSamples(some, params), model),
  );
  return { ...problems, ...ofConditions };
}

function problemOfFixed(conditions: FilterContent[], model: Model): Message | null {
  const errors: FieldErrors = {};
  compileFilters(conditions, trustedScope(model, SAMPLE_CALLER), new Parameters(), errors);
  const [broken] = Object.entries(errors);
  if (broken) return text('{field}: {problem}', { field: broken[0], problem: broken[1] });
  const rules = { name: model.code, fields: declaredFields(model), rowRules: [{ name: model.code, conditions }] };
  return Object.values(problemsOfRuleValues(rules))[0] ?? null;
}

/**
 * The statement for at most `maxItems` records. The conditions are the author's and hold for every caller;
 * what is shown, sorted by, or compared with a value of theirs, the caller must be allowed to read.
 * @throws FORBIDDEN with `data.permission`; VALIDATION_ERROR for a param whose list has a wrong value;
 * CONFLICT
 *   where the model no longer has what the data source names
 */
function statementOf(source: ModelSource, { actor, params, maxItems }: RowsRequest): Sql {
  const { fields, conditions = [], sortFields = [] } = source;
  const model = modelOf(actor, source.modelCode);
  const column = (code: string): string => `t.${quoteIdentifier(readableField(model, code, actor).code)}`;
  const shown = fields.map(column);
  const compared = fieldsComparedWith(params, conditions);
  for (const code of [...compared, ...sortFields.map(({ fieldName }) => fieldName)]) readableField(model, code, actor);
  const scope = trustedScope(model, actor);
  const sort = orderBy(sortKeys(sortFields.length === 0 ? [NEWEST_FIRST] : sortFields, scope));

  const parameters = new Parameters();
  const errors: FieldErrors = {};
  const where = [...visibleRows(model, actor, parameters), BEHIND_WALL];
  where.push(...compileFilters(withValues(conditions, params), scope, parameters, errors));
  throwIfBroken(errors, conditions);
  const limit = parameters.add(maxItems);
  const rows = `select ${shown.join(', ')} from ${model.table} t where ${where.join(' and ')} order by ${sort} limit ${limit}::int`;
  return { text: `${WALL} select r.* from wall cross join lateral (${rows}) r`, values: parameters.values };
}

/** Conditions were checked when they were saved: what is wrong now is in a list that a param brings. */
function throwIfBroken(errors: FieldErrors, conditions: readonly FilterContent[]): void {
  const ofParams: FieldErrors = {};
  for (const [field, problem] of Object.entries(errors)) {
    const [param] = paramsInConditions(conditions, field);
    if (param === undefined) throw brokenDataSource(text('its condition on {field} {problem}', { field, problem }));
    ofParams[`params.${param}`] = problem;
  }
  throwIfInvalid(ofParams);
}
