import type { Schemas } from '../../app/api.d.ts';
import type { Api } from '../../app/api.d.ts';
import type { Command, RecordData } from '../../app/application.ts';
import { client } from '../../app/client.ts';
import type { Operation } from '../commands/command-fields.ts';
import { newKey } from '../commands/run-command.ts';

type Route = Api['POST /api/meta/commands/execute/{commandCode}/batch'];
type Result = Route['data']['results'][number];
export type HistoryChange = Schemas['HistoryEntry']['changes'];

/** What is to be done with one record. */
export interface BulkItem {
  readonly record: RecordData;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface BulkCommand {
  readonly command: Command;
  readonly operation: Operation;
}

/** What has become of an item, or would. */
export interface BulkOutcome {
  readonly item: BulkItem;
  /** Why it fails; null where it does not. */
  readonly problem: string | null;
  /** Of the record itself, of a preview. */
  readonly changes: HistoryChange;
}

/** Items of one request: progress is told after each. */
const CHUNK = 100;

/** Tells what a command would do with each record, and does nothing. @throws KeelsonError */
export function previewBatch(bulk: BulkCommand, items: readonly BulkItem[]): Promise<BulkOutcome[]> {
  return inChunks(bulk, items, null, () => undefined);
}

/** A command for many records, as far as it has come. */
export interface BatchRun {
  /** A request that is sent again after a lost answer does nothing twice. */
  readonly key: string;
  readonly outcomes: BulkOutcome[];
}

export function newBatchRun(): BatchRun {
  return { key: newKey(), outcomes: [] };
}

/**
 * Executes a command for each record: those that fail do not stop the others.
 * @param run goes on where it has stopped
 * @throws KeelsonError
 */
export function runBatch(
  bulk: BulkCommand,
  items: readonly BulkItem[],
  run: BatchRun,
  onProgress: (done: number) => void,
): Promise<BulkOutcome[]> {
  return inChunks(bulk, items, run, onProgress);
}

async function inChunks(
  bulk: BulkCommand,
  items: readonly BulkItem[],
  run: BatchRun | null,
  onProgress: (done: number) => void,
): Promise<BulkOutcome[]> {
  const outcomes = run?.outcomes ?? [];
  for (let first = outcomes.length; first < items.length; first += CHUNK) {
    const chunk = items.slice(first, first + CHUNK);
    const results = await send(bulk, chunk, run && `${run.key}-${first}`);
    for (const [index, item] of chunk.entries()) outcomes.push(outcomeOf(item, results[index]));
    onProgress(outcomes.length);
  }
  return outcomes;
}

async function send(
  { command, operation }: BulkCommand,
  items: readonly BulkItem[],
  key: string | null,
): Promise<Result[]> {
  const body: Route['body'] = {
    mode: 'partial',
    dryRun: key === null,
    items: items.map(({ record: { pid, version }, payload }) => ({
      targetRecordId: pid,
      expectedVersion: version,
      operationType: operation,
      ...(operation !== 'DELETE' && { payload }),
    })),
  };
  const path = `/api/meta/commands/execute/${encodeURIComponent(command.code)}/batch`;
  const answer = await client.request<Route['data']>('POST', path, {
    body,
    ...(key === null ? { isRead: true } : { idempotencyKey: key }),
  });
  if (answer.status !== 202) return answer.data.results;
  const { executionPid } = answer.data as unknown as Route['accepted'];
  return (await client.execution<Route['data']>(executionPid).wait()).results;
}

function outcomeOf(item: BulkItem, result: Result | undefined): BulkOutcome {
  const { code = '', message = '', data } = result ?? {};
  if (code !== '0' && code !== 'IDEMPOTENT_REPLAY') {
    const { fieldErrors = {} } = (data ?? {}) as { readonly fieldErrors?: Readonly<Record<string, string>> };
    const ofFields = Object.entries(fieldErrors).map(
      ([field, problem]) => `${field.replace(/^payload\./, '')} ${problem}`,
    );
    return { item, problem: ofFields.length > 0 ? ofFields.join('. ') : message, changes: {} };
  }
  const { changes = [] } = (data ?? {}) as {
    readonly changes?: readonly { readonly recordPid: string; readonly changes: HistoryChange }[];
  };
  const own = changes.find(({ recordPid }) => recordPid === item.record.pid);
  return { item, problem: null, changes: own?.changes ?? {} };
}
