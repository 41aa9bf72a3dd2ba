import { BOOLEAN, list, nullable, object, PID, text } from '../../foundation/validation/schema.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { authorizeModel } from '../records/pages/page-model.ts';
import type { RecordService } from '../records/records.service.ts';
import { commandsForRecord } from './record-commands.ts';

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
