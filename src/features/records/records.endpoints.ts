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
  parameters,
} from '../../foundation/validation/schema.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import type { RecordReader } from '../../platform/records/reader/record-reader.ts';
import type { TotalsCache } from '../../platform/records/totals-cache.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import {
  countModeOf,
  queryOfBody,
  queryOfNames,
  splitNames,
  type RecordQuery,
} from '../../platform/records/query/record-query.ts';
import { parseExpansions, relationNamed } from '../../platform/records/query/expansion.ts';
import { DETAIL_QUERY, LIST_QUERY, QUERY_BODY } from '../../platform/records/query/query-schema.ts';
import { hasVersion, customReply, reply } from '../../foundation/http/reply.ts';
import { notFound } from '../../foundation/errors/application-error.ts';
import type { ViewsService } from './views/views.service.ts';
import { ROWS_BEFORE_CURSOR_HINT } from '../../platform/records/records.limits.ts';
import { authorizeModel, findModelOfPage } from '../../platform/records/pages/page-model.ts';

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
export function recordEndpoints(reader: RecordReader, totals: TotalsCache, views: ViewsService): readonly Endpoint[] {
  return [
    listEndpoint(reader, totals, views),
    queryEndpoint(reader, views),
    detailEndpoint(reader),
    relationEndpoint(reader),
  ];
}

function listEndpoint(reader: RecordReader, totals: TotalsCache, views: ViewsService): Endpoint {
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
      return reader.open(queryOfNames(names, { pageKey, model, actor, view }, errors), errors);
    },
    async handle({ checked: query, prefetched }) {
      return reply(await reader.list(query, prefetched), { verbatim: true, headers: hintsOf(query) });
    },
  });
}

function queryEndpoint(reader: RecordReader, views: ViewsService): Endpoint {
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
      return reader.open(queryOfBody(body, { pageKey, model, actor, view }, errors), errors);
    },
    async handle({ checked: query }) {
      return reply(await reader.list(query), { verbatim: true, headers: hintsOf(query) });
    },
  });
}

function detailEndpoint(reader: RecordReader): Endpoint {
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
      parseExpansions(splitNames(expand), model, actor, errors),
    async handle({ actor, granted: model, params: { recordId }, checked: expansions, request }) {
      const record = await reader.getById(actor, model, recordId, expansions);
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

function relationEndpoint(reader: RecordReader): Endpoint {
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
      const relation = relationNamed(name, granted, actor);
      const { model = null } = relation ?? {};
      return relation && model && { relation, query: queryOfNames(query, { pageKey: null, model, actor }, errors) };
    },
    async handle({ actor, granted: model, params: { recordId }, checked }) {
      if (!checked) throw notFound('There is no such relation');
      const { relation, query } = checked;
      return reply(await reader.related(actor, model, recordId, relation, query), { verbatim: true });
    },
  });
}

/** Deep pages read all that is before them; a walk by cursor does not. */
function hintsOf({ cursor, pageNum, pageSize }: RecordQuery): Record<string, string> {
  return cursor === null && pageNum * pageSize > ROWS_BEFORE_CURSOR_HINT ? { 'X-Prefer': 'cursor' } : {};
}
