import { canonicalHash } from '../../../foundation/validation/canonical-json.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import { isUniqueViolation } from '../../../foundation/database/failures.ts';
import { ApplicationError, conflict } from '../../../foundation/errors/application-error.ts';
import { toStoredError, localizedError, type StoredError } from '../../../foundation/errors/failure.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { CommandOutcome, CommandsService, ExecutionMode } from './commands.service.ts';
import {
  findByIdempotencyKeys,
  findExecutions,
  isUnfinished,
  type NewExecution,
  type ExecutionRow,
} from '../executions/execution-store.ts';
import { BATCH } from '../executions/execution.entity.ts';
import { MAX_BATCH_RESULT_BYTES } from '../commands.limits.ts';
import { newExecution } from '../request/command-request.ts';
import type { BatchRequest, BatchPlan } from '../request/batch-request.ts';
import { findBatchResults, insertBatch, type ExecutionOfBatch, type NewItem } from '../executions/batch-store.ts';

/**
 * Accepts batches. A batch is an execution whose items are executions: it is claimed, started and answered as
 * one.
 */
export class Batches {
  readonly #database: Database;
  readonly #commands: CommandsService;

  constructor(database: Database, commands: CommandsService) {
    this.#database = database;
    this.#commands = commands;
  }

  /**
   * Executes a checked batch.
   * @throws as a single command; the failure of an atomic batch, with `data.index` and `data.results`
   */
  async execute(
    actor: Actor,
    command: ExecutionMode & { readonly code: string },
    request: BatchRequest,
    traceId: string,
    preferredWaitMs?: number,
  ): Promise<CommandOutcome> {
    const { code, idempotency } = command;
    const items = request.items.flatMap((item, batchIndex): NewItem[] =>
      'error' in item ? [] : [{ ...newExecution(actor, code, item.request, traceId), batchIndex }],
    );
    const asked = {
      operation: BATCH,
      payload: {},
      targetRecordId: null,
      matchOn: null,
      expectedVersion: null,
    } as const;
    const { idempotencyKey, mode } = request;
    const batch = {
      ...newExecution(actor, code, { ...asked, idempotencyKey }, traceId),
      nodePid: this.#commands.nodePid,
      requestHash: canonicalHash([mode, items.map((item) => [item.batchIndex, item.requestHash, item.idempotencyKey])]),
    };
    const claim = () => this.#claim(batch, request, items, idempotency === 'strict');
    try {
      const how = { execution: 'workflow', ...(idempotency && { idempotency }) } as const;
      const outcome = await this.#commands.accept(batch, how, preferredWaitMs, claim);
      if (outcome.kind === 'accepted') return outcome;
      // The key may have been used for a single command.
      return { ...outcome, result: (await this.#resultOf(outcome.executionPid)) ?? outcome.result };
    } catch (error) {
      throw await this.#withResults(error, batch.pid);
    }
  }

  /** The result of an execution; of a batch that of its items, once it has ended. */
  async resultOf(execution: ExecutionRow): Promise<unknown> {
    if (execution.operation !== BATCH) return execution.result;
    return isUnfinished(execution) ? null : this.#resultOf(execution.pid);
  }

  /** @returns false when another execution holds the batch's key, or an item's since a moment ago */
  async #claim(
    batch: NewExecution,
    { mode, items: asked }: BatchRequest,
    items: readonly NewItem[],
    isStrict: boolean,
  ): Promise<boolean> {
    const keys = [batch.idempotencyKey, ...items.map(({ idempotencyKey }) => idempotencyKey)];
    const used = keys.filter((key) => key !== null);
    const holders = used.length === 0 ? [] : await findByIdempotencyKeys(this.#database, batch, used);
    const byKey = new Map(holders.map((holder) => [holder.idempotencyKey, holder]));
    if (batch.idempotencyKey !== null && byKey.has(batch.idempotencyKey)) return false;
    const replays = items.flatMap((item) => {
      const holder = item.idempotencyKey === null ? undefined : byKey.get(item.idempotencyKey);
      return holder ? [replayOf(item, holder, isStrict)] : [];
    });
    const refused = asked.flatMap((item, index) =>
      'error' in item ? [{ index, error: toStoredError(item.error) }] : [],
    );
    const plan: BatchPlan = { mode, refused, replays };
    const replayed = new Set(replays.map(({ index }) => index));
    const fresh = items.filter(({ batchIndex }) => !replayed.has(batchIndex));
    try {
      return await insertBatch(this.#database, { ...batch, payload: { ...plan } }, fresh);
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  async #resultOf(batchPid: string): Promise<BatchOutcome | null> {
    const [batch, ...items] = await findBatchResults(this.#database, batchPid, MAX_BATCH_RESULT_BYTES);
    if (!batch) return null;
    const { replays = [] } = batch.payload as Partial<BatchPlan>;
    const pids = replays.map(({ pid }) => pid);
    const earlier = pids.length === 0 ? [] : await findExecutions(this.#database, pids);
    return resultOfBatch(batch, items, earlier);
  }

  /** The failure of an atomic batch with what became of its items; any other error as it is. */
  async #withResults(error: unknown, batchPid: string): Promise<unknown> {
    if (!(error instanceof ApplicationError) || error.headers['X-Execution-Pid'] !== batchPid) return error;
    if (error.data?.index === undefined) return error;
    const { results } = (await this.#resultOf(batchPid)) ?? {};
    const { code, text: message, data } = error;
    const failure = new ApplicationError(code, { message, data: { ...data, results }, cause: error });
    Object.assign(failure.headers, error.headers);
    return failure;
  }
}

/** @throws CONFLICT (IN_PROGRESS, IDEMPOTENCY_KEY) */
function replayOf({ batchIndex: index, requestHash }: NewItem, holder: ExecutionRow, isStrict: boolean) {
  const { pid, status } = holder;
  const mismatch = holder.requestHash !== requestHash;
  if (mismatch && isStrict) {
    throw conflict('IDEMPOTENCY_KEY', 'The key was used for another request', { index, executionPid: pid });
  }
  if (status !== 'SUCCEEDED') {
    throw conflict('IN_PROGRESS', 'The first request with this key is still running', { index, executionPid: pid });
  }
  return { index, pid, mismatch };
}

/** The outcome of an item. `code` is "0", `IDEMPOTENT_REPLAY` or the code of its failure. */
type ItemResult = Omit<ReturnType<typeof resultOfItem>, 'executionPid'> & { readonly executionPid: string | null };

export interface BatchOutcome {
  readonly succeeded: number;
  readonly failed: number;
  /** By index. */
  readonly results: readonly ItemResult[];
}

/**
 * The outcome of a batch.
 * @param items its executions
 * @param earlier the executions that used the keys of other items
 */
function resultOfBatch(
  { payload }: Pick<ExecutionRow, 'payload'>,
  items: readonly ExecutionOfBatch[],
  earlier: readonly ExecutionRow[],
): BatchOutcome {
  // The plan of an old batch has been forgotten, as all payloads are.
  const { refused = [], replays = [] } = payload as Partial<BatchPlan>;
  const byPid = new Map(earlier.map((execution) => [execution.pid, execution]));
  const results = [
    ...items.map((item) => resultOfItem(item.batchIndex ?? 0, item)),
    ...replays.map(({ index, pid, mismatch }) => {
      const result = resultOfItem(index, byPid.get(pid) ?? null);
      return { ...result, ...(result.code === '0' && { code: 'IDEMPOTENT_REPLAY' }), ...(mismatch && { mismatch }) };
    }),
    ...refused.map(({ index, error }) => failed(index, error, null)),
  ].sort((one, other) => one.index - other.index);
  const bad = results.filter(({ code }) => code !== '0' && code !== 'IDEMPOTENT_REPLAY').length;
  return { succeeded: results.length - bad, failed: bad, results };
}

function resultOfItem(index: number, execution: ExecutionOfBatch | null) {
  if (execution?.status === 'SUCCEEDED') {
    const { pid: executionPid, result = null, isCut = false } = execution;
    return { index, code: '0', data: result, executionPid, ...(isCut && { dataLeftOut: true }) };
  }
  const error =
    execution && isUnfinished(execution)
      ? conflict('IN_PROGRESS', 'It has not ended yet')
      : conflict('CANCELLED', 'The execution was cancelled');
  return failed(index, execution?.error ?? toStoredError(error), execution?.pid ?? null);
}

/** The outcome of an item that fails. */
export function failed(index: number, error: StoredError, executionPid: string | null) {
  const { code = '', message, data = null } = localizedError(error) ?? {};
  return { index, code: code as string, message, data: data as unknown, executionPid };
}
