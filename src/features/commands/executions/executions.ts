import { DAY_MS } from '../../../foundation/durations.ts';
import { conflict, notFound } from '../../../foundation/errors/application-error.ts';
import { firstPidAt } from '../../../foundation/database/pid.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import { authorize, type Actor } from '../../../platform/auth/requests/actor.ts';
import { EXECUTION_READ } from '../../../platform/metadata/permissions/permission-codes.ts';
import { hasChangedRecord } from '../../../platform/events/changes/change-log.ts';
import { setTenant } from '../../../foundation/database/tenant.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import type { ExecutionNotifier } from './execution-notifier.ts';
import type { ExecutionRow } from './execution-store.ts';
import { BATCH, type ExecutionStatus } from './execution.entity.ts';

/** An execution as a list has it: without what it was given and what it answered. */
export type ListedExecution = Omit<ExecutionRow, 'payload' | 'result'>;

interface ExecutionFilter {
  readonly commandCode?: string | undefined;
  readonly status?: ExecutionStatus | undefined;
  /** The record that it worked on, or changed. */
  readonly recordPid?: string | undefined;
  readonly userPid?: string | undefined;
  /** The batch that it is an item of. */
  readonly batchPid?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

const COLUMNS = `e.pid, e.command_code, e.operation, e.status, e.target_record_id, e.user_pid, e.username, e.error,
  e.created_at, e.finished_at, e.trace_id, e.group_pid, e.batch_pid, e.run_pid`;

/** Finds executions, and ends those that have not begun. */
export class Executions {
  readonly #database: Database;
  readonly #notifier: ExecutionNotifier;

  readonly #payloadDays: number;

  /** @param payloadDays after how many days payloads are forgotten; 0: never */
  constructor(database: Database, notifier: ExecutionNotifier, payloadDays: number) {
    this.#payloadDays = payloadDays;
    this.#database = database;
    this.#notifier = notifier;
  }

  /**
   * The actor's executions in the tenant and environment, newest first; with `execution:read` those of all.
   * @param cursor the pid after which the list goes on
   * @throws FORBIDDEN for those of another user without that permission
   */
  async list(
    actor: Actor,
    { commandCode, status, recordPid, userPid, batchPid, since, until }: ExecutionFilter,
    cursor: string | null,
    pageSize: number,
  ): Promise<{ records: ListedExecution[]; nextCursor: string | null }> {
    if (userPid !== undefined && userPid !== actor.userPid) authorize(actor, EXECUTION_READ);
    const parameters = new Parameters();
    const where = readableBy(actor, parameters);
    const add = (condition: string, value: unknown) => where.push(`${condition} ${parameters.add(value)}`);
    if (userPid !== undefined) add('e.user_pid =', userPid);
    if (commandCode !== undefined) add('e.command_code =', commandCode);
    if (status !== undefined) add('e.status =', status);
    if (batchPid !== undefined) add('e.batch_pid =', batchPid);
    // Pids grow with time.
    if (since) add('e.pid >=', firstPidAt(since));
    if (until) add('e.pid <', firstPidAt(until));
    if (cursor !== null) add('e.pid <', cursor);
    if (recordPid !== undefined) {
      const pid = parameters.add(recordPid);
      const models = parameters.add([...actor.metadata.models.keys()]);
      where.push(`(e.target_record_id = ${pid} or ${hasChangedRecord('e', models, pid)})`);
    }
    const found = await this.#database.transaction(async (transaction) => {
      // The change log shows the records of one tenant at a time.
      await setTenant(transaction, actor.tenantId);
      return transaction.query<ListedExecution>(
        `select ${COLUMNS} from platform.command_execution e where ${where.join(' and ')}
         order by e.pid desc limit ${parameters.add(pageSize + 1)}`,
        parameters.values,
      );
    });
    const records = found.slice(0, pageSize);
    return { records, nextCursor: found.length > pageSize ? (records.at(-1)?.pid ?? null) : null };
  }

  /** An execution that the list shows to the actor. @throws NOT_FOUND */
  async find(actor: Actor, pid: string): Promise<ExecutionRow> {
    const parameters = new Parameters();
    const where = [`e.pid = ${parameters.add(pid)}`, ...readableBy(actor, parameters)];
    const [row] = await this.#database.query<ExecutionRow>(
      `select e.* from platform.command_execution e where ${where.join(' and ')}`,
      parameters.values,
    );
    if (!row) throw notFound('There is no such execution');
    return row;
  }

  /**
   * The executions of a request and of what it has caused, oldest first, as far as the actor may read them.
   */
  ofTrace(actor: Actor, traceId: string, limit: number): Promise<ListedExecution[]> {
    const parameters = new Parameters();
    const where = [`e.trace_id = ${parameters.add(traceId)}`, ...readableBy(actor, parameters)];
    return this.#database.query<ListedExecution>(
      `select ${COLUMNS} from platform.command_execution e where ${where.join(' and ')}
       order by e.pid limit ${parameters.add(limit)}`,
      parameters.values,
    );
  }

  /**
   * Cancels an execution that no transaction has begun, and tells who waits for it. Of a batch the items that
   * have begun go on.
   * @throws CONFLICT (STATE) for one that has begun or ended
   */
  async cancel({ pid }: ExecutionRow): Promise<ExecutionRow> {
    // A worker that is executing it holds the row.
    const ended = await this.#database.query<ExecutionRow>(
      `with own as (select pid from platform.command_execution where pid = $1 and status in ('RECEIVED', 'RUNNING')
         for update skip locked)
       update platform.command_execution set status = 'CANCELLED', idempotency_key = null, finished_at = now()
       where pid in (select e.pid from platform.command_execution e, own where (e.pid = own.pid or e.batch_pid = own.pid)
         and e.status in ('RECEIVED', 'RUNNING') for update of e skip locked) returning *`,
      [pid],
    );
    const cancelled = ended.find((each) => each.pid === pid);
    if (!cancelled) throw conflict('STATE', 'The execution has begun or ended');
    await this.#notifier.publish(pid, { status: 'CANCELLED', error: null }, []);
    return cancelled;
  }

  /**
   * The body of an execute request that asks for the same again. Its key makes repeats of the retry one.
   * @throws CONFLICT (STATE) for an execution that has not failed, or whose payload has been forgotten
   */
  requestToRepeat(execution: ExecutionRow, isPlatform: boolean) {
    const { pid, status, operation, payload, targetRecordId, matchOn, expectedVersion } = execution;
    if (operation === BATCH) throw conflict('STATE', 'A batch is not repeated: repeat the items that failed');
    if (status !== 'FAILED' && status !== 'CANCELLED') throw conflict('STATE', 'Only what failed can be repeated');
    const age = Date.now() - Date.parse(execution.createdAt);
    if (this.#payloadDays > 0 && age > this.#payloadDays * DAY_MS) {
      throw conflict('STATE', 'Its payload has been forgotten');
    }
    const request = { ...(operation === 'DELETE' ? {} : { payload }), clientRequestId: `retry:${pid}` };
    return isPlatform ? request : { ...request, operationType: operation, targetRecordId, matchOn, expectedVersion };
  }
}

/** SQL conditions: those of the tenant and environment that the actor has sent; with `execution:read` all. */
function readableBy({ tenantId, userPid, metadata, permissions }: Actor, parameters: Parameters): string[] {
  const where = [
    `e.environment = ${parameters.add(metadata.environment)}`,
    `e.tenant_id = ${parameters.add(tenantId)}`,
  ];
  return permissions.has(EXECUTION_READ) ? where : [...where, `e.user_pid = ${parameters.add(userPid)}`];
}
