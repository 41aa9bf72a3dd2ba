import type { Database } from '../../../../foundation/database/pool.ts';
import { localizedError } from '../../../../foundation/errors/failure.ts';
import { END, streamKey, type StreamKey } from '../../../../platform/streams/stream-entry.ts';
import type { StreamEvent, StreamWriter } from '../../../../platform/streams/stream-writer.ts';
import { STEPS_PER_PUBLISH } from '../../automations.limits.ts';
import { visibleError, type RunWithSteps, type VisibleRun } from './run-visibility.ts';
import type { Definitions } from '../values/definitions.ts';
import type { RunRow } from '../rows/run-store.ts';
import { countSteps, markPublished, unpublishedSteps, type StepRow } from '../rows/step-store.ts';

/** A step as the API shows it, without its output. */
function presentStep(step: StepRow) {
  const { key, stepId: id, iteration, type, status, attempt, error, dueAt } = step;
  return {
    id,
    key,
    type,
    status,
    attempt,
    ...(iteration.length > 0 && { iteration }),
    startedAt: step.startedAt,
    finishedAt: step.finishedAt,
    ...(dueAt !== null && step.finishedAt === null && { dueAt }),
    ...(type === 'approval' && { approvers: { role: step.approverRole, user: step.approverUser } }),
    error: localizedError(error),
  };
}

/** A run as the API shows it in lists. */
export function presentRun({ run, input, isWhole }: VisibleRun) {
  return {
    runPid: run.pid,
    automationCode: run.automationCode,
    version: run.version,
    status: run.status,
    trigger: run.trigger,
    input,
    startedBy: { userPid: run.userPid, username: run.username },
    parentRunPid: run.parentRunPid,
    traceId: run.traceId,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    error: localizedError(visibleError(run.error, isWhole)),
  };
}

/** Steps with what the reader may see of their outputs. */
export function presentSteps({ visible, steps, outputs }: RunWithSteps) {
  return steps.map((step) => ({
    ...presentStep({ ...step, error: visibleError(step.error, visible.isWhole) }),
    output: outputs.get(step.key) ?? null,
  }));
}

export function presentRunWithSteps(run: RunWithSteps) {
  return { ...presentRun(run.visible), stepCount: run.total, steps: presentSteps(run) };
}

/** The stream of a run. A retry has a new stream, because the old one has ended. */
export function runStreamKey({ pid, retries }: Pick<RunRow, 'pid' | 'retries'>): StreamKey {
  return streamKey('run', retries === 0 ? pid : `${pid}.${retries}`);
}

/**
 * Writes the states of a run and its steps to the run's stream: each once, in order. All readers share the
 * stream, so its errors hold only what each of them may see.
 */
export class RunStream {
  readonly #database: Database;
  readonly #definitions: Definitions;
  readonly #writer: StreamWriter;

  constructor(database: Database, definitions: Definitions, writer: StreamWriter) {
    this.#database = database;
    this.#definitions = definitions;
    this.#writer = writer;
  }

  /**
   * Called by the run's workflow alone, so that no older state follows a newer one.
   * @throws SERVICE_UNAVAILABLE
   */
  async publish(run: RunRow, ended: boolean): Promise<void> {
    for (;;) {
      const page = await unpublishedSteps(this.#database, run.pid, STEPS_PER_PUBLISH);
      if (page.length > 0) await this.#publishSteps(run, page);
      if (page.length < STEPS_PER_PUBLISH) break;
    }
    await this.#publishState(run, ended);
  }

  /**
   * Writes the end of an ended run again, for watchers of a stream that may have expired. While steps are
   * unpublished, the run's workflow is about to publish them and the end.
   */
  async publishEnd(run: RunRow): Promise<void> {
    const unpublished = await unpublishedSteps(this.#database, run.pid, 1);
    if (unpublished.length === 0) await this.#publishState(run, true);
  }

  async #publishState(run: RunRow, ended: boolean): Promise<void> {
    const { steps } = await this.#definitions.of(run);
    const { started, finished } = await countSteps(this.#database, run.pid);
    const { pid: runPid, automationCode, status, error } = run;
    const progress = { finished, total: Math.max(started, steps.size) };
    const data = { runPid, automationCode, status, error: localizedError(visibleError(error, false)), progress };
    const state = { event: 'run', data, dedupeId: `run:${status}:${started}:${finished}` };
    const end = ended ? [{ event: END, data: { runPid, status } }] : [];
    await this.#writer.append(runStreamKey(run), state, ...end);
  }

  async #publishSteps(run: RunRow, steps: readonly StepRow[]): Promise<void> {
    const { pid: runPid } = run;
    await this.#writer.append(
      runStreamKey(run),
      ...steps.map((step): StreamEvent => {
        const { key: name, round, attempt, status } = step;
        const data = { runPid, ...presentStep({ ...step, error: visibleError(step.error, false) }) };
        return { event: 'step', data, dedupeId: `step:${name}:${round}:${attempt}:${status}` };
      }),
    );
    await markPublished(this.#database, runPid, steps);
  }
}
