import { integer, list, object, withDefault, type Schema } from '../validation/schema.ts';

const DEFAULT_PAGE_SIZE = 10;
const MAX_PAGE_SIZE = 500;
export const MAX_PAGE_NUM = 1_000_000;

/** The query of every list that has pages. */
export const PAGING_QUERY = {
  pageNum: withDefault(1, integer(1, MAX_PAGE_NUM)),
  pageSize: withDefault(DEFAULT_PAGE_SIZE, integer(1, MAX_PAGE_SIZE)),
};

/** A page of such a list. Spec: "List result". */
export function pageOf(records: Schema) {
  return object({ records: list(records), total: integer(0), pageNum: integer(1), pageSize: integer(1) });
}

/** `PAGING_QUERY` as it was read. Spec: "Limits". */
export interface Paging {
  readonly pageNum: number;
  readonly pageSize: number;
}
