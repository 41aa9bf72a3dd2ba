import type { Database } from '../../../foundation/database/pool.ts';
import { localizedError } from '../../../foundation/errors/failure.ts';
import { END, streamKey } from '../../../platform/streams/stream-entry.ts';
import type { StreamEvent, StreamWriter } from '../../../platform/streams/stream-writer.ts';
import { commandGroupWorkflowId, commandWorkflowId } from '../../../../workflows/contracts.ts';
import type { ExecutionNotifier } from './execution-notifier.ts';
import { findExecution, type ExecutionRow } from './execution-store.ts';
import { STREAM_LOOK_EVERY_MS } from '../commands.limits.ts';
import type { ListedExecution } from './executions.ts';

const ENDED: ReadonlySet<string> = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED']);

/** The public state of an execution, without its result, which can be large. */
export function executionState(execution: Omit<ExecutionRow, 'payload' | 'result'>) {
  return {
    pid: execution.pid,
    commandCode: execution.commandCode,
    status: execution.status,
    error: localizedError(execution.error),
    startedAt: execution.createdAt,
    finishedAt: execution.finishedAt,
    workflowId: workflowIdOf(execution),
    batchPid: execution.batchPid,
  };
}

function workflowIdOf({ pid, groupPid, batchPid }: Omit<ExecutionRow, 'payload' | 'result'>): string {
  return groupPid ? commandGroupWorkflowId(groupPid) : commandWorkflowId(batchPid ?? pid);
}

/**
 * The streams of executions. The watching node writes them, from the row, on the wake-up call for waiting
 * requests: a command without watchers costs nothing. Several watchers write each event once.
 */
export class ExecutionStreams {
  readonly #database: Database;
  readonly #completions: ExecutionNotifier;
  readonly #writer: StreamWriter;

  constructor(database: Database, completions: ExecutionNotifier, writer: StreamWriter) {
    this.#database = database;
    this.#completions = completions;
    this.#writer = writer;
  }

  /** Writes what becomes of an execution into its stream until it has ended, or the signal is given. */
  async follow(executionPid: string, signal: AbortSignal): Promise<void> {
    let told: string | null = null;
    while (!signal.aborted && !(told && ENDED.has(told))) {
      const called = this.#completions.wait(executionPid, STREAM_LOOK_EVERY_MS);
      // Postgres or Redis is away: the next round tries again.
      told = await this.#tell(executionPid, told).catch(() => told);
      if (told && ENDED.has(told)) return;
      await called;
    }
  }

  async #tell(executionPid: string, told: string | null): Promise<string | null> {
    const row = await findExecution(this.#database, executionPid);
    if (!row || row.status === told) return told;
    const { pid, status } = row;
    const events: StreamEvent[] = [{ event: 'execution', data: executionState(row), dedupeId: status }];
    if (ENDED.has(status)) events.push({ event: END, data: { pid, status } });
    await this.#writer.append(streamKey('execution', pid), ...events);
    return status;
  }
}

/** An execution as lists show it. */
export function presentListed(execution: ListedExecution) {
  const { operation, targetRecordId, userPid, username, traceId } = execution;
  const { error, ...state } = executionState(execution);
  // The data of an error can hold values of the record; readers of the list are not its caller only.
  const told = error && { code: error.code, message: error.message };
  return { ...state, operation, targetRecordId, userPid, username, traceId, error: told };
}
