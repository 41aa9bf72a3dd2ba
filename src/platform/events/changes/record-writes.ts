import { toRecordset } from '../../../foundation/database/columns.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { currentTraceId, newTraceId } from '../../../foundation/logging/trace.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import { changeInsert, type RecordChange } from './change-log.ts';
import { toLoggedChanges } from './record-events.ts';
import { eventInsert } from '../outbox/outbox.ts';

const INSERT = `with origin as (
  select $1::text as environment, $2::bigint as tenant_id, $3::text as user_pid, null::text as pid
), changed as (${changeInsert('origin', '$4')})
${eventInsert(
  {
    pid: '$5::text',
    environment: 'environment',
    tenantId: 'tenant_id',
    eventType: '$6::text',
    commandCode: '$6::text',
    modelCode: '$7::text',
    recordPid: '$8::text',
    changeIds: 'array(select id from changed order by id)',
    body: '$9::text',
    origins: `'{"result":{}}'::json`,
    traceId: '$10::text',
  },
  'origin',
)}`;

/**
 * Writes the change log of what no command has changed, and one event for each model, from which
 * `record.*` events follow as from that of a command. Part of the transaction of the changes, which has the
 * tenant.
 * @param operation what was done, such as `record:create`: type of the events, and their `commandCode`
 * @returns the codes of the models
 */
export async function recordWrites(
  transaction: SqlRunner,
  { metadata: { environment }, tenantId, userPid }: Actor,
  operation: string,
  changes: readonly RecordChange[],
): Promise<readonly string[]> {
  const byModel = Map.groupBy(changes, ({ modelCode }) => modelCode);
  const traceId = currentTraceId() ?? newTraceId();
  await Promise.all(
    [...byModel].map(([modelCode, own]) => {
      const recordPid = own.length === 1 ? (own[0]?.recordPid ?? null) : null;
      // No part of the body is a record: `record.*` events take what the change log says.
      const result = recordPid === null ? { count: own.length } : { pid: recordPid };
      const body = JSON.stringify({ commandCode: operation, modelCode, payload: {}, result });
      const event = [newPid(), operation, modelCode, recordPid, body, traceId];
      return transaction.query(INSERT, [
        environment,
        tenantId,
        userPid,
        toRecordset(toLoggedChanges(own, null, {})),
        ...event,
      ]);
    }),
  );
  return [...byModel.keys()];
}
