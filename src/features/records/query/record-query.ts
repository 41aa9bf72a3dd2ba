import { throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { parseQuery } from '../../../foundation/http/read-request.ts';
import { partial, type Static } from '../../../foundation/validation/schema.ts';
import { validate, validFields } from '../../../foundation/validation/validate.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import type { ListSubject } from './list-subject.ts';
import { withParams } from './conditions/filter-params.ts';
import { columnsOfPage, conditionsOfPage, sortOfPage } from '../page-defaults.ts';
import { parseExpansions, type Expansion } from './expansion.ts';
import { checkFieldNames } from './field-selection.ts';
import { Parameters } from './parameters.ts';
import { RelatedFields, type Join } from './related-fields.ts';
import {
  EXTRA_PARAMS,
  LIST_QUERY,
  SORT_FIELDS,
  type CountMode,
  type ListNames,
  type QueryBody,
} from './query-schema.ts';
import { checkSortFields, type SortField } from './sort-order.ts';

/**
 * What is asked of a model's records, checked. Every list is one, whatever has asked for it.
 * Spec: "Service-level query request".
 */
export interface RecordQuery {
  /** The page through which the records are asked for; null where it is none. */
  readonly pageKey: string | null;
  readonly pageNum: number;
  readonly pageSize: number;
  readonly keyword: string | null;
  /** Unchecked: `compileFilters` judges them, under the name that they have in the request. */
  readonly conditions: { readonly name: string; readonly given: unknown };
  /** Only records that others join to this one. */
  readonly joinedTo?: { readonly join: Join; readonly pid: string };
  /** The values of the conditions are data, in which `$me` is a text: an automation computes them. */
  readonly literal?: boolean;
  readonly sortFields: readonly SortField[];
  /** Codes of the fields to answer; null for all. */
  readonly fields: ReadonlySet<string> | null;
  readonly expand: readonly Expansion[];
  readonly count: CountMode;
  /** Where the page begins; null for the page with the number `pageNum`. */
  readonly cursor: string | null;
  /** Values by name, for the conditions of pages and views. */
  readonly extraParams: Readonly<Record<string, unknown>>;
}

interface GivenSortField {
  readonly fieldName: string;
  readonly order?: string;
}

/** A query in the one form of both requests, before the model is looked at. */
interface GivenQuery extends Partial<Omit<QueryBody, 'conditions' | 'sortFields'>> {
  readonly conditions: RecordQuery['conditions'];
  readonly sortFields: readonly GivenSortField[];
  /** Where the request names the field to sort by with this index. */
  readonly sortPlace: (index: number) => string;
}

/** Spec: "Limits", default sort. */
export const NEWEST_FIRST = { fieldName: 'created_at', order: 'desc' } as const;

/** Stands for the fields of the page's columns. */
export const COLUMNS = '@columns';

/**
 * The query that the names of a list ask for.
 * @param errors collects what the schema of the names cannot say; with one, the query is not to be used
 * @throws FORBIDDEN with `data.permission` for a field the caller may not read
 */
export function queryOfNames(names: Partial<ListNames>, subject: ListSubject, errors: FieldErrors): RecordQuery {
  const { filters, sortField, sortOrder, sortFields, extraParams, ...rest } = names;
  const isSorted = sortField !== undefined || sortOrder !== undefined;
  const single = { fieldName: sortField ?? NEWEST_FIRST.fieldName, order: sortOrder ?? NEWEST_FIRST.order };
  const { sortFields: several, extraParams: params } = parseTexts({ sortFields, extraParams }, errors);
  return checkQuery(
    {
      ...rest,
      conditions: { name: 'filters', given: filters === undefined ? [] : (JSON.parse(filters) as unknown) },
      sortFields: several ?? (isSorted ? [single] : []),
      sortPlace: several ? placeOfSortField : () => 'sortField',
      extraParams: params,
    },
    subject,
    errors,
  );
}

/** The query that a body asks for, as `queryOfNames`. */
export function queryOfBody(body: Partial<QueryBody>, subject: ListSubject, errors: FieldErrors): RecordQuery {
  const { conditions: given = [], sortFields = [], ...rest } = body;
  const conditions = { name: 'conditions', given };
  return checkQuery({ ...rest, conditions, sortFields, sortPlace: placeOfSortField }, subject, errors);
}

/**
 * Reads the names of a list for what asks in the place of a request: assistants and automations.
 * @throws VALIDATION_ERROR with every name that is wrong; FORBIDDEN as `queryOfNames`
 */
export function parseListQuery(query: Readonly<Record<string, unknown>>, model: Model, actor: Actor): RecordQuery {
  const errors: FieldErrors = {};
  const subject = { pageKey: null, model, actor };
  const names = parseQuery(query, LIST_QUERY, (given, wrong) => void queryOfNames(given, subject, wrong));
  const read = queryOfNames(names, subject, errors);
  throwIfInvalid(errors);
  return read;
}

/** Reports names that mean nothing here (`page`, `size`); they are never taken for something else. */
export function ignoredHeader(
  query: Readonly<Record<string, unknown>>,
  schema: { readonly properties: object } = LIST_QUERY,
): Record<string, string> {
  const replaced = query.sortFields ? ['sortField', 'sortOrder'] : [];
  const ignored = Object.keys(query).filter(
    (name) => !Object.hasOwn(schema.properties, name) || replaced.includes(name),
  );
  return ignored.length > 0 ? { 'X-Ignored-Params': ignored.map(encodeURIComponent).join(', ') } : {};
}

function checkQuery(given: GivenQuery, subject: ListSubject, errors: FieldErrors): RecordQuery {
  const { pageKey, model, actor, view } = subject;
  const { pageNum = 1, pageSize = LIST_QUERY.properties.pageSize.default, keyword = null } = given;
  const { conditions, fields, extraParams = {}, sortPlace } = given;
  const cursor = given.cursor === undefined ? null : String(given.cursor);
  if (cursor !== null && given.pageNum !== undefined) errors.pageNum = 'is not for a page after a cursor';
  const own = given.sortFields.length === 0 ? (view?.sortFields ?? []) : given.sortFields.map(toSortField);
  const asked = own.length === 0 ? sortOfPage(subject) : own;
  const sortFields = asked.length === 0 ? [NEWEST_FIRST] : asked;
  checkSortFields(sortFields, new RelatedFields(model, actor, new Parameters()), sortPlace, errors);
  const expand = parseExpansions(splitNames(given.expand ?? []), model, actor, errors);
  return {
    pageKey,
    pageNum,
    pageSize,
    keyword,
    conditions: withSaved(conditions, subject, extraParams, errors),
    sortFields,
    // A record that is expanded stands beside its pid.
    fields:
      fields === undefined
        ? null
        : checkFieldNames([...namesOfFields(fields, subject), ...fieldsOf(expand)], model, actor, errors),
    expand,
    count: countModeOf(given),
    cursor,
    extraParams,
  };
}

/** To count all records again for each page of a walk is not what a cursor is for. */
export function countModeOf<C>({
  count,
  cursor,
}: {
  readonly count?: C;
  readonly cursor?: unknown;
}): C | 'exact' | 'none' {
  return count ?? (cursor === undefined ? 'exact' : 'none');
}

/**
 * Conditions with those of the page that name params, and of the view. The request's own stand first:
 * problems name them by their index.
 * @param errors collects the names of params that the request lacks
 */
export function withSaved(
  { name, given }: RecordQuery['conditions'],
  subject: ListSubject,
  params: RecordQuery['extraParams'],
  errors: FieldErrors,
): RecordQuery['conditions'] {
  const saved = [...conditionsOfPage(subject), ...(subject.view?.conditions ?? [])];
  if (!Array.isArray(given) || saved.length === 0) return { name, given };
  return { name, given: [...(given as unknown[]), { and: withParams(saved, params, errors) }] };
}

/** The columns of the view, else of the page; null without either. */
function columnsOf(subject: ListSubject): readonly string[] | null {
  const { columns = [] } = subject.view ?? {};
  return columns.length > 0 ? columns : columnsOfPage(subject);
}

function placeOfSortField(index: number): string {
  return `sortFields.${index}.fieldName`;
}

function toSortField({ fieldName, order = NEWEST_FIRST.order }: GivenSortField): SortField {
  return { fieldName, order: order.toLowerCase() === 'asc' ? 'asc' : 'desc' };
}

/** The codes that are asked for, in their order; `@columns` stands for several. */
export function namesOfFields(given: string | readonly string[], subject: ListSubject): readonly string[] {
  return splitNames(given).flatMap((name) => (name === COLUMNS ? (columnsOf(subject) ?? name) : name));
}

/** The names in a list of them: an array, or a text with commas. */
export function splitNames(given: string | readonly string[]): string[] {
  const names = typeof given === 'string' ? given.split(',') : given;
  return names.map((name) => name.trim()).filter(Boolean);
}

function fieldsOf(expand: readonly Expansion[]): string[] {
  return expand.flatMap(({ many, field }) => (many ? [] : field));
}

/** Names whose texts are JSON of these forms: one schema for all requests, as each is compiled and kept. */
const TEXTS = partial({ sortFields: SORT_FIELDS, extraParams: EXTRA_PARAMS });

/** The values in the texts of these names, without those that are not of their schema. */
function parseTexts(
  names: Pick<Partial<ListNames>, 'sortFields' | 'extraParams'>,
  errors: FieldErrors,
): Partial<Static<typeof TEXTS>> {
  const texts = Object.entries(names).filter(([, text]) => text !== undefined);
  if (texts.length === 0) return {};
  const given = Object.fromEntries(texts.map(([name, text]) => [name, JSON.parse(text) as unknown]));
  const problems = validate(TEXTS, given);
  Object.assign(errors, problems);
  return validFields(given, problems);
}
