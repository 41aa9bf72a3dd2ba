import {
  named,
  text,
  PID,
  object,
  list,
  nullable,
  integer,
  described,
  openObject,
} from '../../foundation/validation/schema.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { type RecordsService } from './records.service.ts';
import { type TotalsCache } from './totals-cache.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { LIST_QUERY, checkSortField, toListQuery, ignoredNames } from './list-query.ts';
import { reply } from '../../foundation/http/reply.ts';
import { notFound } from '../../foundation/errors/application-error.ts';
import { type Actor, authorise } from '../../platform/auth/requests/actor.ts';
import { findModelOfPage, modelOfPage } from './pages/page-model.ts';

const tag = 'Records';
const RECORD = named(
  'Record',
  described("The fields of the page's model that the caller may read, by code", openObject({ id: text(), pid: PID })),
);
const access = [permissionCode.recordRead('{modelCode}')];

/** Spec: "Endpoints", dynamic list and detail. */
export function recordEndpoints(records: RecordsService, totals: TotalsCache): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/dynamic/:pageKey/list',
      access,
      authorize: authorizeModel,
      tag,
      summary: 'A page of records',
      description: 'Other names in the query are ignored, and named in the header `X-Ignored-Params`.',
      query: LIST_QUERY,
      budget: 'lists',
      data: object({
        records: list(RECORD),
        total: nullable(integer(0)),
        pageNum: integer(1),
        pageSize: integer(1),
      }),
      // The cached total travels with the session check: a list is one Redis and one SQL round trip.
      prefetch: ({ environment, tenantId, metadata }, { pageKey }, { query: { keyword, filters } }) => {
        const model = metadata && findModelOfPage(metadata, pageKey);
        if (!metadata || !model || model.dependsOnActor) return null;
        const scope = { environment, tenantId, modelCode: model.code };
        const rules = model.rowRules.length > 0 ? pageKey : null;
        return totals.prefetch(scope, { metadataVersion: metadata.version, page: rules, keyword, filters });
      },
      check: ({ actor, granted: model, query }, errors) => checkSortField(query, model, actor.permissions, errors),
      async handle({ actor, granted: model, query, prefetched, request }) {
        const result = await records.list(actor, model, toListQuery(query), prefetched);
        const ignored = ignoredNames(request.query);
        const headers = { 'X-Ignored-Params': ignored.map(encodeURIComponent).join(', ') };
        return reply(result, { verbatim: true, ...(ignored.length > 0 && { headers }) });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/dynamic/:pageKey/:recordId',
      access,
      authorize: authorizeModel,
      tag,
      summary: 'One record',
      params: { recordId: PID },
      budget: 'lists',
      data: RECORD,
      async handle({ actor, granted: model, params }) {
        const record = await records.getById(actor, model, params.recordId);
        if (!record) throw notFound('There is no such record');
        return reply(record, { verbatim: true });
      },
    }),
  ];
}

/** The model of the page, as the page narrows it. @throws NOT_FOUND, FORBIDDEN */
function authorizeModel({ actor, params }: { readonly actor: Actor; readonly params: { readonly pageKey: string } }) {
  const model = modelOfPage(actor.metadata, params.pageKey);
  authorise(actor, permissionCode.recordRead(model.code));
  return model;
}
