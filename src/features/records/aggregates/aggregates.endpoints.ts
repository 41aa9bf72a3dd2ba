import { reply } from '../../../foundation/http/reply.ts';
import { BOOLEAN, described, list, MAP, object } from '../../../foundation/validation/schema.ts';
import { endpoint, type Endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { authorizeModel } from '../pages/page-model.ts';
import type { RecordsService } from '../records.service.ts';
import { AGGREGATE_BODY } from './aggregate-schema.ts';

/** Figures over the records of a page. */
export function aggregateEndpoints(records: RecordsService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/dynamic/:pageKey/aggregate',
      access: [permissionCode.recordRead('{modelCode}')],
      authorize: authorizeModel,
      tag: 'Records',
      summary: 'Figures over the records of a page, by groups',
      body: AGGREGATE_BODY,
      budget: 'lists',
      data: object({
        rows: described('One for each group: its values and measures, by the names they were given', list(MAP)),
        truncated: described('There are more groups than `limit`', BOOLEAN),
      }),
      async handle({ actor, granted: model, body }) {
        return reply(await records.aggregate(actor, model, body), { verbatim: true });
      },
    }),
  ];
}
