import type { Message } from '../../../foundation/i18n/text.ts';
import { isTimeZone } from '../../../foundation/time/time-zones.ts';
import { storable, textOf } from '../../../foundation/validation/formats.ts';
import {
  ANYTHING,
  described,
  integer,
  list,
  object,
  oneOf,
  partial,
  text,
  withDefault,
  withMessage,
  type Static,
} from '../../../foundation/validation/schema.ts';
import { CONDITIONS, EXTRA_PARAMS, SORT_FIELDS } from '../query/query-schema.ts';
import { MAX_GROUP_FIELDS, MAX_GROUPS, MAX_MEASURES } from '../records.limits.ts';

export const DATE_PARTS = ['year', 'quarter', 'month', 'week', 'day', 'hour'] as const;
export const FUNCTIONS = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max'] as const;

export const TIME_ZONE = textOf('time-zone', problemOfTimeZone, {
  description: 'An IANA time zone, such as Asia/Shanghai',
});
const NAME = text({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$' });

const GROUP = object({ fieldName: text() }, { part: oneOf(DATE_PARTS), timeZone: TIME_ZONE, as: NAME });
const MEASURE = object({ fn: oneOf(FUNCTIONS), as: NAME }, { fieldName: text() });
export type Grouping = Static<typeof GROUP>;
export type Measure = Static<typeof MEASURE>;

/** What to compute over the records of a page. */
export const AGGREGATE_BODY = partial({
  groupBy: withDefault([], list(GROUP, { maxItems: MAX_GROUP_FIELDS })),
  measures: withDefault([{ fn: 'count', as: 'count' }], list(MEASURE, { minItems: 1, maxItems: MAX_MEASURES })),
  conditions: CONDITIONS,
  keyword: storable({ maxLength: 200 }),
  extraParams: EXTRA_PARAMS,
  having: described(
    'Conditions on the names of measures and groups',
    withMessage('must be a JSON array of conditions', list(ANYTHING)),
  ),
  sortFields: SORT_FIELDS,
  limit: withDefault(100, integer(1, MAX_GROUPS)),
});
export type AggregateBody = Static<typeof AGGREGATE_BODY>;

function problemOfTimeZone(given: string): Message | null {
  return isTimeZone(given) ? null : 'is not a time zone such as Asia/Shanghai';
}
