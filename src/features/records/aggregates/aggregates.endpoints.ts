import { reply } from '../../../foundation/http/reply.ts';
import { parameters } from '../../../foundation/http/read-request.ts';
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
} from '../../../foundation/validation/schema.ts';
import { endpoint, type Endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { authorizeModel } from '../pages/page-model.ts';
import { LIST_QUERY } from '../query/query-schema.ts';
import { queryOfNames } from '../query/record-query.ts';
import { MAX_STATS_FIELDS } from '../records.limits.ts';
import type { RecordService } from '../records.service.ts';
import type { ViewsService } from '../views/views.service.ts';
import { AGGREGATE_BODY } from './aggregate-schema.ts';
import { statsFields } from './record-stats.ts';

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
export function aggregateEndpoints(records: RecordService, views: ViewsService): readonly Endpoint[] {
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
      async handle({ actor, granted: model, params: { pageKey }, body }) {
        return reply(await records.aggregate(actor, model.code, { ...body, pageKey }), { verbatim: true });
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
        return {
          described: statsFields(fields, model, actor, errors),
          query: queryOfNames(names, { pageKey, model, actor, view }, errors),
        };
      },
      async handle({ actor, granted: model, checked: { described, query } }) {
        return reply(await records.statsChecked(actor, model.code, described, query), { verbatim: true });
      },
    }),
  ];
}
