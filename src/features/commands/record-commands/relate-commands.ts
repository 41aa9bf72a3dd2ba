import { throwIfInvalid } from '../../../foundation/errors/application-error.ts';
import { object, PID, textUpTo, VERSION } from '../../../foundation/validation/schema.ts';
import { validate } from '../../../foundation/validation/validate.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { RecordOperations, type RelationInput } from '../../../platform/records/operations/record-operations.ts';
import type { RecordCommand } from '../request/platform-command.ts';
import { RECORD_NAME, recordIn } from './record-name.ts';

const RELATION_PAYLOAD = object({ ...RECORD_NAME, name: textUpTo(100), related: PID }, { expectedVersion: VERSION });

/**
 * Relates two records, or ends that. Takes the right to write the record with the field, or the join record.
 */
function relationCommand(code: string, method: 'relate' | 'unrelate'): RecordCommand {
  return {
    code,
    permission: (payload) => permissionCode.recordRead(recordIn(payload).modelCode),
    check: (payload) => throwIfInvalid(validate(RELATION_PAYLOAD, payload)),
    async write(writer, actor, payload) {
      const relation = payload as unknown as RelationInput;
      const { model, record } = await new RecordOperations(writer, actor)[method](
        recordIn(payload).modelCode,
        relation,
      );
      return { model, record, result: record };
    },
  };
}

export const RECORD_RELATE = relationCommand('record:relate', 'relate');
export const RECORD_UNRELATE = relationCommand('record:unrelate', 'unrelate');
