import type { Database } from '../database/pool.ts';
import { streamKey, type StreamKey } from '../streams/stream-key.ts';
import type { StreamEvent, StreamWriter } from '../streams/stream-writer.ts';
import type { Definition } from './definition.ts';
import { presentStep } from './present-run.ts';
import type { RunRow } from './run-store.ts';
import { countSteps, markTold, untoldSteps } from './step-store.ts';

const PAGE = 200;

/** A run that is retried begins a new stream: the old one has said its end. */
export function runStreamKey({ pid, retries }: Pick<RunRow, 'pid' | 'retries'>): StreamKey {
  return streamKey('run', retries === 0 ? pid : `${pid}.${retries}`);
}

type Told = Pick<RunRow, 'pid' | 'automation_code' | 'status' | 'error' | 'retries'>;

/** Tells the stream of a run what has become of it and its steps: each state once, in order. */
export class RunStream {
  readonly #database: Database;
  readonly #writer: StreamWriter;

  constructor(database: Database, writer: StreamWriter) {
    this.#database = database;
    this.#writer = writer;
  }

  /** Only the run's own workflow may, so that no older state comes after a newer one. @throws SERVICE_UNAVAILABLE */
  async tell(run: Told, { steps }: Definition, ended: boolean): Promise<void> {
    const key = runStreamKey(run);
    const untold = await untoldSteps(this.#database, run.pid);
    for (let from = 0; from < untold.length; from += PAGE) {
      const page = untold.slice(from, from + PAGE);
      await this.#writer.append(
        key,
        ...page.map((step): StreamEvent => {
          const { key: name, round, attempt, status } = step;
          const data = { runPid: run.pid, ...presentStep(step) };
          return { event: 'step', data, dedupeId: `step:${name}:${round}:${attempt}:${status}` };
        }),
      );
    }
    const { begun, finished } = await countSteps(this.#database, run.pid);
    const { pid: runPid, automation_code: automationCode, status, error } = run;
    const data = { runPid, automationCode, status, error, progress: { finished, total: Math.max(begun, steps.size) } };
    await this.#writer.append(key, { event: 'run', data, dedupeId: `run:${status}:${begun}:${finished}` });
    if (ended) await this.#writer.end(key, { runPid, status });
    if (untold.length > 0) await markTold(this.#database, run.pid, untold);
  }

  /** For whoever watches a run that is over, and whose stream may be forgotten: its end at least. */
  async tellEnd({ pid: runPid, automation_code: automationCode, status, error, retries }: Told): Promise<void> {
    const key = runStreamKey({ pid: runPid, retries });
    await this.#writer.append(key, { event: 'run', data: { runPid, automationCode, status, error } });
    await this.#writer.end(key, { runPid, status });
  }
}
