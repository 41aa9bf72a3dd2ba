import type { Database } from '../../../foundation/database/pool.ts';
import { PAGING_QUERY } from '../../../foundation/http/paging.ts';
import { parameters } from '../../../foundation/http/read-request.ts';
import { reply } from '../../../foundation/http/reply.ts';
import {
  ANYTHING,
  BIG_ID,
  described,
  integer,
  list,
  mapOf,
  named,
  nullable,
  object,
  oneOf,
  PID,
  text,
  TIME,
} from '../../../foundation/validation/schema.ts';
import { type Endpoint, endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { CHANGE_ACTIONS } from '../../../platform/events/changes/change.entity.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { authorizeModel } from '../../records/pages/page-model.ts';
import { recordHistory } from './record-history.ts';

const ENTRY = named(
  'HistoryEntry',
  object({
    at: TIME,
    version: described('Of the record, afterwards', integer(1)),
    actor: object({ userPid: text(), username: nullable(text()) }),
    action: oneOf(CHANGE_ACTIONS),
    commandCode: nullable(text()),
    executionPid: nullable(PID),
    traceId: nullable(text()),
    changes: mapOf(object({ from: ANYTHING, to: ANYTHING })),
  }),
);

/** What was done to a record, by whom and with which command. */
export function recordHistoryEndpoints(database: Database): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/dynamic/:pageKey/:recordId/history',
      access: [permissionCode.recordRead('{modelCode}')],
      errors: ['CONFLICT'],
      authorize: authorizeModel,
      tag: 'Records',
      summary: 'The changes of a record, the newest first',
      description: 'Fields that the caller may not read are left out. Deleted records keep their history.',
      params: { recordId: PID },
      query: parameters({ pageSize: PAGING_QUERY.pageSize, cursor: BIG_ID }),
      budget: 'lists',
      data: object({ records: list(ENTRY), nextCursor: nullable(text()) }),
      async handle({ actor, granted: model, params: { recordId }, query: { pageSize, cursor = null } }) {
        const page = { pageSize, cursor };
        return reply(await recordHistory(database, actor, model, recordId, page), { verbatim: true });
      },
    }),
  ];
}
