import type { Contract } from '../http/contract.ts';
import { storable, textOf } from '../http/formats.ts';
import { PAGING_QUERY } from '../http/paging.ts';
import { integer, list, MAP, named, nullable, object, oneOf, PID, text } from '../http/schema.ts';

const tag = 'Records';

const SORT_ORDERS = ['desc', 'asc'];
export const COUNT_MODES = ['exact', 'estimate', 'none'] as const;

const RECORD = named('Record', {
  ...MAP,
  description: "The fields of the page's model that the caller may read, by code",
  properties: { id: text(), pid: PID },
  required: ['id', 'pid'],
});

export const listRecords: Contract = {
  tag,
  summary: 'A page of records',
  description: 'Other names in the query are ignored, and named in the header `X-Ignored-Params`.',
  path: { pageKey: text() },
  query: {
    ...PAGING_QUERY,
    keyword: storable({ maxLength: 200 }),
    sortField: { type: 'string', default: 'created_at' },
    sortOrder: textOf('sort-order', problemOfSortOrder, {
      default: 'desc',
      description: '`desc` or `asc`, in any case',
    }),
    filters: textOf('json', problemOfJson, {
      default: '[]',
      description: 'A JSON array of conditions `{fieldName, operator, value}`',
    }),
    count: { ...oneOf(COUNT_MODES), default: 'exact' },
  },
  budget: 'lists',
  data: object({
    records: list(RECORD),
    total: nullable(integer(0)),
    pageNum: integer(1),
    pageSize: integer(1),
  }),
};
export const getRecord: Contract = {
  ...{ tag, summary: 'One record', path: { pageKey: text(), recordId: PID } },
  ...{ budget: 'lists', data: RECORD },
};

function problemOfSortOrder(given: string): string | null {
  return SORT_ORDERS.includes(given.toLowerCase()) ? null : `must be one of ${SORT_ORDERS.join(', ')}`;
}

function problemOfJson(given: string): string | null {
  try {
    JSON.parse(given);
    return null;
  } catch {
    return 'is not valid JSON';
  }
}
