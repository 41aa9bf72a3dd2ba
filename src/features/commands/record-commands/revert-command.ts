import {
  ApplicationError,
  conflict,
  throwIfInvalid,
  type FieldErrors,
} from '../../../foundation/errors/application-error.ts';
import type { ErrorCode } from '../../../foundation/errors/catalogue.ts';
import { object, VERSION } from '../../../foundation/validation/schema.ts';
import { validate } from '../../../foundation/validation/validate.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { historyOf, type HistoryLine } from '../../../platform/events/changes/change-log.ts';
import { isWritable, type Model } from '../../../platform/metadata/models/model.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { checkUpdate, requireVersion } from '../../../platform/records/writing/payload.ts';
import { isReadable, visibleRecord } from '../../../platform/records/field-selection.ts';
import type { RecordData } from '../../../platform/records/reader/record-reader.ts';
import type { RecordWriter } from '../../../platform/records/writing/record-writer.ts';
import { MAX_REVERTED_CHANGES } from '../commands.limits.ts';
import type { RecordCommand } from '../request/platform-command.ts';
import { RECORD_NAME, recordIn } from './record-name.ts';

const PAYLOAD = object({ ...RECORD_NAME, version: VERSION }, { expectedVersion: VERSION });

/** A field that keeps its present value: it is gone, the caller may not write it, or its value is refused. */
interface SkippedField {
  readonly field: string;
  readonly code: ErrorCode;
}

/** Gives a record the values that it had at an earlier version, as far as they can be written today. */
export const RECORD_REVERT: RecordCommand = {
  code: 'record:revert',
  permission: (payload) => permissionCode.recordWrite(recordIn(payload).modelCode),
  check: (payload) => throwIfInvalid(validate(PAYLOAD, payload)),
  async write(writer, actor, payload, transaction) {
    const { modelCode, pid } = recordIn(payload);
    const { version, expectedVersion = null } = payload as { version: number; expectedVersion?: number | null };
    const model = actor.metadata.model(modelCode);
    requireVersion(model, expectedVersion);
    const before = await writer.lock(model, pid, expectedVersion);
    const { environment } = actor.metadata;
    const steps = Number(before.version) - version;
    if (steps < 0) throw conflict('VERSION', 'The record has no such version yet', { version: before.version });
    if (steps > MAX_REVERTED_CHANGES) throw tooOld();
    const record = { environment, tenantId: actor.tenantId, modelCode, recordPid: pid };
    const lines = steps === 0 ? [] : await historyOf(transaction, record, null, steps);
    // Each change is one version. What is missing is forgotten.
    if (lines.length < steps) throw tooOld();
    const { after, skipped } = await revert(writer, actor, model, before, earlierValues(lines, before));
    return {
      model,
      record: before,
      result: { record: visibleRecord(model, after, actor.permissions), skipped },
    };
  },
};

/** The fields whose values were others before these changes, the newest of which comes first. */
function earlierValues(lines: readonly HistoryLine[], now: RecordData): Map<string, unknown> {
  const values = new Map(lines.flatMap(({ before }) => Object.entries(before ?? {})));
  return new Map([...values].filter(([code, value]) => JSON.stringify(value) !== JSON.stringify(now[code] ?? null)));
}

/**
 * Writes what can be written, and says what cannot. Of fields that the actor may not read nothing is said.
 */
async function revert(
  writer: RecordWriter,
  actor: Actor,
  model: Model,
  before: RecordData,
  earlier: ReadonlyMap<string, unknown>,
): Promise<{ readonly after: RecordData; readonly skipped: readonly SkippedField[] }> {
  const { permissions } = actor;
  const skipped: SkippedField[] = [];
  const payload: Record<string, unknown> = {};
  for (const [code, value] of earlier) {
    const field = model.fields.get(code);
    if (!field) skipped.push({ field: code, code: 'NOT_FOUND' });
    // What the platform makes follows from the other values, or stays.
    else if (!isWritable(field) || !isReadable(field, permissions)) continue;
    else if (field.writePermission && !permissions.has(field.writePermission)) {
      skipped.push({ field: code, code: 'FORBIDDEN' });
    } else payload[code] = value;
  }
  const problems: FieldErrors = {};
  const values = new Map(checkUpdate(model, permissions, payload, problems));
  for (const field of Object.keys(problems)) skipped.push({ field, code: 'VALIDATION_ERROR' });
  while (values.size > 0) {
    try {
      return { after: await writer.attempt(() => writer.update(model, before, values, { rowRules: true })), skipped };
    } catch (error) {
      const refused = refusedBy(error).filter(({ field }) => values.delete(field));
      if (refused.length === 0) throw error;
      skipped.push(...refused);
    }
  }
  return { after: before, skipped };
}

/** The fields whose values a refused write names. */
function refusedBy(error: unknown): SkippedField[] {
  if (!(error instanceof ApplicationError) || (error.code !== 'VALIDATION_ERROR' && error.code !== 'CONFLICT'))
    return [];
  const { code, data } = error;
  const { fieldErrors = {}, field } = (data ?? {}) as { readonly fieldErrors?: FieldErrors; readonly field?: string };
  const fields = [...Object.keys(fieldErrors), ...(field === undefined ? [] : [field])];
  return fields.map((each) => ({ field: each, code }));
}

function tooOld(): ApplicationError {
  return conflict('HISTORY', 'What the record was then is forgotten');
}
