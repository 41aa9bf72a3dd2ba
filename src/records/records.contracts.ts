import type { Contract } from '../http/contract.ts';
import { PAGING_QUERY } from '../http/paging.ts';
import { integer, list, MAP, named, nullable, object, oneOf, PID, text } from '../http/schema.ts';
import { COUNT_MODES, MAX_KEYWORD_LENGTH, SORT_ORDERS } from './list-query.ts';

const tag = 'Records';

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
    keyword: text({ maxLength: MAX_KEYWORD_LENGTH }),
    sortField: { type: 'string', default: 'created_at' },
    sortOrder: { ...oneOf(SORT_ORDERS), default: SORT_ORDERS[0] },
    filters: text({ description: 'A JSON array of conditions `{fieldName, operator, value}`' }),
    count: { ...oneOf(COUNT_MODES), default: COUNT_MODES[0] },
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
