import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import { FIELD_TYPES } from '../../metadata/field-types/field-types.ts';
import type { Field, Model } from '../../metadata/models/model.ts';
import { isReadable } from '../field-selection.ts';
import type { ListSubject } from '../pages/list-subject.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { splitNames, type RecordQuery } from '../query/record-query.ts';
import { RelatedFields } from '../conditions/related-fields.ts';
import { MAX_STATS_FIELDS } from '../records.limits.ts';
import { aggregateStatement, isMeasurable, type AggregateStatement } from './aggregate-statement.ts';
import type { Measure } from './aggregate-schema.ts';

/** Each figure by its name in the answer. */
const FIGURES = { count: 'count', distinct: 'countDistinct', min: 'min', max: 'max', avg: 'avg', sum: 'sum' } as const;

/** A field to describe by figures, as the caller names it. */
export interface StatsField {
  readonly name: string;
  readonly type: Field['type'];
}

type Figures = Readonly<Record<string, unknown>>;

/** Figures of all records that a query finds. */
export interface Stats {
  readonly total: number;
  /** By the names of the fields. A figure that a field of its type has not is null. */
  readonly fields: Readonly<Record<string, Figures>>;
}

/**
 * The fields that a request names, else the first of the model's own that the caller may read.
 * @throws FORBIDDEN with `data.permission` for a field the caller may not read
 */
export function statsFields(given: string | undefined, model: Model, actor: Actor, errors: FieldErrors): StatsField[] {
  if (given === undefined) return defaultFields(model, actor);
  const scope = new RelatedFields(model, actor, new Parameters());
  const names = splitNames(given);
  if (names.length > MAX_STATS_FIELDS) errors.fields = text('takes at most {max} fields', { max: MAX_STATS_FIELDS });
  return names.slice(0, MAX_STATS_FIELDS).flatMap((name) => {
    const field = name.slice(0, 100);
    const type = scope.find(name)?.field.type;
    if (!type) errors.fields = text('{field} is not a field of {model}', { field, model: model.code });
    else if (FIELD_TYPES[type].comparable) return { name, type };
    else errors.fields = text('{field} is a {type} field, which has no order', { field, type });
    return [];
  });
}

function defaultFields({ fields }: Model, { permissions }: Actor): StatsField[] {
  return [...fields.values()]
    .filter((field) => field.content && isReadable(field, permissions) && FIELD_TYPES[field.type].comparable)
    .slice(0, MAX_STATS_FIELDS)
    .map(({ code, type }) => ({ name: code, type }));
}

/** What is described of which records. */
export interface StatsQuery {
  readonly fields: readonly StatsField[];
  /** Its rows are one. */
  readonly statement: AggregateStatement;
}

/**
 * @param given names of fields
 * @param errors collects what is wrong
 * @throws FORBIDDEN for a condition on a field the caller may not read
 */
export function statsQuery(
  given: string | undefined,
  keyword: string | undefined,
  conditions: RecordQuery['conditions'],
  subject: ListSubject,
  errors: FieldErrors,
): StatsQuery {
  const fields = statsFields(given, subject.model, subject.actor, errors);
  const measures: Measure[] = fields.flatMap(({ name, type }) =>
    Object.values(FIGURES).flatMap((fn) =>
      isMeasurable(type, fn) ? { fn, fieldName: name, as: keyOf(name, fn) } : [],
    ),
  );
  const body = {
    measures: [{ fn: 'count' as const, as: '' }, ...measures],
    ...(keyword !== undefined && { keyword }),
  };
  return { fields, statement: aggregateStatement(subject, body, conditions, errors) };
}

/** @param row of the statement, by the names of its measures */
export function toStats(fields: readonly StatsField[], row: Readonly<Record<string, unknown>>): Stats {
  const total = Number(row['']);
  const described = fields.map(({ name }): [string, Figures] => {
    const figures = Object.entries(FIGURES).map(([key, fn]): [string, unknown] => [key, row[keyOf(name, fn)] ?? null]);
    return [name, { nulls: total - Number(row[keyOf(name, 'count')]), ...Object.fromEntries(figures) }];
  });
  return { total, fields: Object.fromEntries(described) };
}

function keyOf(name: string, fn: Measure['fn']): string {
  return `${fn}(${name})`;
}
