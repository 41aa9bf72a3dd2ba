import type { Transaction } from '../../../foundation/database/pool.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { matchesEventType } from '../../../platform/events/event-pattern.ts';
import { within, type EventVisibility } from '../../../platform/events/event-visibility.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import type { Definitions } from '../runs/definitions.ts';
import { actorOf } from '../../../platform/auth/requests/actor.ts';
import { isStepOf } from '../steps/step-kinds.ts';
import { StepExpressions } from '../steps/step-expressions.ts';
import { waitForEventStep } from '../steps/wait-for-event.step.ts';
import { RunContext } from '../runs/run-context.ts';
import { lockRun, markForSignal, type SignalTarget } from '../runs/run-store.ts';
import { findStep, outputsOf, saveSteps, type WaitingStep } from '../runs/step-store.ts';
import { eventVariable, type TriggerEvent } from './trigger-event.ts';

/** Delivers events to the steps that wait for them. */
export class AwaitedEvents {
  readonly #definitions: Definitions;
  readonly #snapshots: SnapshotCache;
  readonly #visibility: EventVisibility;
  readonly #logger: Logger;

  constructor(definitions: Definitions, snapshots: SnapshotCache, visibility: EventVisibility, logger: Logger) {
    this.#definitions = definitions;
    this.#snapshots = snapshots;
    this.#visibility = visibility;
    this.#logger = logger;
  }

  /** Ends each waiting step with the first event that it waits for. @returns the runs to signal */
  async deliver(
    transaction: Transaction,
    waiting: readonly WaitingStep[],
    events: readonly TriggerEvent[],
  ): Promise<SignalTarget[]> {
    const resumed = new Set<string>();
    for (const step of waiting) {
      const candidates = events.filter(
        ({ source, eventType: type }) =>
          source.environment === step.environment &&
          source.tenantId === step.tenantId &&
          matchesEventType(step.waitFor, type),
      );
      if (candidates.length > 0 && (await this.#deliverTo(transaction, step, candidates))) resumed.add(step.runPid);
    }
    return resumed.size === 0 ? [] : markForSignal(transaction, [...resumed]);
  }

  async #deliverTo(transaction: Transaction, waiting: WaitingStep, events: readonly TriggerEvent[]): Promise<boolean> {
    const run = await lockRun(transaction, waiting.runPid);
    const row = run && (await findStep(transaction, run.pid, waiting.key));
    // The step may have ended before its run was locked.
    if (!run || row?.status !== 'WAITING') return false;
    const definition = await this.#definitions.of(run);
    const { step } = definition.step(row.stepId);
    if (!isStepOf(waitForEventStep, step)) return false;
    const reader = actorOf(run, await this.#snapshots.current(run.environment));
    const context = new RunContext(definition, run, (keys) => outputsOf(transaction, run.pid, keys));
    for (const event of events) {
      if (step.modelCode !== undefined && step.modelCode !== event.modelCode) continue;
      const visible = await this.#visibility.visibleBody(within(transaction), event, reader);
      if (!visible) continue;
      const variable = eventVariable(event, visible.body());
      if (step.filter !== undefined) {
        const expressions = new StepExpressions(row.key, await context.at(row.stepId, row.iteration, variable));
        if (!this.#matches(step.filter, expressions, waiting)) continue;
      }
      const ended = { ...row, status: 'SUCCEEDED' as const, waitFor: null, dueAt: null, finishedAt: run.now };
      await saveSteps(transaction, run, [{ ...ended, output: { event: variable } }]);
      return true;
    }
    return false;
  }

  /** An event for which the filter cannot be evaluated does not match. */
  #matches(filter: string, expressions: StepExpressions, { runPid, key }: WaitingStep): boolean {
    try {
      return expressions.evaluate(filter, 'filter') === true;
    } catch (error) {
      this.#logger.debug({ err: error, runPid, step: key }, 'a filter cannot be evaluated for an event');
      return false;
    }
  }
}
