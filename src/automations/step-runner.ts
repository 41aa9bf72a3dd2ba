import { newPid } from '../database/pid.ts';
import type { Prompter } from '../assistant/prompter.ts';
import { authorise, type Actor } from '../auth/actor.ts';
import { isTransient } from '../database/failures.ts';
import type { Database } from '../database/pool.ts';
import { ApplicationError } from '../errors/application-error.ts';
import type { ExpressionContext } from '../expressions/language.ts';
import type { Logger } from '../logging/logger.ts';
import { withTrace } from '../logging/trace.ts';
import { isActing, type QueryStep, type WebhookStep } from '../metadata/automation-content.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import { parseListQuery } from '../records/list-query.ts';
import type { RecordsService } from '../records/records.service.ts';
import type { StepCall } from '../../workflows/contracts.ts';
import { askAssistant } from './assistant-effect.ts';
import type { CommandEffect } from './command-effect.ts';
import { UNDO, type Definition } from './definition.ts';
import type { Definitions } from './definitions.ts';
import { insertStepEvent } from './step-event.ts';
import type { HttpEffect } from './http-effect.ts';
import { actorOf } from './run-actor.ts';
import { evaluate, evaluateMapping, RunContext } from './run-context.ts';
import { findRun, type RunRow } from './run-store.ts';
import { checkedSize, failedWith, type StepOutcome } from './step-outcome.ts';
import { retryDelayMs, UNDO_RETRY } from './step-policy.ts';
import { endAttempt, findStep, outputsOf, type StepEnd, type StepRow } from './step-store.ts';

/** What steps need of the program. */
export interface StepDependencies {
  readonly database: Database;
  readonly definitions: Definitions;
  readonly snapshots: SnapshotCache;
  readonly commands: CommandEffect;
  readonly records: RecordsService;
  readonly http: HttpEffect;
  readonly prompter: Prompter;
  readonly logger: Logger;
  /** An event has been written. */
  onEvent(): void;
}

const DEFAULT_LIMIT = 100;

/** Makes the attempts of steps that do something outside their run. */
export class StepRunner {
  readonly #needs: StepDependencies;

  constructor(needs: StepDependencies) {
    this.#needs = needs;
  }

  /**
   * Makes one attempt and writes down what came of it, a failure included. An attempt that is over is left as it is.
   * @throws a passing fault of our own, which uses up none of the step's attempts
   */
  async run(runPid: string, { key, attempt, timeoutMs }: StepCall): Promise<void> {
    const { database, definitions } = this.#needs;
    const run = await findRun(database, runPid);
    const row = run && (await findStep(database, runPid, key));
    if (!row || row.status !== 'RUNNING' || row.attempt !== attempt) return;
    await withTrace(run.trace_id, async () => {
      const definition = await definitions.of(run);
      const outcome = await this.#outcome(run, row, definition, timeoutMs);
      await this.#end(run, row, definition, outcome);
    });
  }

  async #outcome(run: RunRow, row: StepRow, definition: Definition, timeoutMs: number): Promise<StepOutcome> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const expired = new Promise<StepOutcome>((resolve) => {
      late.signal.addEventListener('abort', () => {
        const data = { timeoutSeconds: timeoutMs / 1_000 };
        const message = `The step took longer than ${data.timeoutSeconds} s`;
        resolve(failedWith(new ApplicationError('REQUEST_TIMEOUT', { message, data }), true));
      });
    });
    try {
      const work = this.#attempt(run, row, definition, timeoutMs, late.signal);
      return checkedSize(await Promise.race([work, expired]));
    } catch (error) {
      if (isTransient(error)) throw error;
      if (error instanceof ApplicationError) return failedWith(error);
      const { trace_id: traceId, pid: runPid } = run;
      this.#needs.logger.error({ err: error, runPid, step: row.key, traceId }, 'a step failed for an unknown reason');
      return failedWith(new ApplicationError('INTERNAL_ERROR', { data: { traceId }, cause: error }));
    } finally {
      clearTimeout(timer);
      late.abort();
    }
  }

  async #attempt(
    run: RunRow,
    row: StepRow,
    definition: Definition,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<StepOutcome> {
    const { database, snapshots, commands, http, prompter, logger } = this.#needs;
    const { key, round, step_id: stepId, iteration } = row;
    const context = await new RunContext(definition, run, (keys) => outputsOf(database, run.pid, keys)).at(
      stepId,
      iteration,
    );
    const actor = actorOf(run, await snapshots.current(run.environment));
    const once = `${key}:${round}`;
    const undo = row.type === UNDO ? definition.compensationOf(stepId) : null;
    if (undo) return { kind: 'done', output: await commands.run(undo, context, actor, run, once, signal) };
    const { step } = definition.step(stepId);
    if (!isActing(step)) throw new Error(`the step ${key} does nothing outside its run`);
    switch (step.type) {
      case 'command':
        return { kind: 'done', output: await commands.run(step, context, actor, run, once, signal) };
      case 'query':
        return { kind: 'done', output: await this.#query(step, context, actor, key) };
      case 'http':
        return http.call(step, context, run.environment, key, `${run.pid}:${once}`, timeoutMs);
      case 'webhook':
        return this.#event(step, context, run, key);
      case 'assistant':
        return askAssistant(prompter, step, context, actor, key, signal, logger);
    }
  }

  async #query(step: QueryStep, context: ExpressionContext, actor: Actor, key: string): Promise<unknown> {
    const { modelCode, filters = [], sortField, sortOrder, limit = DEFAULT_LIMIT } = step;
    authorise(actor, permissionCode.recordRead(modelCode));
    const model = actor.metadata.model(modelCode);
    const conditions = filters.map(({ fieldName, operator, value }, index) => {
      const path = `${key}.filters.${index}.value`;
      return { fieldName, operator, ...(value !== undefined && { value: evaluate(value, context, path) }) };
    });
    const asked = { pageSize: String(limit), filters: JSON.stringify(conditions), sortField, sortOrder };
    const { records, total } = await this.#needs.records.list(
      actor,
      model,
      parseListQuery(asked, model, actor.permissions),
    );
    return { records, total };
  }

  #event(step: WebhookStep, context: ExpressionContext, run: RunRow, key: string): StepOutcome {
    const payload = evaluateMapping(step.payload, context, `${key}.payload`);
    const eventType = `automation.${run.automation_code}${step.event === undefined ? '' : `.${step.event}`}`;
    const result = { runPid: run.pid, automationCode: run.automation_code };
    const body = JSON.stringify({ commandCode: eventType, modelCode: null, payload, result });
    return { kind: 'done', output: { eventType, payload }, event: { eventType, body } };
  }

  async #end(run: RunRow, row: StepRow, definition: Definition, outcome: StepOutcome): Promise<void> {
    const event = outcome.kind === 'done' ? outcome.event : undefined;
    const eventPid = event ? newPid() : null;
    const end = endOf(row, definition, outcome, eventPid);
    await this.#needs.database.transaction(async (transaction) => {
      const isEnded = await endAttempt(transaction, run.pid, row, end);
      if (isEnded && event && eventPid) await insertStepEvent(transaction, run, eventPid, event);
    });
    if (event) this.#needs.onEvent();
    const { key: step, attempt } = row;
    this.#needs.logger.info({ runPid: run.pid, step, attempt, status: end.status, code: end.error?.code }, 'a step');
  }
}

function endOf(row: StepRow, definition: Definition, outcome: StepOutcome, eventPid: string | null): StepEnd {
  if (outcome.kind === 'done') {
    return { status: 'SUCCEEDED', output: outcome.output, error: null, delayMs: null, eventPid };
  }
  const { step } = definition.step(row.step_id);
  const retry = row.type === UNDO ? UNDO_RETRY : isActing(step) ? step.retry : undefined;
  const delayMs = outcome.retryable ? retryDelayMs(retry, row.attempt) : null;
  const status = delayMs === null ? 'FAILED' : 'RETRYING';
  return { status, output: undefined, error: outcome.error, delayMs, eventPid: null };
}
