import { Type, type Static } from 'typebox';
import type { Sql } from '../../../foundation/database/pool.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { FILTERS } from '../../../platform/metadata/content/filter-content.ts';
import { closedObject, IDENTIFIER, NAME } from '../../../platform/metadata/content/schema-parts.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import { quoteIdentifier, type Model } from '../../../platform/metadata/models/model.ts';
import { toModel } from '../../../platform/metadata/resources/references.ts';
import { compileFilters } from '../../records/query/filter-condition.ts';
import { Parameters } from '../../records/query/parameters.ts';
import { SAMPLE_CALLER } from '../../records/query/dynamic-values.ts';
import { trustedScope } from '../../records/query/filter-scope.ts';
import { BEHIND_WALL, visibleRows, WALL } from '../../records/query/record-select.ts';
import { orderBy, sortKeys } from '../../records/query/sort-order.ts';
import { brokenDataSource } from '../broken-data-source.ts';
import { modelOf, readableField } from '../readable-field.ts';
import type { DataSourceKind } from './kind.ts';

const SCHEMA = closedObject({
  name: NAME,
  kind: Type.Literal('model'),
  modelCode: IDENTIFIER,
  fields: Type.Array(IDENTIFIER, { minItems: 1 }),
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
  problems: problemsOf,
  rows: (source, actor, maxItems, { database }) => {
    const statement = statementOf(source, actor, maxItems);
    return database.queryRecords(statement.text, statement.values);
  },
};

function problemsOf(source: ModelSource, models: ReadonlyMap<string, Model>): FieldErrors {
  const { modelCode, fields, conditions = [], sortFields = [] } = source;
  const model = models.get(modelCode);
  if (!model) return { 'content.modelCode': 'is not a model' };
  const problems: FieldErrors = {};
  const isNoField = text('is not a field of {model}', { model: modelCode });
  fields.forEach((code, index) => {
    if (!model.fields.has(code)) problems[`content.fields.${index}`] = isNoField;
    if (fields.indexOf(code) !== index) problems[`content.fields.${index}`] = 'is named twice';
  });
  sortFields.forEach(({ fieldName }, index) => {
    const path = `content.sortFields.${index}.fieldName`;
    const field = model.fields.get(fieldName);
    if (!field) problems[path] = isNoField;
    else if (!FIELD_TYPES[field.type].comparable) {
      problems[path] = text('is a {type} field, which has no order', { type: field.type });
    }
  });
  const errors: FieldErrors = {};
  compileFilters(conditions, trustedScope(model, SAMPLE_CALLER), new Parameters(), errors);
  const [broken] = Object.entries(errors);
  if (broken) problems['content.conditions'] = text('{field}: {problem}', { field: broken[0], problem: broken[1] });
  return problems;
}

/** Spec: "Limits", default sort. */
const NEWEST_FIRST = { fieldName: 'created_at', order: 'desc' } as const;

/**
 * The statement for at most `maxItems` records. The conditions are the author's and hold for every caller;
 * what is shown or sorted by, the caller must be allowed to read.
 * @throws FORBIDDEN with `data.permission`; CONFLICT where the model no longer has what the data source names
 */
function statementOf(source: ModelSource, actor: Actor, maxItems: number): Sql {
  const { fields, conditions = [], sortFields = [] } = source;
  const model = modelOf(actor, source.modelCode);
  const column = (code: string): string => `t.${quoteIdentifier(readableField(model, code, actor).code)}`;
  const shown = fields.map(column);
  for (const { fieldName } of sortFields) readableField(model, fieldName, actor);
  const scope = trustedScope(model, actor);
  const sort = orderBy(sortKeys(sortFields.length === 0 ? [NEWEST_FIRST] : sortFields, scope));

  const parameters = new Parameters();
  const errors: FieldErrors = {};
  const where = [...visibleRows(model, actor, parameters), BEHIND_WALL];
  where.push(...compileFilters(conditions, scope, parameters, errors));
  const [broken] = Object.entries(errors);
  if (broken) {
    throw brokenDataSource(text('its condition on {field} {problem}', { field: broken[0], problem: broken[1] }));
  }
  const limit = parameters.add(maxItems);
  const rows = `select ${shown.join(', ')} from ${model.table} t where ${where.join(' and ')} order by ${sort} limit ${limit}::int`;
  return { text: `${WALL} select r.* from wall cross join lateral (${rows}) r`, values: parameters.values };
}
