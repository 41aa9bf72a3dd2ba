import { DAY_MS } from '../../../foundation/durations.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { firstPidAt } from '../../../foundation/database/pid.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { conflict, notFound, throwIfInvalid } from '../../../foundation/errors/application-error.ts';
import { object, textUpTo } from '../../../foundation/validation/schema.ts';
import { validate } from '../../../foundation/validation/validate.ts';
import { appendAudit } from '../../../platform/audit/audit-log.ts';
import { actorOf, type Actor } from '../../../platform/auth/requests/actor.ts';
import { eraseHistory } from '../../../platform/events/changes/change-log.ts';
import type { EventEraser } from '../../../platform/events/event-consequences.ts';
import { eraseBodies } from '../../../platform/events/outbox/outbox.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { forgetRecord } from '../../../platform/files/file-references.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { reachableRows } from '../../../platform/records/query/record-select.ts';
import { erasePayloads } from '../executions/execution-store.ts';
import type { OwnerCommand } from '../request/platform-command.ts';
import { RECORD_NAME, recordIn } from './record-name.ts';

const PAYLOAD = object(RECORD_NAME, { reason: textUpTo(500) });

/**
 * Erases a deleted record for good: its row, its history, its files where no other record names them, what
 * commands were given and answered about it, and the bodies of its events. The audit trail keeps who did so
 * and why, and nothing of the record.
 * @param payloadDays how long executions keep their payloads; 0: for ever
 */
export function purgeCommand(
  snapshots: SnapshotCache,
  erasers: readonly EventEraser[],
  payloadDays: number,
): OwnerCommand {
  return {
    code: 'record:purge',
    permission: (payload) => permissionCode.recordPurge(recordIn(payload).modelCode),
    check: (payload) => throwIfInvalid(validate(PAYLOAD, payload)),
    async perform(em, execution) {
      const { environment, tenantId, payload, userPid, username } = execution;
      const { modelCode, pid } = recordIn(payload);
      const actor = actorOf(execution, await snapshots.at(environment, String(execution.metadataVersion)));
      const runner = sqlRunnerOf(em);
      await deleteRow(runner, actor, actor.metadata.model(modelCode), pid);
      await forgetRecord(runner, { tenantId, environment }, modelCode, pid);
      const executions = await eraseHistory(runner, { environment, tenantId, modelCode, recordPid: pid });
      const first = payloadDays === 0 ? '' : firstPidAt(new Date(Date.now() - (payloadDays + 1) * DAY_MS));
      await erasePayloads(runner, { environment, tenantId, targetRecordId: pid }, executions, first);
      const events = await eraseBodies(runner, { environment, tenantId, recordPid: pid }, executions);
      for (const erase of erasers) await erase(runner, events);
      const reason = (payload.reason as string | undefined) ?? null;
      const target = { targetType: 'record', targetPid: pid, environment, reason, after: { modelCode } } as const;
      await appendAudit(em, { actor: { userPid, username }, action: 'record.purge', ...target });
      return { pid };
    },
    announce: async () => undefined,
  };
}

/** A record that is there has to be deleted first: what refers to it has a say in that. */
async function deleteRow(runner: SqlRunner, actor: Actor, model: Model, pid: string): Promise<void> {
  const parameters = new Parameters();
  const where = [...reachableRows(model, actor, parameters), `t.pid = ${parameters.add(pid)}`].join(' and ');
  const [row] = await runner.query<{ isDeleted: boolean }>(
    `select t.deleted_at is not null as is_deleted from ${model.table} t where ${where} for update`,
    parameters.values,
  );
  if (!row) throw notFound('There is no such record');
  if (!row.isDeleted) throw conflict('STATE', 'The record is not in the trash: delete it first');
  await runner.query(`delete from ${model.table} where tenant_id = $1 and pid = $2`, [actor.tenantId, pid]);
}
