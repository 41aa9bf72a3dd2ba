import { reply } from '../../foundation/http/reply.ts';
import {
  ANYTHING,
  BOOLEAN,
  described,
  integer,
  list,
  MAP,
  mapOf,
  object,
  text,
  parameters,
} from '../../foundation/validation/schema.ts';
import { endpoint, type Endpoint } from '../../platform/auth/requests/endpoint.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { authorizeModel } from '../../platform/records/pages/page-model.ts';
import { LIST_QUERY } from '../../platform/records/query/query-schema.ts';
import { conditionsOfBody, conditionsOfNames } from '../../platform/records/query/record-query.ts';
import { MAX_STATS_FIELDS } from '../../platform/records/records.limits.ts';
import type { RecordReader } from '../../platform/records/reader/record-reader.ts';
import type { ViewsService } from './views/views.service.ts';
import { aggregateStatement } from '../../platform/records/aggregates/aggregate-statement.ts';
import { AGGREGATE_BODY } from '../../platform/records/aggregates/aggregate-schema.ts';
import { statsQuery, toStats } from '../../platform/records/aggregates/record-stats.ts';

const { filters, keyword, viewId, extraParams } = LIST_QUERY.properties;
const STATS_QUERY = parameters({
  fields: described(
    `Up to ${MAX_STATS_FIELDS} codes or paths, joined by commas; where it is absent, the first of the model's own fields`,
    text(),
  ),
  filters,
  keyword,
  viewId,
  extraParams,
});
const FIELD_STATS = object({
  count: integer(0),
  nulls: integer(0),
  distinct: integer(0),
  min: ANYTHING,
  max: ANYTHING,
  avg: ANYTHING,
  sum: ANYTHING,
});

/** Figures over the records of a page. */
export function aggregateEndpoints(reader: RecordReader, views: ViewsService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/dynamic/:pageKey/aggregate',
      access: [permissionCode.recordRead('{modelCode}')],
      errors: ['CONFLICT'],
      authorize: authorizeModel,
      tag: 'Records',
      summary: 'Figures over the records of a page, by groups',
      body: AGGREGATE_BODY,
      budget: 'lists',
      data: object({
        rows: described('One for each group: its values and measures, by the names they were given', list(MAP)),
        truncated: described('There are more groups than `limit`', BOOLEAN),
      }),
      check({ actor, granted: model, params: { pageKey }, body }, errors) {
        const subject = { pageKey, model, actor };
        return aggregateStatement(subject, body, conditionsOfBody(body, subject, errors), errors);
      },
      async handle({ checked: statement }) {
        return reply(await reader.aggregate(statement), { verbatim: true });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/dynamic/:pageKey/stats',
      access: [permissionCode.recordRead('{modelCode}')],
      errors: ['CONFLICT'],
      authorize: authorizeModel,
      tag: 'Records',
      summary: 'Figures over the records of a page, field by field',
      query: STATS_QUERY,
      budget: 'lists',
      data: object({
        total: integer(0),
        fields: described('By code. A figure that a field of its type has not is null', mapOf(FIELD_STATS)),
      }),
      async check({ actor, granted: model, params: { pageKey }, query: { fields, ...names } }, errors) {
        const view = await views.findOfPage(actor, pageKey, names.viewId, errors);
        const subject = { pageKey, model, actor, view };
        return statsQuery(fields, names.keyword, conditionsOfNames(names, subject, errors), subject, errors);
      },
      async handle({ checked: { fields, statement } }) {
        const [row = {}] = await reader.aggregated(statement);
        return reply(toStats(fields, row), { verbatim: true });
      },
    }),
  ];
}
