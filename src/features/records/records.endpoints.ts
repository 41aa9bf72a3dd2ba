import {
  named,
  text,
  PID,
  object,
  list,
  nullable,
  integer,
  described,
  oneOf,
  openObject,
} from '../../foundation/validation/schema.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { type RecordsService } from './records.service.ts';
import { type TotalsCache } from './totals-cache.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { queryOfBody, queryOfNames, ignoredNames, splitNames, type RecordQuery } from './query/record-query.ts';
import { parseExpansions } from './query/expansion.ts';
import { DETAIL_QUERY, LIST_QUERY, QUERY_BODY } from './query/query-schema.ts';
import { hasVersion } from '../../foundation/http/etag.ts';
import { customReply, reply } from '../../foundation/http/reply.ts';
import {
  notFound,
  throwIfInvalid,
  validationError,
  type FieldErrors,
} from '../../foundation/errors/application-error.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { ViewsService } from './views/views.service.ts';
import { ROWS_BEFORE_CURSOR_HINT } from './records.limits.ts';
import { authorizeModel, findModelOfPage } from './pages/page-model.ts';

const tag = 'Records';
const RECORD = named(
  'Record',
  described("The fields of the page's model that the caller may read, by code", openObject({ id: text(), pid: PID })),
);
const LIST_RESULT = named(
  'RecordList',
  object(
    {
      records: list(RECORD),
      total: described('Null for `count=none`', nullable(integer(0))),
      pageNum: described('Null after a cursor', nullable(integer(1))),
      pageSize: integer(1),
      nextCursor: described('The `cursor` of the next page; null at the end', nullable(text())),
    },
    { totalRelation: described('For `count=capped`: `gte` where there are more than `total`', oneOf(['eq', 'gte'])) },
  ),
);
const access = [permissionCode.recordRead('{modelCode}')];

/** Spec: "Endpoints", dynamic list and detail. */
export function recordEndpoints(
  records: RecordsService,
  totals: TotalsCache,
  views: ViewsService,
): readonly Endpoint[] {
  return [listEndpoint(records, totals, views), queryEndpoint(records, views), detailEndpoint(records)];
}

function listEndpoint(records: RecordsService, totals: TotalsCache, views: ViewsService): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/dynamic/:pageKey/list',
    access,
    authorize: authorizeModel,
    tag,
    summary: 'A page of records',
    description: 'Other names in the query are ignored, and named in the header `X-Ignored-Params`.',
    query: LIST_QUERY,
    budget: 'lists',
    data: LIST_RESULT,
    // The cached total travels with the session check: a list is one Redis and one SQL round trip.
    prefetch: ({ environment, tenantId, metadata }, { pageKey }, { query: { keyword, filters, viewId } }) => {
      const model = metadata && findModelOfPage(metadata, pageKey);
      // A view may have changed since the total was counted.
      if (!metadata || !model || model.dependsOnActor || viewId !== undefined) return null;
      const scope = { environment, tenantId, modelCode: model.code };
      const rules = model.rowRules.length > 0 ? pageKey : null;
      return totals.prefetch(scope, { metadataVersion: metadata.version, page: rules, keyword, filters });
    },
    check: ({ actor, granted: model, params: { pageKey }, query }, errors) =>
      void queryOfNames(query, { pageKey, model, actor }, errors),
    async handle({ actor, granted: model, params: { pageKey }, query: names, prefetched, request }) {
      const view = await findView(views, actor, pageKey, names.viewId);
      const query = checked((errors) => queryOfNames(names, { pageKey, model, actor, view }, errors));
      const ignored = ignoredNames(request.query);
      const headers = { ...hintsOf(query), ...(ignored.length > 0 && ignoredHeader(ignored)) };
      return reply(await records.list(actor, model, query, prefetched), { verbatim: true, headers });
    },
  });
}

function queryEndpoint(records: RecordsService, views: ViewsService): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/api/dynamic/:pageKey/query',
    access,
    authorize: authorizeModel,
    tag,
    summary: 'A page of records, asked for by a body',
    body: QUERY_BODY,
    budget: 'lists',
    data: LIST_RESULT,
    check: ({ actor, granted: model, params: { pageKey }, body }, errors) =>
      void queryOfBody(body, { pageKey, model, actor }, errors),
    async handle({ actor, granted: model, params: { pageKey }, body }) {
      const view = await findView(views, actor, pageKey, body.viewId);
      const query = checked((errors) => queryOfBody(body, { pageKey, model, actor, view }, errors));
      return reply(await records.list(actor, model, query), { verbatim: true, headers: hintsOf(query) });
    },
  });
}

function detailEndpoint(records: RecordsService): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/dynamic/:pageKey/:recordId',
    access,
    authorize: authorizeModel,
    tag,
    summary: 'One record',
    description: 'The ETag is its version: `If-None-Match` saves reading it again, `If-Match` guards a change.',
    params: { recordId: PID },
    query: DETAIL_QUERY,
    budget: 'lists',
    data: RECORD,
    check: ({ actor, granted: model, query: { expand = '' } }, errors) =>
      void parseExpansions(splitNames(expand), model, actor, errors),
    async handle({ actor, granted: model, params, query: { expand = '' }, request }) {
      const expansions = parseExpansions(splitNames(expand), model, actor, {});
      const record = await records.getById(actor, model, params.recordId, expansions);
      if (!record) throw notFound('There is no such record');
      // What a relation leads to may change while the record does not.
      if (expansions.length > 0) return reply(record, { verbatim: true });
      const etag = `"${String(record.version)}"`;
      const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
      if (hasVersion(request, etag)) return customReply((response) => response.status(304).set(headers).end());
      return reply(record, { verbatim: true, headers });
    },
  });
}

/** @throws VALIDATION_ERROR for one that is not there, of another page, or asks for more than the caller may */
async function findView(views: ViewsService, actor: Actor, pageKey: string, pid: string | undefined) {
  if (pid === undefined) return null;
  const view = await views.find(actor, pid);
  if (view?.pageKey !== pageKey) throw validationError({ viewId: 'There is no such view' });
  return view;
}

/** What a check reads. @throws VALIDATION_ERROR with all that it finds */
function checked<T>(check: (errors: FieldErrors) => T): T {
  const errors: FieldErrors = {};
  const read = check(errors);
  throwIfInvalid(errors);
  return read;
}

function ignoredHeader(names: readonly string[]): Record<string, string> {
  return { 'X-Ignored-Params': names.map(encodeURIComponent).join(', ') };
}

/** Deep pages read all that is before them; a walk by cursor does not. */
function hintsOf({ cursor, pageNum, pageSize }: RecordQuery): Record<string, string> {
  return cursor === null && pageNum * pageSize > ROWS_BEFORE_CURSOR_HINT ? { 'X-Prefer': 'cursor' } : {};
}
