import {
  type StepAttempt,
  type StepServices,
  failedWith,
  withinSizeLimit,
  type StepOutcome,
} from '../../steps/step-kind.ts';
import { text } from '../../../../foundation/i18n/text.ts';
import type { StepCall } from '../../../../../workflows/contracts.ts';
import { isOutdated, isTransient } from '../../../../foundation/database/failures.ts';
import { ApplicationError } from '../../../../foundation/errors/application-error.ts';
import { endlessError, type RepeatedStarts } from '../../../../foundation/jobs/repeated-starts.ts';
import { inTurn } from '../../../../foundation/jobs/turns.ts';
import { withLogContext } from '../../../../foundation/logging/trace.ts';
import { actorOf } from '../../../../platform/auth/requests/actor.ts';
import { insertEvents } from '../../../../platform/events/outbox/outbox.ts';
import type { SnapshotCache } from '../../../../platform/metadata/snapshot/snapshot-cache.ts';
import { COMPENSATION, type Definition } from '../../definition/definition.ts';
import type { Definitions } from '../values/definitions.ts';
import { executeCommand } from '../../steps/command-call.ts';
import { StepExpressions } from '../../steps/step-expressions.ts';
import { isActivity, isActivityStep, kindOf } from '../../steps/step-kinds.ts';
import type { RetryPolicy } from '../../steps/step-schema.ts';
import { RunContext } from '../values/run-context.ts';
import type { RunDataCache } from '../values/run-data-cache.ts';
import { RunValueOrigins } from '../values/run-value-origins.ts';
import type { RunRow } from '../rows/run-store.ts';
import { endAttempt, findStep, type AttemptEnd, type StepRow } from '../rows/step-store.ts';
import { COMPENSATION_RETRY, RETRY_DEFAULTS } from '../../automations.limits.ts';

export interface RunStepParts extends StepServices {
  readonly definitions: Definitions;
  readonly data: RunDataCache;
  readonly snapshots: SnapshotCache;
  readonly starts: RepeatedStarts;
  /** An event was written. */
  onEvent(): void;
}

/** A step of which an attempt is made. */
interface Attempted {
  readonly run: RunRow;
  readonly row: StepRow;
  readonly definition: Definition;
  /** Whether it is made again because the configuration was an old one. */
  readonly isRenewed?: boolean;
}

/**
 * Makes one attempt of a step and stores its outcome, a failure included. An attempt that has ended stays as
 * it is.
 * @param isRepeated whether Temporal has begun this activity before
 * @throws a transient fault, which uses up none of the step's attempts
 */
export async function runStep(
  parts: RunStepParts,
  runPid: string,
  { key, attempt, timeoutMs }: StepCall,
  isRepeated: boolean,
): Promise<void> {
  const { database, data, definitions, starts } = parts;
  const known = await data.findRun(database, runPid);
  const row = known && (await findStep(database, runPid, key));
  if (!row || row.status !== 'RUNNING' || row.attempt !== attempt) return;
  const run = { ...known, retries: row.retries };
  await withLogContext(run, async () => {
    const attempted = { run, row, definition: await definitions.of(run) };
    const id = `${runPid}:${key}:${row.round}:${attempt}`;
    const isExhausted = isRepeated && (await starts.isExhausted(id));
    try {
      const outcome = isExhausted
        ? failedWith(endlessError(run.traceId), false)
        : await outcomeOf(parts, attempted, timeoutMs);
      await endStep(parts, attempted, outcome);
    } finally {
      if (isRepeated) await starts.forget([id]);
    }
  });
}

/** The outcome of an attempt, which fails once its time is up. @throws a transient fault */
async function outcomeOf(parts: RunStepParts, attempted: Attempted, timeoutMs: number): Promise<StepOutcome> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  const expired = new Promise<StepOutcome>((resolve) => {
    abort.signal.addEventListener('abort', () => resolve(failedWith(timeoutError(timeoutMs), true)));
  });
  try {
    const work = execute(parts, attempted, timeoutMs, abort.signal);
    return withinSizeLimit(await Promise.race([work, expired]));
  } catch (error) {
    if (isTransient(error)) throw error;
    if (isOutdated(error) && !attempted.isRenewed) {
      await parts.snapshots.refresh(attempted.run.environment);
      return outcomeOf(parts, { ...attempted, isRenewed: true }, timeoutMs);
    }
    if (error instanceof ApplicationError) return failedWith(error);
    const { traceId, pid: runPid } = attempted.run;
    const step = attempted.row.key;
    parts.logger.error({ err: error, runPid, step }, 'a step failed for an unknown reason');
    return failedWith(new ApplicationError('INTERNAL_ERROR', { data: { traceId }, cause: error }));
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}

async function execute(
  parts: RunStepParts,
  { run, row, definition }: Attempted,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const { database, data, snapshots } = parts;
  const { key, round, stepId, iteration } = row;
  const metadata = await snapshots.current(run.environment);
  const origins = RunValueOrigins.ofRun(definition, run, metadata);
  const context = new RunContext(definition, run, (keys) => data.outputsOf(database, run, keys), origins);
  const attempt: StepAttempt = {
    key,
    idempotencyKey: `${key}:${round}`,
    expressions: new StepExpressions(key, await context.at(stepId, iteration)),
    originOf: (source) => origins.ofExpression(stepId, source),
    actor: actorOf(run, metadata),
    run,
    timeoutMs,
    signal,
  };
  const compensation = row.type === COMPENSATION ? definition.compensationOf(stepId) : null;
  if (compensation) return inTurn(() => executeCommand(compensation, attempt, parts));
  const { step } = definition.step(stepId);
  const kind = kindOf(step);
  if (!isActivity(kind)) throw new Error(`the step ${key} has no activity`);
  return inTurn(() => kind.execute(step, attempt, parts));
}

async function endStep(parts: RunStepParts, attempted: Attempted, outcome: StepOutcome): Promise<void> {
  const { database, logger } = parts;
  const { run, row } = attempted;
  const event = outcome.kind === 'done' ? outcome.event : undefined;
  const end = endOf(attempted, outcome);
  await database.transaction(async (transaction) => {
    const isEnded = await endAttempt(transaction, run.pid, row, end);
    if (isEnded && event) await insertEvents(transaction, [event]);
  });
  if (event) parts.onEvent();
  const { key: step, attempt } = row;
  logger.info({ runPid: run.pid, step, attempt, status: end.status, code: end.error?.code }, 'a step');
}

function timeoutError(timeoutMs: number): ApplicationError {
  const seconds = timeoutMs / 1_000;
  const message = text('The step took longer than {seconds} s', { seconds });
  return new ApplicationError('REQUEST_TIMEOUT', { message, data: { timeoutSeconds: seconds } });
}

function endOf({ row, definition }: Attempted, outcome: StepOutcome): AttemptEnd {
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

/**
 * The delay before the next attempt; null when there is none.
 * @param attempt the one that has failed, from 1
 */
export function retryDelayMs(retry: RetryPolicy | undefined, attempt: number): number | null {
  const { maxAttempts, initialSeconds, factor, maxSeconds } = { ...RETRY_DEFAULTS, maxAttempts: 1, ...retry };
  if (attempt >= maxAttempts) return null;
  return Math.round(Math.min(maxSeconds, initialSeconds * factor ** (attempt - 1)) * 1_000);
}
