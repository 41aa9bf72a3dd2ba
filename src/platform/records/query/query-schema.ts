import { Type } from 'typebox';
import { text as message, type Message } from '../../../foundation/i18n/text.ts';
import { MAX_PAGE_NUM, PAGING_QUERY } from '../../../foundation/http/paging.ts';
import { firstProblem, parseJson } from '../../../foundation/validation/json-text.ts';
import { storable, textOf } from '../../../foundation/validation/formats.ts';
import {
  ANYTHING,
  described,
  integer,
  list,
  mapOf,
  object,
  oneOf,
  partial,
  PID,
  replacedBy,
  text,
  withMessage,
  type Schema,
  type Static,
  parameters,
} from '../../../foundation/validation/schema.ts';
import {
  MAX_CURSOR_LENGTH,
  MAX_EXTRA_PARAMS,
  MAX_NAMES,
  MAX_NAMES_LENGTH,
  MAX_SORT_FIELDS,
} from '../records.limits.ts';

const SORT_ORDERS = ['desc', 'asc'];
const COUNT_MODES = ['exact', 'none', 'estimate', 'capped'] as const;
export type CountMode = (typeof COUNT_MODES)[number];

/** A text of a query string that holds JSON. */
export const JSON_TEXT = textOf('json', problemOfJson);
const SORT_ORDER = textOf('sort-order', problemOfSortOrder, { description: '`desc` or `asc`, in any case' });
export const SORT_FIELDS = list(object({ fieldName: text() }, { order: SORT_ORDER }), {
  maxItems: MAX_SORT_FIELDS,
});
export const EXTRA_PARAMS = mapOf(ANYTHING, { maxProperties: MAX_EXTRA_PARAMS });

/** A cursor, with what it is for the document. */
function cursorOf<S extends Schema>(schema: S): S {
  return described('`nextCursor` of the page before, or `id` of its last record; in the place of `pageNum`', schema);
}

/** What the query string and the body of a query have in common. */
const COMMON = {
  pageNum: described('1 where it is absent', integer(1, MAX_PAGE_NUM)),
  pageSize: PAGING_QUERY.pageSize,
  keyword: storable({ maxLength: 200 }),
  count: described(
    '`exact` where it is absent, `none` with a cursor; `capped` counts to 1,000, and says in `totalRelation` whether there are more',
    oneOf(COUNT_MODES),
  ),
};

const EXPAND = described('Paths of relations to answer under `expanded`, joined by commas', text());

/** The query string of a detail. */
export const DETAIL_QUERY = parameters({ expand: EXPAND });

/** The query string of a list. Spec: "List rules" 1 to 3, "Limits". */
export const LIST_QUERY = parameters({
  ...COMMON,
  sortField: replacedBy('sortFields', described('`created_at` where it is absent', text())),
  sortOrder: replacedBy('sortFields', described('`desc` where it is absent', SORT_ORDER)),
  sortFields: described('A JSON array of `{fieldName, order}`, in the place of `sortField` and `sortOrder`', JSON_TEXT),
  filters: described('A JSON array of conditions `{fieldName, operator, value}`', JSON_TEXT),
  fields: described(
    "Codes of the fields to answer, joined by commas, and paths such as `account.name`; `@columns`: the page's; `id` and `pid` are always there",
    text(),
  ),
  expand: EXPAND,
  cursor: cursorOf(text({ maxLength: MAX_CURSOR_LENGTH })),
  viewId: described('The pid of a saved view, which adds its conditions, and its order where none is asked for', PID),
  extraParams: described(
    'A JSON object: values by name, for `$params.<name>` in the conditions of the page or a view',
    JSON_TEXT,
  ),
});
export type ListNames = Static<typeof LIST_QUERY>;

const NAMES = Type.Union([text({ maxLength: MAX_NAMES_LENGTH }), list(text(), { maxItems: MAX_NAMES })]);

export const CONDITIONS = described(
  'Conditions `{fieldName, operator, value}`, joined by AND',
  withMessage('must be a JSON array of conditions', list(ANYTHING)),
);

/** The body of a query. Spec: "Service-level query request". */
export const QUERY_BODY = partial({
  ...COMMON,
  conditions: CONDITIONS,
  sortFields: SORT_FIELDS,
  fields: described('As in a list, or as an array', NAMES),
  expand: described('As in a list, or as an array', NAMES),
  viewId: PID,
  cursor: cursorOf(Type.Union([text({ maxLength: MAX_CURSOR_LENGTH }), integer(0, Number.MAX_SAFE_INTEGER)])),
  extraParams: EXTRA_PARAMS,
});
export type QueryBody = Static<typeof QUERY_BODY>;

function problemOfSortOrder(given: string): Message | null {
  return SORT_ORDERS.includes(given.toLowerCase())
    ? null
    : message('must be one of {values}', { values: SORT_ORDERS.join(', ') });
}

function problemOfJson(given: string): Message | null {
  const parsed = parseJson(given);
  return 'value' in parsed ? null : firstProblem(parsed);
}
