import type { FieldErrors } from '../errors/application-error.ts';
import { integer, list, object, type Schema } from './schema.ts';

const DEFAULT_PAGE_SIZE = 10;
const MAX_PAGE_SIZE = 500;
const MAX_PAGE_NUM = 1_000_000;

/** The query of every list that has pages. */
export const PAGING_QUERY = {
  pageNum: { ...integer(1, MAX_PAGE_NUM), default: 1 },
  pageSize: { ...integer(1, MAX_PAGE_SIZE), default: DEFAULT_PAGE_SIZE },
};

/** A page of such a list. Spec: "List result". */
export function pageOf(records: Schema): Schema {
  return object({ records: list(records), total: integer(0), pageNum: integer(1), pageSize: integer(1) });
}

export interface Paging {
  readonly pageNum: number;
  readonly pageSize: number;
}

/** `pageNum` and `pageSize` of a query string. Spec: "Limits". @param errors collects what is wrong, by name */
export function parsePaging(query: Readonly<Record<string, unknown>>, errors: FieldErrors): Paging {
  const integer = (name: string, fallback: number, max: number): number => {
    const value = query[name];
    if (value === undefined || value === '') return fallback;
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= 1 && number <= max) return number;
    errors[name] = Array.isArray(value) ? 'is given more than once' : `must be a whole number from 1 to ${max}`;
    return fallback;
  };
  return {
    pageNum: integer('pageNum', 1, MAX_PAGE_NUM),
    pageSize: integer('pageSize', DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE),
  };
}
