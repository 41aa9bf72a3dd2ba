import { forbidden, throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { parsePaging } from '../http/paging.ts';
import type { Model } from '../metadata/model.ts';
import type { Permissions } from '../metadata/permissions.ts';

/** The first of each is the default. */
export const COUNT_MODES = ['exact', 'estimate', 'none'] as const;
export const SORT_ORDERS = ['desc', 'asc'] as const;

export type CountMode = (typeof COUNT_MODES)[number];

/** A list request as the API takes it. Spec: "Service-level query request". */
export interface ListQuery {
  readonly pageNum: number;
  readonly pageSize: number;
  readonly keyword: string | null;
  readonly sortField: string;
  readonly sortOrder: 'asc' | 'desc';
  /** Unchecked: `compileFilters` judges it. */
  readonly filters: unknown;
  readonly count: CountMode;
}

export const MAX_KEYWORD_LENGTH = 200;

const NAMES = new Set(['pageNum', 'pageSize', 'keyword', 'sortField', 'sortOrder', 'filters', 'count']);

/** Query names that mean nothing here (`page`, `size`); they are reported, never taken for something else. */
export function ignoredNames(query: Record<string, unknown>): string[] {
  return Object.keys(query).filter((name) => !NAMES.has(name));
}

/**
 * Reads the query string of a list. Spec: "List rules" 1 to 3, "Limits".
 * @throws VALIDATION_ERROR with every name that is wrong; FORBIDDEN for sorting by a field the caller may not read
 */
export function parseListQuery(query: Record<string, unknown>, model: Model, permissions: Permissions): ListQuery {
  const errors: FieldErrors = {};
  const text = (name: string): string | undefined => {
    const value = query[name];
    if (value === undefined || value === '') return undefined;
    if (typeof value !== 'string') errors[name] = 'is given more than once';
    return typeof value === 'string' ? value : undefined;
  };

  const parsed: ListQuery = {
    ...parsePaging(query, errors),
    keyword: parseKeyword(text('keyword'), errors),
    sortField: parseSortField(text('sortField'), model, permissions, errors),
    sortOrder: parseChoice('sortOrder', text('sortOrder')?.toLowerCase(), SORT_ORDERS, errors),
    filters: parseFilters(text('filters'), errors),
    count: parseChoice('count', text('count'), COUNT_MODES, errors),
  };
  throwIfInvalid(errors);
  return parsed;
}

function parseKeyword(keyword: string | undefined, errors: FieldErrors): string | null {
  if (keyword === undefined) return null;
  if (keyword.length > MAX_KEYWORD_LENGTH) errors.keyword = `must not be longer than ${MAX_KEYWORD_LENGTH} characters`;
  if (keyword.includes('\0') || !keyword.isWellFormed()) errors.keyword = 'is not a valid text';
  return keyword;
}

function parseSortField(
  sortField: string | undefined,
  model: Model,
  permissions: Permissions,
  errors: FieldErrors,
): string {
  if (sortField === undefined) return 'created_at';
  const field = model.fields.get(sortField);
  if (!field) errors.sortField = `is not a field of ${model.code}`;
  else if (field.type === 'json') errors.sortField = 'is a json field, which has no order';
  else if (field.readPermission && !permissions.has(field.readPermission)) throw forbidden(field.readPermission);
  return sortField;
}

/** The first choice is the default. */
function parseChoice<C extends string>(
  name: string,
  value: string | undefined,
  choices: readonly [C, ...C[]],
  errors: FieldErrors,
): C {
  if (value === undefined) return choices[0];
  const choice = choices.find((candidate) => candidate === value);
  if (!choice) errors[name] = `must be one of ${choices.join(', ')}`;
  return choice ?? choices[0];
}

function parseFilters(filters: string | undefined, errors: FieldErrors): unknown {
  if (filters === undefined) return [];
  try {
    return JSON.parse(filters);
  } catch {
    errors.filters = 'is not valid JSON';
    return [];
  }
}
