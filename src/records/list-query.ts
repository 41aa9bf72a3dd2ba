import { forbidden } from '../errors/application-error.ts';
import type { Paging } from '../http/paging.ts';
import { readQuery } from '../http/read-request.ts';
import type { Model } from '../metadata/model.ts';
import type { Permissions } from '../metadata/permissions.ts';
import { listRecords, type COUNT_MODES } from './records.contracts.ts';

export type CountMode = (typeof COUNT_MODES)[number];

/** A list request as the API takes it. Spec: "Service-level query request". */
export interface ListQuery extends Paging {
  readonly keyword: string | null;
  readonly sortField: string;
  readonly sortOrder: 'asc' | 'desc';
  /** Unchecked: `compileFilters` judges it. */
  readonly filters: unknown;
  readonly count: CountMode;
}

/** The texts of the query string that are read once more. */
interface Given extends Paging {
  readonly keyword?: string;
  readonly sortField: string;
  readonly sortOrder: string;
  readonly filters: string;
  readonly count: CountMode;
}

type Query = Readonly<Record<string, unknown>>;

/** Query names that mean nothing here (`page`, `size`); they are reported, never taken for something else. */
export function ignoredNames(query: Query): string[] {
  return Object.keys(query).filter((name) => !Object.hasOwn(listRecords.query ?? {}, name));
}

/**
 * Reads the query string of a list. Spec: "List rules" 1 to 3, "Limits".
 * @throws VALIDATION_ERROR with every name that is wrong; FORBIDDEN for sorting by a field the caller may not read
 */
export function parseListQuery(query: Query, model: Model, permissions: Permissions): ListQuery {
  const given = readQuery<Given>({ query }, listRecords, ({ sortField }, errors) => {
    const problem = sortField === undefined ? null : problemOfSortField(sortField, model, permissions);
    if (problem !== null) errors.sortField = problem;
  });
  const { keyword = null, sortOrder, filters } = given;
  return { ...given, keyword, sortOrder: sortOrder.toLowerCase() as 'asc' | 'desc', filters: JSON.parse(filters) };
}

/** @throws FORBIDDEN */
function problemOfSortField(sortField: string, model: Model, permissions: Permissions): string | null {
  const field = model.fields.get(sortField);
  if (!field) return `is not a field of ${model.code}`;
  if (field.type === 'json') return 'is a json field, which has no order';
  if (field.readPermission && !permissions.has(field.readPermission)) throw forbidden(field.readPermission);
  return null;
}
