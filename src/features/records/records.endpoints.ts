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
import { type RecordService } from './records.service.ts';
import { type TotalsCache } from './totals-cache.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import {
  countModeOf,
  queryOfBody,
  queryOfNames,
  ignoredHeader,
  splitNames,
  type RecordQuery,
} from './query/record-query.ts';
import { parseExpansions, relationNamed } from './query/expansion.ts';
import { DETAIL_QUERY, LIST_QUERY, QUERY_BODY } from './query/query-schema.ts';
import { parameters } from '../../foundation/http/read-request.ts';
import { hasVersion } from '../../foundation/http/etag.ts';
import { customReply, reply } from '../../foundation/http/reply.ts';
import { notFound } from '../../foundation/errors/application-error.ts';
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
export function recordEndpoints(records: RecordService, totals: TotalsCache, views: ViewsService): readonly Endpoint[] {
  return [
    listEndpoint(records, totals, views),
    queryEndpoint(records, views),
    detailEndpoint(records),
    relationEndpoint(records),
  ];
}

function listEndpoint(records: RecordService, totals: TotalsCache, views: ViewsService): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/dynamic/:pageKey/list',
    access,
    errors: ['CONFLICT'],
    authorize: authorizeModel,
    tag,
    summary: 'A page of records',
    description: 'Other names in the query are ignored, and named in the header `X-Ignored-Params`.',
    query: LIST_QUERY,
    budget: 'lists',
    data: LIST_RESULT,
    // The cached total travels with the session check: a list is one Redis and one SQL round trip.
    prefetch: ({ environment, tenantId, metadata }, { pageKey }, { query }) => {
      const model = metadata && findModelOfPage(metadata, pageKey);
      const { keyword, filters, viewId, extraParams } = query;
      // A view may have changed since the total was counted; params belong to one request.
      if (!metadata || !model || model.dependsOnActor || (viewId ?? extraParams) !== undefined) return null;
      if (countModeOf(query) === 'none') return null;
      const scope = { environment, tenantId, modelCode: model.code };
      const rules = model.rowRules.length > 0 ? pageKey : null;
      return totals.prefetch(scope, { metadataVersion: metadata.version, page: rules, keyword, filters });
    },
    async check({ actor, granted: model, params: { pageKey }, query: names }, errors) {
      const view = await views.findOfPage(actor, pageKey, names.viewId, errors);
      return queryOfNames(names, { pageKey, model, actor, view }, errors);
    },
    async handle({ actor, granted: model, checked: query, prefetched, request }) {
      const headers = { ...hintsOf(query), ...ignoredHeader(request.query) };
      return reply(await records.listChecked(actor, model.code, query, prefetched), { verbatim: true, headers });
    },
  });
}

function queryEndpoint(records: RecordService, views: ViewsService): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/api/dynamic/:pageKey/query',
    access,
    errors: ['CONFLICT'],
    authorize: authorizeModel,
    tag,
    summary: 'A page of records, asked for by a body',
    body: QUERY_BODY,
    budget: 'lists',
    data: LIST_RESULT,
    async check({ actor, granted: model, params: { pageKey }, body }, errors) {
      const view = await views.findOfPage(actor, pageKey, body.viewId, errors);
      return queryOfBody(body, { pageKey, model, actor, view }, errors);
    },
    async handle({ actor, granted: model, checked: query }) {
      return reply(await records.listChecked(actor, model.code, query), { verbatim: true, headers: hintsOf(query) });
    },
  });
}

function detailEndpoint(records: RecordService): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/dynamic/:pageKey/:recordId',
    access,
    errors: ['CONFLICT'],
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
    async handle({ actor, granted: model, params: { pageKey, recordId }, query: { expand = '' }, request }) {
      const record = await records.getById(actor, model.code, recordId, { pageKey, expand: splitNames(expand) });
      if (!record) throw notFound('There is no such record');
      // What a relation leads to may change while the record does not.
      if (record.expanded) return reply(record, { verbatim: true });
      const etag = `"${String(record.version)}"`;
      const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
      if (hasVersion(request, etag)) return customReply((response) => response.status(304).set(headers).end());
      return reply(record, { verbatim: true, headers });
    },
  });
}

const { viewId: _viewId, extraParams: _extraParams, ...RELATED_NAMES } = LIST_QUERY.properties;

function relationEndpoint(records: RecordService): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/dynamic/:pageKey/:recordId/relations/:name',
    access,
    errors: ['CONFLICT'],
    authorize: authorizeModel,
    tag,
    summary: 'The records at the other end of a relation',
    description: '`name` is a relation field, a many-to-many relation, or `<model>.<field>` of the other side.',
    params: { recordId: PID },
    query: parameters(RELATED_NAMES),
    budget: 'lists',
    data: LIST_RESULT,
    check({ actor, granted, params: { name }, query }, errors) {
      const model = relationNamed(name, granted, actor)?.model ?? null;
      return model && queryOfNames(query, { pageKey: null, model, actor }, errors);
    },
    async handle({ actor, granted: model, params: { pageKey, recordId, name }, checked: query }) {
      if (!query) throw notFound('There is no such relation');
      const found = await records.getRelationChecked(actor, model.code, recordId, name, query, pageKey);
      return reply(found, { verbatim: true });
    },
  });
}

/** Deep pages read all that is before them; a walk by cursor does not. */
function hintsOf({ cursor, pageNum, pageSize }: RecordQuery): Record<string, string> {
  return cursor === null && pageNum * pageSize > ROWS_BEFORE_CURSOR_HINT ? { 'X-Prefer': 'cursor' } : {};
}
