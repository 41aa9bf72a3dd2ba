import type { Sql } from '../../../foundation/database/pool.ts';
import { throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { FIELD_TYPES, type FieldType } from '../../../platform/metadata/field-types/field-types.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { Variables } from '../query/conditions/dynamic-values.ts';
import { compileFilters } from '../query/conditions/filter-condition.ts';
import type { Column, FilterScope } from '../query/conditions/filter-scope.ts';
import { Parameters } from '../query/parameters.ts';
import type { RecordQuery } from '../query/record-query.ts';
import { BEHIND_WALL, keywordCondition, visibleRows, WALL } from '../query/record-select.ts';
import { RelatedFields } from '../query/related-fields.ts';
import { checkSortFields, orderBy, type SortField } from '../query/sort-order.ts';
import type { AggregateBody, Group, Measure } from './aggregate-schema.ts';

const NUMBERS: ReadonlySet<FieldType> = new Set<FieldType>(['integer', 'bigint', 'decimal']);

/** A column of the answer: its name there, its expression over the records, and what may be asked of it. */
export interface Output {
  readonly name: string;
  readonly sql: string;
  readonly type: FieldType;
  readonly isGroup: boolean;
}

/** A statement whose rows have the values of `names`, in their order. */
export interface AggregateStatement extends Sql {
  readonly names: readonly string[];
}

/**
 * The statement that groups and measures what the caller sees of a model.
 * @param conditions in the place of those of the body
 * @throws VALIDATION_ERROR with everything that is wrong; FORBIDDEN for a field the caller may not read
 */
export function aggregateStatement(
  model: Model,
  actor: Actor,
  body: AggregateBody,
  { given, name }: RecordQuery['conditions'],
): AggregateStatement {
  const errors: FieldErrors = {};
  const parameters = new Parameters();
  const where = [...visibleRows(model, actor, parameters), BEHIND_WALL];
  const fields = new RelatedFields(model, actor, parameters, new Variables(actor));
  where.push(...compileFilters(given, fields, parameters, errors, name));
  if (body.keyword !== undefined) where.push(keywordCondition(model, actor.permissions, body.keyword, parameters));
  const outputs = [
    ...body.groupBy.map((group, index) => groupOutput(group, `groupBy.${index}`, fields, parameters, errors)),
    ...body.measures.map((measure, index) => measureOutput(measure, `measures.${index}`, fields, errors)),
  ];
  outputs.forEach(({ name }, index) => {
    const place = index < body.groupBy.length ? `groupBy.${index}.as` : `measures.${index - body.groupBy.length}.as`;
    if (outputs.findIndex((output) => output.name === name) < index) errors[place] ??= 'is named twice';
  });
  const scope = scopeOf(model, outputs);
  const having = compileFilters(body.having ?? [], scope, parameters, errors, 'having');
  const sortFields = (body.sortFields ?? []).map(({ fieldName, order }): SortField => {
    return { fieldName, order: order?.toLowerCase() === 'asc' ? 'asc' : 'desc' };
  });
  checkSortFields(sortFields, scope, (index) => `sortFields.${index}.fieldName`, errors);
  throwIfInvalid(errors);
  const groups = outputs.flatMap(({ isGroup }, index) => (isGroup ? [index + 1] : []));
  const selected = outputs.map(({ sql }, index) => `${sql} as "o${index}"`).join(', ');
  const grouped = `select ${selected} from ${model.table} t${fields.joins} where ${where.join(' and ')}${groups.length > 0 ? ` group by ${groups.join(', ')}` : ''}`;
  const order = orderOf(sortFields, scope, outputs);
  // One row more says that there are others.
  const rows = `select a.* from (${grouped}) a${having.length > 0 ? ` where ${having.join(' and ')}` : ''}${order} limit ${body.limit + 1}`;
  return {
    text: `${WALL} select r.* from wall cross join lateral (${rows}) r`,
    values: parameters.values,
    names: outputs.map(({ name }) => name),
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
  { fieldName, part, timeZone, as = fieldName }: Group,
  place: string,
  fields: RelatedFields,
  parameters: Parameters,
  errors: FieldErrors,
): Output {
  const column = fields.find(fieldName);
  const problem = problemOfGroup(column, part, timeZone, fields.model);
  if (!column || problem !== null) {
    errors[`${place}.${problem?.key ?? 'fieldName'}`] = problem?.message ?? 'is required';
    return { name: as, sql: 'null', type: 'string', isGroup: true };
  }
  const { field, sql } = column;
  if (part === undefined) return { name: as, sql, type: field.type, isGroup: true };
  const local = field.type === 'date' ? sql : `(${sql} at time zone ${parameters.add(timeZone ?? 'UTC')}::text)`;
  const form = part === 'hour' ? 'YYYY-MM-DD"T"HH24:00' : 'YYYY-MM-DD';
  return { name: as, sql: `to_char(date_trunc('${part}', ${local}), '${form}')`, type: 'string', isGroup: true };
}

function problemOfGroup(
  column: Column | null,
  part: Group['part'],
  timeZone: string | undefined,
  model: Model,
): { readonly key: string; readonly message: Message } | null {
  if (!column) return { key: 'fieldName', message: text('is not a field of {model}', { model: model.code }) };
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

/** The column of a measure. @param errors by its place */
export function measureOutput(
  { fn, fieldName, as }: Measure,
  place: string,
  fields: FilterScope,
  errors: FieldErrors,
): Output {
  const output = (sql: string, type: FieldType): Output => ({ name: as, sql, type, isGroup: false });
  if (fieldName === undefined) {
    if (fn !== 'count') errors[`${place}.fieldName`] = 'is required';
    return output('count(*)::int', 'integer');
  }
  const column = fields.find(fieldName);
  if (!column) {
    errors[`${place}.fieldName`] = text('is not a field of {model}', { model: fields.model.code });
    return output('null', 'string');
  }
  const { field, sql } = column;
  if (!isMeasurable(field.type, fn)) {
    errors[`${place}.fn`] = text('is not for a {type} field', { type: field.type });
  }
  if (fn === 'count') return output(`count(${sql})::int`, 'integer');
  if (fn === 'countDistinct') return output(`count(distinct ${sql})::int`, 'integer');
  if (fn === 'sum') return output(`sum(${sql})::numeric`, 'decimal');
  if (fn === 'avg') return output(`trim_scale(round(avg(${sql}), 10))`, 'decimal');
  return output(`${fn}(${sql})`, field.type);
}

/** Whether fields of this type can be measured so. */
export function isMeasurable(type: FieldType, fn: Measure['fn']): boolean {
  const { comparable, ordered } = FIELD_TYPES[type];
  const fits = { count: true, countDistinct: comparable, min: ordered, max: ordered }[fn as string];
  return fits ?? NUMBERS.has(type);
}

/** The columns of the answer, for conditions and orders. */
function scopeOf(model: Model, outputs: readonly Output[]): FilterScope {
  return {
    // What problems name: here no fields of the model are known.
    model: { ...model, code: 'groupBy, measures' },
    find(name) {
      const index = outputs.findIndex((output) => output.name === name);
      const output = outputs[index];
      if (!output) return null;
      const none = { content: null, readPermission: null, writePermission: null, searchable: false };
      return { field: { code: name, type: output.type, ...none }, sql: `a."o${index}"`, nullable: true };
    },
  };
}
