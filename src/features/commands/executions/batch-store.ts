import { columnList, toRecordset } from '../../../foundation/database/columns.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import type { StoredError } from '../../../foundation/errors/failure.ts';
import { NEW_EXECUTION, STATE_OF_EXECUTION, type ExecutionRow, type NewExecution } from './execution-store.ts';

/** The columns of an execution that differ between the items of a batch. */
export const OF_ITEM = [
  'pid',
  'operation',
  'targetRecordId',
  'expectedVersion',
  'matchOn',
  'payload',
  'idempotencyKey',
  'requestHash',
] as const;
const OF_BATCH = NEW_EXECUTION.filter((property) => !OF_ITEM.some((each) => each === property));

/** An item that gets an execution; the rest of it is as its batch says. */
export type NewItem = Pick<NewExecution, (typeof OF_ITEM)[number]> & { readonly batchIndex: number };

const INSERT = `with batch as (
  insert into platform.command_execution (${columnList(NEW_EXECUTION)}, batch_pid, status)
  select ${columnList(NEW_EXECUTION)}, pid, 'RECEIVED' from json_populate_recordset(null::platform.command_execution, $1::json)
  on conflict (environment, tenant_id, user_id, command_code, idempotency_key) where idempotency_key is not null do nothing
  returning *
), items as (
  insert into platform.command_execution (${columnList([...OF_ITEM, ...OF_BATCH])}, batch_pid, batch_index, status)
  select ${columnList(OF_ITEM, 'i')}, ${columnList(OF_BATCH, 'b')}, b.pid, i.batch_index, 'RECEIVED'
  from batch b, json_populate_recordset(null::platform.command_execution, $2::json) i
)
select pid from batch`;

/**
 * Claims the key of a batch and stores it with its items. False when another execution holds the key.
 * @throws the driver's error when another execution holds the key of an item
 */
export async function insertBatch(runner: SqlRunner, batch: NewExecution, items: readonly NewItem[]): Promise<boolean> {
  const inserted = await runner.query(INSERT, [toRecordset([batch]), toRecordset(items)]);
  return inserted.length === 1;
}

/** An execution of a batch; its result only as far as the batch has room for it. */
export type ExecutionOfBatch = Omit<ExecutionRow, 'result'> & {
  readonly result?: unknown;
  /** Whether the result is left out. */
  readonly isCut?: boolean;
};

const ALL_BUT_RESULT = columnList([...NEW_EXECUTION, ...STATE_OF_EXECUTION]);

/** A batch and its items without their results, in their order. */
export function findBatch(runner: SqlRunner, pid: string): Promise<ExecutionOfBatch[]> {
  return runner.query<ExecutionOfBatch>(
    `select ${ALL_BUT_RESULT} from platform.command_execution where batch_pid = $1 order by batch_index nulls first`,
    [pid],
  );
}

/** The same with the results of the first items, up to `maxBytes` in all. */
export function findBatchResults(runner: SqlRunner, pid: string, maxBytes: number): Promise<ExecutionOfBatch[]> {
  return runner.query<ExecutionOfBatch>(
    `select ${ALL_BUT_RESULT}, case when bytes <= $2 then result end as result, bytes > $2 and length > 0 as is_cut
     from (select *, sum(length) over (order by batch_index nulls first) as bytes from (
       select *, coalesce(octet_length(result::text), 0) as length from platform.command_execution
       where batch_pid = $1) item) summed
     order by batch_index nulls first`,
    [pid, maxBytes],
  );
}

/** Locks the items of a batch, which have no results yet, for the transaction. */
export function lockItems(transaction: SqlRunner, batchPid: string): Promise<ExecutionRow[]> {
  return transaction.query<ExecutionRow>(
    `select * from platform.command_execution where batch_pid = $1 and batch_index is not null
     order by batch_index for update`,
    [batchPid],
  );
}

/** Ends a batch whose items have ended. False when it had ended before. */
export async function finishBatch(runner: SqlRunner, pid: string): Promise<boolean> {
  const finished = await runner.query(
    `update platform.command_execution set status = 'SUCCEEDED', finished_at = now()
     where pid = $1 and status in ('RECEIVED', 'RUNNING') returning pid`,
    [pid],
  );
  return finished.length === 1;
}

/**
 * Ends an atomic batch without effect: it and the item that failed have the error, the other items are
 * cancelled.
 * @param others the error of the other items
 */
export async function failBatch(
  runner: SqlRunner,
  { batchPid, itemPid }: { batchPid: string; itemPid: string },
  errors: { batch: StoredError; item: StoredError; others: StoredError },
): Promise<void> {
  await runner.query(
    `update platform.command_execution
     set status = case when pid in ($1, $2) then 'FAILED' else 'CANCELLED' end, idempotency_key = null, finished_at = now(),
       error = case pid when $1 then $3::json when $2 then $4::json else $5::json end
     where batch_pid = $1 and status in ('RECEIVED', 'RUNNING')`,
    [batchPid, itemPid, ...[errors.batch, errors.item, errors.others].map((error) => JSON.stringify(error))],
  );
}
