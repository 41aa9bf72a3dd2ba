import { forbidden, throwIfInvalid } from '../../../foundation/errors/application-error.ts';
import { object, PID, textUpTo } from '../../../foundation/validation/schema.ts';
import { validate } from '../../../foundation/validation/validate.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { missingToRestore } from '../../records/payload.ts';
import { visibleRecord } from '../../records/query/field-selection.ts';
import type { RecordCommand } from '../platform-command.ts';

/** Which record a command of the platform is about. */
export const RECORD_NAME = { modelCode: textUpTo(48), pid: PID };
const PAYLOAD = object(RECORD_NAME);

/** The record that a checked payload names. */
export function recordIn(payload: object): { readonly modelCode: string; readonly pid: string } {
  return payload as { readonly modelCode: string; readonly pid: string };
}

/** Brings a record back from the trash. */
export const RECORD_RESTORE: RecordCommand = {
  code: 'record:restore',
  permission: (payload) => permissionCode.recordRestore(recordIn(payload).modelCode),
  check: (payload) => throwIfInvalid(validate(PAYLOAD, payload)),
  async write(writer, { metadata, permissions }, payload) {
    const { modelCode, pid } = recordIn(payload);
    const model = metadata.model(modelCode);
    const missing = missingToRestore(model, permissions);
    if (missing !== null) throw forbidden(missing);
    const record = await writer.restore(model, pid);
    return { model, record, result: visibleRecord(model, record, permissions) };
  },
};
