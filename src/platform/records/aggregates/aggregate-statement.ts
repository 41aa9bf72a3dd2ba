import type { Sql } from '../../../foundation/database/pool.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { FIELD_TYPES, type FieldType } from '../../metadata/field-types/field-types.ts';
import type { FieldContent } from '../../metadata/field-types/field-content.ts';
import type { Field, Model } from '../../metadata/models/model.ts';
import { Variables } from '../conditions/dynamic-values.ts';
import { compileFilters, type FieldColumn, type FilterScope } from '../conditions/filter-condition.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import type { RecordQuery } from '../query/record-query.ts';
import { BEHIND_WALL, keywordCondition, visibleRows, WALL } from '../query/record-select.ts';
import { RelatedFields } from '../conditions/related-fields.ts';
import { unknownField } from '../conditions/unknown-field.ts';
import type { RuleSubject } from '../conditions/row-rules.ts';
import { checkSortFields, orderBy, type SortField } from '../conditions/sort-order.ts';
import type { AggregateBody, Grouping, Measure } from './aggregate-schema.ts';

const NUMBERS: ReadonlySet<FieldType> = new Set<FieldType>(['integer', 'bigint', 'decimal']);

/** A column of the answer: its name there, its expression over the records, and what may be asked of it. */
export interface Output {
  readonly name: string;
  readonly sql: string;
  readonly type: FieldType;
  /** The field whose values it has as they are. */
  readonly content?: FieldContent | null;
  readonly isGroup: boolean;
}

/** A statement whose rows have the values of `names`, in their order. */
export interface AggregateStatement extends Sql {
  readonly names: readonly string[];
  /** Those of the values. */
  readonly types: readonly FieldType[];
  /** How many of its rows are asked for. It has one more, which says that there are others. */
  readonly limit: number;
}

/**
 * The statement that groups and measures what the caller sees of a model.
 * @param body the fields that keep their schemas
 * @param conditions in the place of those of the body
 * @param errors collects everything that is wrong; with an error, the statement is not to be used
 * @throws FORBIDDEN for a field the caller may not read
 */
export function aggregateStatement(
  { model, actor }: { readonly model: Model; readonly actor: RuleSubject },
  { groupBy = [], measures = [], having = [], sortFields: sorted = [], keyword, limit = 1 }: Partial<AggregateBody>,
  { given, name }: RecordQuery['conditions'],
  errors: FieldErrors,
): AggregateStatement {
  const isWhole = !Object.keys(errors).some((path) => /^(groupBy|measures)\b/.test(path));
  const parameters = new Parameters();
  const where = [...visibleRows(model, actor, parameters), BEHIND_WALL];
  const fields = new RelatedFields(model, actor, parameters, new Variables(actor));
  where.push(...compileFilters(given, fields, parameters, errors, name));
  if (keyword !== undefined) where.push(keywordCondition(model, actor.permissions, keyword, parameters));
  const outputs = [
    ...groupBy.map((group, index) =>
      groupOutput(group, actor.timeZone, `groupBy.${index}`, fields, parameters, errors),
    ),
    ...measures.map((measure, index) => measureOutput(measure, `measures.${index}`, fields, errors)),
  ];
  outputs.forEach(({ name }, index) => {
    const path = index < groupBy.length ? `groupBy.${index}.as` : `measures.${index - groupBy.length}.as`;
    if (outputs.findIndex((output) => output.name === name) < index) errors[path] ??= 'is named twice';
  });
  const scope = scopeOf(model, outputs);
  const sortFields = sorted.map(({ fieldName, order }): SortField => {
    return { fieldName, order: order?.toLowerCase() === 'asc' ? 'asc' : 'desc' };
  });
  // Both may name outputs: without all of them it cannot be told whether they are right.
  const ofRows = isWhole ? compileFilters(having, scope, parameters, errors, 'having') : [];
  if (isWhole) checkSortFields(sortFields, scope, (index) => `sortFields.${index}.fieldName`, errors);
  const groups = outputs.flatMap(({ isGroup }, index) => (isGroup ? [index + 1] : []));
  const selected = outputs.map(({ sql }, index) => `${sql} as "o${index}"`).join(', ');
  const grouped = `select ${selected} from ${model.table} t${fields.joins} where ${where.join(' and ')}${groups.length > 0 ? ` group by ${groups.join(', ')}` : ''}`;
  const order = orderOf(sortFields, scope, outputs);
  // One row more says that there are others.
  const rows = `select a.* from (${grouped}) a${ofRows.length > 0 ? ` where ${ofRows.join(' and ')}` : ''}${order} limit ${limit + 1}`;
  return {
    text: `${WALL} select r.* from wall cross join lateral (${rows}) r`,
    values: parameters.values,
    names: outputs.map(({ name }) => name),
    types: outputs.map(({ type }) => type),
    limit,
  };
}

/** What is asked for first; groups in their own order where that leaves them equal. */
function orderOf(sortFields: readonly SortField[], scope: FilterScope, outputs: readonly Output[]): string {
  const rest = outputs.filter(({ name, isGroup }) => isGroup && !sortFields.some((sort) => sort.fieldName === name));
  const keys = [...sortFields, ...rest.map(({ name }) => ({ fieldName: name, order: 'asc' as const }))].flatMap(
    ({ fieldName, order }) => {
      const column = scope.find(fieldName);
      return column ? [{ ...column, order }] : [];
    },
  );
  return keys.length === 0 ? '' : ` order by ${orderBy(keys)}`;
}

function groupOutput(
  { fieldName, part, timeZone, as = fieldName }: Grouping,
  ofTenant: string,
  path: string,
  fields: RelatedFields,
  parameters: Parameters,
  errors: FieldErrors,
): Output {
  const column = fields.find(fieldName);
  const problem = problemOfGroup(column, { fieldName, part, timeZone }, fields.model);
  if (!column || problem !== null) {
    errors[`${path}.${problem?.key ?? 'fieldName'}`] = problem?.message ?? 'is required';
    return { name: as, sql: 'null', type: 'string', isGroup: true };
  }
  const { field, sql } = column;
  if (part === undefined) return { name: as, sql, type: field.type, content: field.content, isGroup: true };
  const local = field.type === 'date' ? sql : `(${sql} at time zone ${parameters.add(timeZone ?? ofTenant)}::text)`;
  const form = part === 'hour' ? 'YYYY-MM-DD"T"HH24:00' : 'YYYY-MM-DD';
  return { name: as, sql: `to_char(date_trunc('${part}', ${local}), '${form}')`, type: 'string', isGroup: true };
}

function problemOfGroup(
  column: FieldColumn | null,
  { fieldName, part, timeZone }: Pick<Grouping, 'fieldName' | 'part' | 'timeZone'>,
  model: Model,
): { readonly key: string; readonly message: Message } | null {
  if (!column) return { key: 'fieldName', message: unknownField(model, fieldName) };
  const { type } = column.field;
  if (!FIELD_TYPES[type].comparable) {
    return { key: 'fieldName', message: text('is a {type} field, which has no order', { type }) };
  }
  if (part !== undefined && type !== 'date' && type !== 'datetime') {
    return { key: 'part', message: 'is for a date or a datetime' };
  }
  if (part === 'hour' && type === 'date') return { key: 'part', message: 'is for a datetime' };
  if (timeZone !== undefined && (part === undefined || type === 'date')) {
    return { key: 'timeZone', message: 'is for a part of a datetime' };
  }
  return null;
}

/** The column of a measure. @param errors by its path */
export function measureOutput(
  { fn, fieldName, as }: Measure,
  path: string,
  fields: FilterScope,
  errors: FieldErrors,
): Output {
  const output = (sql: string, type: FieldType): Output => ({ name: as, sql, type, isGroup: false });
  if (fieldName === undefined) {
    if (fn !== 'count') errors[`${path}.fieldName`] = 'is required';
    return output('count(*)::int', 'integer');
  }
  const column = fields.find(fieldName);
  if (!column) {
    errors[`${path}.fieldName`] = unknownField(fields.model, fieldName);
    return output('null', 'string');
  }
  const { field, sql } = column;
  if (!isMeasurable(field.type, fn)) {
    errors[`${path}.fn`] = text('is not for a {type} field', { type: field.type });
  }
  if (fn === 'count') return output(`count(${sql})::int`, 'integer');
  if (fn === 'countDistinct') return output(`count(distinct ${sql})::int`, 'integer');
  if (fn === 'sum') return output(`sum(${sql})::numeric`, 'decimal');
  if (fn === 'avg') return output(`trim_scale(round(avg(${sql}), 10))`, 'decimal');
  return { ...output(`${fn}(${sql})`, field.type), content: field.content };
}

/** Whether fields of this type can be measured so. */
export function isMeasurable(type: FieldType, fn: Measure['fn']): boolean {
  const { comparable, ordered } = FIELD_TYPES[type];
  const fits = { count: true, countDistinct: comparable, min: ordered, max: ordered }[fn as string];
  return fits ?? isNumeric(type);
}

/** Whether values of this type can be added. */
export function isNumeric(type: FieldType): boolean {
  return NUMBERS.has(type);
}

/** The columns of the answer, for conditions and orders. */
function scopeOf(model: Model, outputs: readonly Output[]): FilterScope {
  const fields = new Map<string, Field>();
  const none = { readPermission: null, writePermission: null, searchable: false };
  for (const { name: code, type, content = null } of outputs) {
    if (!fields.has(code)) fields.set(code, { code, type, content, ...none });
  }
  return {
    // What problems name: here no fields of the model are known.
    model: { ...model, code: 'groupBy, measures', fields },
    isAsked: true,
    find(name) {
      const field = fields.get(name);
      const index = outputs.findIndex((output) => output.name === name);
      return field ? { field, sql: `a."o${index}"`, nullable: true } : null;
    },
  };
}
