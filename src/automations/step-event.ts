import type { SqlRunner } from '../database/pool.ts';
import type { RunRow } from './run-store.ts';
import type { StepEvent } from './step-outcome.ts';

/** Puts an event of a run into the outbox: the relay hands it to webhooks and automations like any other. */
export async function insertStepEvent(
  transaction: SqlRunner,
  { environment, tenant_id: tenantId, trace_id: traceId }: RunRow,
  pid: string,
  { eventType, body }: StepEvent,
): Promise<void> {
  await transaction.query(
    `insert into platform.event (pid, environment, tenant_id, event_type, command_code, model_code, body, trace_id)
     values ($1, $2, $3, $4, $4, '', $5, $6)`,
    [pid, environment, tenantId, eventType, body, traceId],
  );
}
