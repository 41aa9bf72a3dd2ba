import { storable } from '../../foundation/validation/formats.ts';
import { type DataSources } from './datasources.service.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { parameters } from '../../foundation/http/read-request.ts';
import { withDefault, integer, list, MAP } from '../../foundation/validation/schema.ts';
import { authorise } from '../../platform/auth/requests/actor.ts';
import { isValid } from '../../foundation/validation/validate.ts';
import { reply } from '../../foundation/http/reply.ts';
import { DEFAULT_MAX_ITEMS, MAX_ITEMS } from './datasources.limits.ts';

const CODE = storable({ description: 'The code of the data source' });

/** Spec: "Endpoints", `/api/datasource/list`. */
export function dataSourceEndpoints(dataSources: DataSources): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/datasource/list',
      access: [permissionCode.dataSourceRead('{datasourceId}')],
      tag: 'Data sources',
      summary: 'The rows of a data source',
      query: parameters({ maxItems: withDefault(DEFAULT_MAX_ITEMS, integer(1, MAX_ITEMS)) }, { datasourceId: CODE }),
      data: list(MAP),
      errors: ['NOT_FOUND', 'CONFLICT', 'BAD_GATEWAY'],
      authorize({ actor, request }) {
        const { datasourceId } = request.query;
        // Without a valid code there is no permission to ask for: validation refuses the request.
        if (isValid(CODE, datasourceId)) authorise(actor, permissionCode.dataSourceRead(datasourceId));
      },
      handle: async ({ actor, query }) =>
        reply(await dataSources.rows(actor, query.datasourceId, query.maxItems), { verbatim: true }),
    }),
  ];
}
