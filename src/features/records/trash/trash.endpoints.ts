import type { Database } from '../../../foundation/database/pool.ts';
import { PAGING_QUERY, pageOf } from '../../../foundation/http/paging.ts';
import { parameters } from '../../../foundation/http/read-request.ts';
import { reply } from '../../../foundation/http/reply.ts';
import { named, openObject, PID, text, TIME } from '../../../foundation/validation/schema.ts';
import { type Endpoint, endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { authorizeModel } from '../pages/page-model.ts';
import { listTrash } from './trash.ts';

const DELETED_RECORD = named(
  'DeletedRecord',
  openObject({ id: text(), pid: PID, deleted_at: TIME, deleted_by: text() }),
);

/** What was deleted and can be restored. */
export function trashEndpoints(database: Database): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/dynamic/:pageKey/trash',
      access: [permissionCode.recordRead('{modelCode}')],
      errors: ['CONFLICT'],
      authorize: authorizeModel,
      tag: 'Records',
      summary: 'Deleted records, the last one first',
      description: '`record:restore` brings one back, `record:purge` erases it for good.',
      query: parameters(PAGING_QUERY),
      budget: 'lists',
      data: pageOf(DELETED_RECORD),
      handle: async ({ actor, granted: model, query }) =>
        reply(await listTrash(database, actor, model, query), { verbatim: true }),
    }),
  ];
}
