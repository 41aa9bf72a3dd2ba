import { storable } from '../../foundation/validation/formats.ts';
import { type DataSources } from './datasources.service.ts';
import { type Endpoint, endpoint, SIGNED_IN } from '../../platform/auth/requests/endpoint.ts';
import { FIELD_TYPE_NAMES } from '../../platform/metadata/field-types/field-types.ts';
import { ADMIN_METADATA, permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { PAGING_QUERY, pageOf } from '../../foundation/http/paging.ts';
import {
  withDefault,
  described,
  integer,
  list,
  MAP,
  nullable,
  object,
  oneOf,
  text,
  parameters,
} from '../../foundation/validation/schema.ts';
import { authorize } from '../../platform/auth/requests/actor.ts';
import { isValid } from '../../foundation/validation/validate.ts';
import { reply } from '../../foundation/http/reply.ts';
import { languageOf } from '../../foundation/http/language.ts';
import { JSON_TEXT } from '../../platform/records/query/query-schema.ts';
import { DATASOURCE } from './datasource-type.ts';
import type { DataSourceTester } from './datasource-tester.ts';
import { DATA_SOURCE_KINDS, paramsOf } from './kinds/kinds.ts';
import { checkParams } from './params/params.ts';
import { DEFAULT_MAX_ITEMS, MAX_ITEMS, MAX_TEST_BYTES } from './datasources.limits.ts';

const CODE = storable({ description: 'The code of the data source' });

const COLUMN = object({
  name: text(),
  type: described('Null: it is not known', nullable(oneOf(FIELD_TYPE_NAMES))),
});
const ENTRY = object(
  {
    code: text(),
    name: text(),
    kind: oneOf(DATA_SOURCE_KINDS),
    paramsSchema: described('JSON Schema of `params`', MAP),
    columns: described('Null: only the rows can tell', nullable(list(COLUMN))),
  },
  { missingPermission: described('What the caller lacks: a field in it is hidden', text()) },
);

/** Spec: "Endpoints", `/api/datasource/list`. */
export function dataSourceEndpoints(dataSources: DataSources, tester: DataSourceTester): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/datasource/catalogue',
      access: SIGNED_IN,
      tag: 'Data sources',
      summary: 'The data sources that the caller may read, with params and columns',
      query: parameters(PAGING_QUERY),
      data: pageOf(ENTRY),
      handle: ({ actor, query, request }) => dataSources.catalogue(actor, languageOf(request), query),
    }),
    testEndpoint(tester),
    endpoint({
      method: 'GET',
      path: '/api/datasource/list',
      access: [permissionCode.dataSourceRead('{datasourceId}')],
      tag: 'Data sources',
      summary: 'The rows of a data source',
      description: 'Rows from a cache carry `X-Data-Age`: how many seconds ago the other service answered them.',
      query: parameters(
        {
          maxItems: withDefault(DEFAULT_MAX_ITEMS, integer(1, MAX_ITEMS)),
          params: described('A JSON object: values of the params that the data source declares', JSON_TEXT),
        },
        { datasourceId: CODE },
      ),
      data: list(MAP),
      errors: ['NOT_FOUND', 'CONFLICT', 'BAD_GATEWAY'],
      authorize({ actor, request }) {
        const { datasourceId } = request.query;
        // Without a valid code there is no permission to ask for: validation refuses the request.
        if (isValid(CODE, datasourceId)) authorize(actor, permissionCode.dataSourceRead(datasourceId));
      },
      check({ actor, query: { datasourceId = '', params } }, errors) {
        const source = actor.metadata.find(DATASOURCE, datasourceId);
        const given = params === undefined ? {} : objectIn(params);
        if (given === null) errors.params = 'must be a JSON object';
        else if (source) checkParams(paramsOf(source), given, errors);
      },
      async handle({ actor, query: { datasourceId, maxItems, params: given = '{}' }, request }) {
        const params = objectIn(given) ?? {};
        const wanted = { actor, params, maxItems, language: languageOf(request) };
        const { rows, ageSeconds } = await dataSources.rows(datasourceId, wanted);
        return reply(rows, {
          verbatim: true,
          ...(ageSeconds !== null && { headers: { 'X-Data-Age': `${ageSeconds}` } }),
        });
      },
    }),
  ];
}

function testEndpoint(tester: DataSourceTester): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/api/datasource/test',
    access: [ADMIN_METADATA],
    tag: 'Data sources',
    summary: 'The rows of a data source that is not saved',
    description:
      'Its content is checked as a save would. It runs with the rights of the caller, and is noted in the audit trail.',
    body: object({ content: MAP }, { params: MAP, maxItems: integer(1, MAX_ITEMS) }),
    maxBodyBytes: MAX_TEST_BYTES,
    data: object({
      rows: list(MAP),
      columns: list(COLUMN),
      warnings: list(object({ path: text(), message: text() })),
      durationMs: integer(0),
    }),
    errors: ['CONFLICT', 'BAD_GATEWAY', 'PAYLOAD_TOO_LARGE'],
    async check({ actor, body: { content } }, errors) {
      if (content) await tester.check(content, actor.metadata, errors);
    },
    handle: ({ actor, body: { content, params = {}, maxItems = DEFAULT_MAX_ITEMS }, request }) =>
      tester.test(content, { actor, params, maxItems, language: languageOf(request) }),
  });
}

/** The object in a JSON text; null for another value. */
function objectIn(json: string): Record<string, unknown> | null {
  const value = JSON.parse(json) as unknown;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : null;
}
