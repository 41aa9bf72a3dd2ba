import { forbidden, throwIfInvalid } from '../../../foundation/errors/application-error.ts';
import { object } from '../../../foundation/validation/schema.ts';
import { validate } from '../../../foundation/validation/validate.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { missingToRestore } from '../../../platform/records/writing/payload.ts';
import { visibleRecord } from '../../../platform/records/field-selection.ts';
import type { RecordCommand } from '../request/platform-command.ts';
import { RECORD_NAME, recordIn } from './record-name.ts';

const PAYLOAD = object(RECORD_NAME);

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
