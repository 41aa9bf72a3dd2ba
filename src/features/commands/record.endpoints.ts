import {
  BOOLEAN,
  list,
  nullable,
  object,
  PID,
  text,
  ANYTHING,
  BIG_ID,
  described,
  integer,
  mapOf,
  named,
  oneOf,
  TIME,
  parameters,
} from '../../foundation/validation/schema.ts';
import { endpoint, type Endpoint } from '../../platform/auth/requests/endpoint.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { authorizeModel } from '../../platform/records/pages/page-model.ts';
import type { RecordService } from '../records/service/records.service.ts';
import { commandsForRecord } from './intake/record-commands.ts';
import type { Database } from '../../foundation/database/pool.ts';
import { PAGING_QUERY } from '../../foundation/http/paging.ts';
import { reply } from '../../foundation/http/reply.ts';
import { CHANGE_ACTIONS } from '../../platform/events/changes/change.entity.ts';
import { recordHistory } from './record-commands/record-history.ts';
import type { RecordStreams } from './record-commands/record-streams.ts';
import { streamEndpoint } from '../../platform/streams/stream-endpoint.ts';
import type { Streams } from '../../platform/streams/streams.ts';

const RECORD_COMMAND = object({ code: text(), name: text(), allowed: BOOLEAN, reason: nullable(text()) });

/** The commands that are possible for a record. */
export function recordCommandEndpoints(records: RecordService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/dynamic/:pageKey/:recordId/commands',
      access: [permissionCode.recordRead('{modelCode}')],
      authorize: authorizeModel,
      tag: 'Records',
      summary: 'The commands that the caller may execute on a record, and whether its state allows them',
      params: { recordId: PID },
      data: list(RECORD_COMMAND),
      handle: ({ actor, granted: model, params: { pageKey, recordId } }) =>
        commandsForRecord(records, actor, model, recordId, pageKey),
    }),
  ];
}

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

/** A record while it changes. */
export function recordStreamEndpoints(streams: Streams, recordStreams: RecordStreams): readonly Endpoint[] {
  return [
    streamEndpoint(streams, {
      path: '/api/dynamic/:pageKey/:recordId/stream',
      access: [permissionCode.recordRead('{modelCode}')],
      authorize(context) {
        authorizeModel(context);
        return undefined;
      },
      tag: 'Records',
      summary: 'A record, live: an event `record` for each of its versions',
      description: '`{version, at, actor, action}`, without values: read the record for those.',
      params: { recordId: PID },
      open: ({ actor, params: { pageKey, recordId } }) =>
        recordStreams.open(actor, (reader) => authorizeModel({ actor: reader, params: { pageKey } }), recordId),
    }),
  ];
}
