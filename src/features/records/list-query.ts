import { forbidden, type FieldErrors } from '../../foundation/errors/application-error.ts';
import { PAGING_QUERY } from '../../foundation/http/paging.ts';
import { parameters, parseQuery } from '../../foundation/http/read-request.ts';
import { storable, textOf } from '../../foundation/validation/formats.ts';
import { oneOf, text, withDefault, type Static } from '../../foundation/validation/schema.ts';
import { FIELD_TYPES } from '../../platform/metadata/field-types/field-types.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import type { Permissions } from '../../platform/metadata/permissions/permissions.ts';
import { text as message, type Message } from '../../foundation/i18n/text.ts';

const SORT_ORDERS = ['desc', 'asc'];
const COUNT_MODES = ['exact', 'estimate', 'none'] as const;

/** The query string of a list. Spec: "List rules" 1 to 3, "Limits". */
export const LIST_QUERY = parameters({
  ...PAGING_QUERY,
  keyword: storable({ maxLength: 200 }),
  sortField: withDefault('created_at', text()),
  sortOrder: withDefault(
    'desc',
    textOf('sort-order', problemOfSortOrder, { description: '`desc` or `asc`, in any case' }),
  ),
  filters: withDefault(
    '[]',
    textOf('json', problemOfJson, { description: 'A JSON array of conditions `{fieldName, operator, value}`' }),
  ),
  count: withDefault('exact', oneOf(COUNT_MODES)),
});
type ListParameters = Static<typeof LIST_QUERY>;
type QueryString = Readonly<Record<string, unknown>>;

/** A list request. Spec: "Service-level query request". */
export interface ListQuery extends Omit<ListParameters, 'keyword' | 'sortOrder' | 'filters'> {
  readonly keyword: string | null;
  readonly sortOrder: 'asc' | 'desc';
  /** Unchecked: `compileFilters` judges it. */
  readonly filters: unknown;
}

export function toListQuery({ keyword, sortOrder, filters, ...rest }: ListParameters): ListQuery {
  return {
    ...rest,
    keyword: keyword ?? null,
    sortOrder: sortOrder.toLowerCase() === 'asc' ? 'asc' : 'desc',
    filters: JSON.parse(filters),
  };
}

/**
 * Reads the query string of a list, and what assistants and automations ask in its place.
 * @throws VALIDATION_ERROR with every name that is wrong; FORBIDDEN for sorting by a field the caller may not
 *   read
 */
export function parseListQuery(query: QueryString, model: Model, permissions: Permissions): ListQuery {
  return toListQuery(
    parseQuery(query, LIST_QUERY, (fields, errors) => checkSortField(fields, model, permissions, errors)),
  );
}

/** Names that mean nothing here (`page`, `size`); they are reported, never taken for something else. */
export function ignoredNames(query: QueryString): string[] {
  return Object.keys(query).filter((name) => !Object.hasOwn(LIST_QUERY.properties, name));
}

/** @throws FORBIDDEN for a field that the caller may not read */
export function checkSortField(
  { sortField }: Partial<ListParameters>,
  model: Model,
  permissions: Permissions,
  errors: FieldErrors,
): void {
  if (sortField === undefined) return;
  const field = model.fields.get(sortField);
  if (!field) errors.sortField = message('is not a field of {model}', { model: model.code });
  else if (!FIELD_TYPES[field.type].comparable)
    errors.sortField = message('is a {type} field, which has no order', { type: field.type });
  else if (field.readPermission && !permissions.has(field.readPermission)) throw forbidden(field.readPermission);
}

function problemOfSortOrder(given: string): Message | null {
  return SORT_ORDERS.includes(given.toLowerCase())
    ? null
    : message('must be one of {values}', { values: SORT_ORDERS.join(', ') });
}

function problemOfJson(given: string): Message | null {
  try {
    JSON.parse(given);
    return null;
  } catch {
    return 'is not valid JSON';
  }
}
