import { text } from '../../../../foundation/i18n/text.ts';
import type { StepCall } from '../../../../../workflows/contracts.ts';
import { isTransient } from '../../../../foundation/database/failures.ts';
import { ApplicationError } from '../../../../foundation/errors/application-error.ts';
import { endlessError, type RepeatedStarts } from '../../../../foundation/jobs/repeated-starts.ts';
import { inTurn } from '../../../../foundation/jobs/turns.ts';
import { withTrace } from '../../../../foundation/logging/trace.ts';
import { actorOf } from '../../../../platform/auth/requests/actor.ts';
import { insertEvents } from '../../../../platform/events/outbox/outbox.ts';
import type { SnapshotCache } from '../../../../platform/metadata/snapshot/snapshot-cache.ts';
import { COMPENSATION, type Definition } from '../../definition/definition.ts';
import type { Definitions } from '../values/definitions.ts';
import { executeCommand } from '../../steps/command-call.ts';
import { StepExpressions } from '../../steps/step-expressions.ts';
import type { StepAttempt, StepServices } from '../../steps/step-kind.ts';
import { isActivity, isActivityStep, kindOf } from '../../steps/step-kinds.ts';
import { failedWith, withinSizeLimit, type StepOutcome } from '../../steps/step-outcome.ts';
import { retryDelayMs } from './retry-delay.ts';
import { RunContext } from '../values/run-context.ts';
import type { RunDataCache } from '../values/run-data-cache.ts';
import { RunSources } from '../values/run-sources.ts';
import type { RunRow } from '../rows/run-store.ts';
import { endAttempt, findStep, type StepEnd, type StepRow } from '../rows/step-store.ts';
import { COMPENSATION_RETRY } from '../../automations.limits.ts';

export interface StepRunnerDependencies extends StepServices {
  readonly definitions: Definitions;
  readonly data: RunDataCache;
  readonly snapshots: SnapshotCache;
  readonly starts: RepeatedStarts;
  /** An event was written. */
  onEvent(): void;
}

/** Makes the attempts of steps that act outside their run. */
export class StepRunner {
  readonly #dependencies: StepRunnerDependencies;

  constructor(dependencies: StepRunnerDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Makes one attempt and stores its outcome, a failure included. An attempt that has ended is left as it is.
   * @param isRepeated whether Temporal has asked for this attempt before
   * @throws a transient fault, which uses up none of the step's attempts
   */
  async run(runPid: string, { key, attempt, timeoutMs }: StepCall, isRepeated: boolean): Promise<void> {
    const { database, data, definitions, starts } = this.#dependencies;
    const known = await data.findRun(database, runPid);
    const row = known && (await findStep(database, runPid, key));
    if (!row || row.status !== 'RUNNING' || row.attempt !== attempt) return;
    const run = { ...known, retries: row.retries };
    await withTrace(run.traceId, async () => {
      const definition = await definitions.of(run);
      const id = `${runPid}:${key}:${row.round}:${attempt}`;
      const isExhausted = isRepeated && (await starts.isExhausted(id));
      try {
        const outcome = isExhausted
          ? failedWith(endlessError(run.traceId), false)
          : await this.#outcomeWithin(run, row, definition, timeoutMs);
        await this.#end(run, row, definition, outcome);
      } finally {
        if (isRepeated) await starts.forget([id]);
      }
    });
  }

  async #outcomeWithin(run: RunRow, row: StepRow, definition: Definition, timeoutMs: number): Promise<StepOutcome> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    const expired = new Promise<StepOutcome>((resolve) => {
      abort.signal.addEventListener('abort', () => resolve(failedWith(timeoutError(timeoutMs), true)));
    });
    try {
      const work = this.#execute(run, row, definition, timeoutMs, abort.signal);
      return withinSizeLimit(await Promise.race([work, expired]));
    } catch (error) {
      if (isTransient(error)) throw error;
      if (error instanceof ApplicationError) return failedWith(error);
      const { traceId, pid: runPid } = run;
      const { logger } = this.#dependencies;
      logger.error({ err: error, runPid, step: row.key, traceId }, 'a step failed for an unknown reason');
      return failedWith(new ApplicationError('INTERNAL_ERROR', { data: { traceId }, cause: error }));
    } finally {
      clearTimeout(timer);
      abort.abort();
    }
  }

  async #execute(
    run: RunRow,
    row: StepRow,
    definition: Definition,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<StepOutcome> {
    const { database, data, snapshots } = this.#dependencies;
    const { key, round, stepId, iteration } = row;
    const metadata = await snapshots.current(run.environment);
    const sources = RunSources.of(definition, run, metadata);
    const context = new RunContext(definition, run, (keys) => data.outputsOf(database, run, keys), sources);
    const attempt: StepAttempt = {
      key,
      idempotencyKey: `${key}:${round}`,
      expressions: new StepExpressions(key, await context.at(stepId, iteration)),
      sourcesOf: (source) => sources.of(stepId, source),
      actor: actorOf(run, metadata),
      run,
      timeoutMs,
      signal,
    };
    const compensation = row.type === COMPENSATION ? definition.compensationOf(stepId) : null;
    if (compensation) return inTurn(() => executeCommand(compensation, attempt, this.#dependencies));
    const { step } = definition.step(stepId);
    const kind = kindOf(step);
    if (!isActivity(kind)) throw new Error(`the step ${key} has no activity`);
    return inTurn(() => kind.execute(step, attempt, this.#dependencies));
  }

  async #end(run: RunRow, row: StepRow, definition: Definition, outcome: StepOutcome): Promise<void> {
    const { database, logger } = this.#dependencies;
    const event = outcome.kind === 'done' ? outcome.event : undefined;
    const end = endOf(row, definition, outcome);
    await database.transaction(async (transaction) => {
      const isEnded = await endAttempt(transaction, run.pid, row, end);
      if (isEnded && event) await insertEvents(transaction, [event]);
    });
    if (event) this.#dependencies.onEvent();
    const { key: step, attempt } = row;
    logger.info({ runPid: run.pid, step, attempt, status: end.status, code: end.error?.code }, 'a step');
  }
}

function timeoutError(timeoutMs: number): ApplicationError {
  const seconds = timeoutMs / 1_000;
  const message = text('The step took longer than {seconds} s', { seconds });
  return new ApplicationError('REQUEST_TIMEOUT', { message, data: { timeoutSeconds: seconds } });
}

function endOf(row: StepRow, definition: Definition, outcome: StepOutcome): StepEnd {
  if (outcome.kind === 'done') {
    const eventPid = outcome.event?.pid ?? null;
    const undoable = row.type !== COMPENSATION && definition.compensationOf(row.stepId) !== null;
    return { status: 'SUCCEEDED', output: outcome.output, error: null, delayMs: null, eventPid, undoable };
  }
  const { step } = definition.step(row.stepId);
  const ownRetry = isActivityStep(step) ? step.retry : undefined;
  const retry = row.type === COMPENSATION ? COMPENSATION_RETRY : ownRetry;
  const delayMs = outcome.retryable ? retryDelayMs(retry, row.attempt) : null;
  const status = delayMs === null ? 'FAILED' : 'RETRYING';
  return { status, output: undefined, error: outcome.error, delayMs, eventPid: null, undoable: false };
}
