import { NEWEST_FIRST } from '../conditions/sort-order.ts';
import { forbidden, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { parseQuery } from '../../../foundation/http/read-request.ts';
import { partial, type Static } from '../../../foundation/validation/schema.ts';
import { validate, validFields } from '../../../foundation/validation/validate.ts';
import { type ListSubject, columnsOfPage, conditionsOfPage, sortOfPage } from '../pages/list-subject.ts';
import { SavedConditions } from '../conditions/filter-condition.ts';
import { withParams } from '../conditions/saved-conditions.ts';
import { parseExpansions, type Expansion } from './expansion.ts';
import { isReadable } from '../field-selection.ts';
import { RecordSelect, type Selection } from './record-select.ts';
import { shownAt, type Join } from '../conditions/related-fields.ts';
import {
  EXTRA_PARAMS,
  LIST_QUERY,
  SORT_FIELDS,
  type CountMode,
  type ListNames,
  type QueryBody,
} from './query-schema.ts';
import { MAX_SHOWN_PATHS } from '../records.limits.ts';
import type { SortField } from '../conditions/sort-order.ts';

/**
 * What is asked of a model's records, checked and compiled. Every list is one, whatever has asked for it.
 * Spec: "Service-level query request".
 */
export interface RecordQuery extends Pick<Selection, 'conditions' | 'keyword' | 'sortFields' | 'fields'> {
  readonly select: RecordSelect;
  readonly subject: ListSubject;
  readonly pageNum: number;
  readonly pageSize: number;
  /** Only records that others join to this one. */
  readonly joinedTo?: { readonly join: Join; readonly pid: string };
  readonly expand: readonly Expansion[];
  readonly count: CountMode;
  /** Where the page begins; null for the page with the number `pageNum`. */
  readonly cursor: string | null;
}

interface GivenSortField {
  readonly fieldName: string;
  readonly order?: string;
}

/** A query in the one form of both requests, before the model is looked at. */
interface GivenQuery extends Partial<Omit<QueryBody, 'conditions' | 'sortFields'>> {
  readonly conditions: RecordQuery['conditions'];
  readonly sortFields: readonly GivenSortField[];
  readonly sortPlace: Selection['sortPlace'];
}

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
      conditions: conditionsIn(filters),
      sortFields: several ?? (isSorted ? [single] : []),
      sortPlace: several ? placeOfSortField : () => 'sortField',
      extraParams: params,
    },
    subject,
    errors,
  );
}

/** The conditions that the names of a list ask for, as `queryOfNames`. */
export function conditionsOfNames(
  { filters, extraParams }: Pick<Partial<ListNames>, 'filters' | 'extraParams'>,
  subject: ListSubject,
  errors: FieldErrors,
): RecordQuery['conditions'] {
  const { extraParams: params = {} } = parseTexts({ extraParams }, errors);
  return withSaved(conditionsIn(filters), subject, params, errors);
}

/** The conditions that a body asks for, as `queryOfNames`. */
export function conditionsOfBody(
  { conditions: given = [], extraParams = {} }: Pick<Partial<QueryBody>, 'conditions' | 'extraParams'>,
  subject: ListSubject,
  errors: FieldErrors,
): RecordQuery['conditions'] {
  return withSaved({ name: 'conditions', given }, subject, extraParams, errors);
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
export function parseListQuery(
  query: Readonly<Record<string, unknown>>,
  subject: Omit<ListSubject, 'pageKey' | 'view'>,
): RecordQuery {
  return parseQuery(query, LIST_QUERY, (given, errors) => queryOfNames(given, { pageKey: null, ...subject }, errors));
}

function checkQuery(given: GivenQuery, subject: ListSubject, errors: FieldErrors): RecordQuery {
  const { model, actor, view } = subject;
  const { pageNum = 1, pageSize = LIST_QUERY.properties.pageSize.default, keyword = null } = given;
  const { conditions, fields, extraParams = {}, sortPlace } = given;
  const cursor = given.cursor === undefined ? null : String(given.cursor);
  if (cursor !== null && given.pageNum !== undefined) errors.pageNum = 'is not for a page after a cursor';
  const own = given.sortFields.length === 0 ? (view?.sortFields ?? []) : given.sortFields.map(toSortField);
  const sortFields = own.length === 0 ? sortOfPage(subject) : own;
  const expand = parseExpansions(splitNames(given.expand ?? []), model, actor, errors);
  const selected = {
    conditions: withSaved(conditions, subject, extraParams, errors),
    keyword,
    sortFields: sortFields.length === 0 ? [NEWEST_FIRST] : sortFields,
    // A record that is expanded stands beside its pid.
    fields:
      fields === undefined
        ? null
        : checkFieldNames([...namesOfFields(fields, subject), ...fieldsOf(expand)], subject, errors),
  };
  const select = new RecordSelect(subject, { ...selected, sortPlace }, errors);
  return { ...selected, select, subject, pageNum, pageSize, expand, count: countModeOf(given), cursor };
}

/** By these a record is found again, whatever fields are asked for. */
const ALWAYS = ['id', 'pid'];

/**
 * The fields that a caller names, with those that every record has. Paths such as `account.name` lead to
 * related records.
 * @throws FORBIDDEN with `data.permission` for a field the caller may not read
 */
function checkFieldNames(
  names: readonly string[],
  { model, actor }: ListSubject,
  errors: FieldErrors,
): ReadonlySet<string> {
  for (const name of names) {
    const field = model.fields.get(name);
    if (!field && !(name.includes('.') && shownAt(model, name, actor)))
      errors.fields = text('{field} is not a field of {model}', { field: name.slice(0, 100), model: model.code });
    if (field && !isReadable(field, actor.permissions)) throw forbidden(field.readPermission ?? '');
  }
  if (names.filter((name) => name.includes('.')).length > MAX_SHOWN_PATHS)
    errors.fields = text('takes at most {max} paths', { max: MAX_SHOWN_PATHS });
  return new Set([...ALWAYS, ...names]);
}

function conditionsIn(filters: string | undefined): RecordQuery['conditions'] {
  return { name: 'filters', given: filters === undefined ? [] : (JSON.parse(filters) as unknown) };
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
function withSaved(
  { name, given }: RecordQuery['conditions'],
  subject: ListSubject,
  params: Readonly<Record<string, unknown>>,
  errors: FieldErrors,
): RecordQuery['conditions'] {
  const saved = [...conditionsOfPage(subject), ...(subject.view?.conditions ?? [])];
  if (!Array.isArray(given) || saved.length === 0) return { name, given };
  const missing: FieldErrors = {};
  const filled = withParams(saved, params, missing);
  Object.assign(errors, missing);
  // Without a value for a param nothing can be said of its condition.
  const others = Object.keys(missing).length === 0 ? [new SavedConditions(filled)] : [];
  return { name, given: [...(given as unknown[]), ...others] };
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
  // Each once: `@columns` stands for many.
  return [...new Set(names.map((name) => name.trim()))].filter(Boolean);
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
