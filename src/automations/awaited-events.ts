import type { Transaction } from '../database/pool.ts';
import type { OutboxEvent } from '../events/outbox.ts';
import type { Logger } from '../logging/logger.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import { matchesEventType } from '../events/event-pattern.ts';
import type { Definitions } from './definitions.ts';
import { evaluate, RunContext } from './run-context.ts';
import { lockRun, markWoken, type Wakeable } from './run-store.ts';
import { visibleBody, type SeenEvent } from './seen-event.ts';
import { findStep, outputsOf, saveSteps } from './step-store.ts';

/** A step that waits for an event. */
export interface WaitingStep {
  readonly run_pid: string;
  readonly environment: string;
  readonly tenant_id: string;
  readonly key: string;
  readonly wait_for: string;
}

/** Hands events to the steps that wait for them. */
export class AwaitedEvents {
  readonly #definitions: Definitions;
  readonly #snapshots: SnapshotCache;
  readonly #logger: Logger;

  constructor(definitions: Definitions, snapshots: SnapshotCache, logger: Logger) {
    this.#definitions = definitions;
    this.#snapshots = snapshots;
    this.#logger = logger;
  }

  /** The waiting steps of the tenants and environments that these events belong to, oldest first. */
  stepsFor(transaction: Transaction, events: readonly OutboxEvent[]): Promise<WaitingStep[]> {
    const owners = [...new Set(events.map(({ environment, tenant_id: tenantId }) => `${environment}:${tenantId}`))];
    return transaction.query<WaitingStep>(
      `select s.run_pid, s.environment, s.tenant_id, s.key, s.wait_for
       from unnest($1::text[], $2::bigint[]) as o (environment, tenant_id)
       join platform.automation_step s on s.environment = o.environment and s.tenant_id = o.tenant_id
       where s.status = 'WAITING' and s.wait_for is not null order by s.run_pid, s.ordinal`,
      [owners.map((owner) => owner.split(':')[0]), owners.map((owner) => owner.split(':')[1])],
    );
  }

  /** Ends each step that one of the events is for, with the first that is. Gives the runs to be woken. */
  async deliver(
    transaction: Transaction,
    waiting: readonly WaitingStep[],
    events: readonly SeenEvent[],
  ): Promise<Wakeable[]> {
    const reached = new Set<string>();
    for (const step of waiting) {
      const candidates = events.filter(
        ({ source, event_type: type }) =>
          source.environment === step.environment &&
          source.tenant_id === step.tenant_id &&
          matchesEventType(step.wait_for, type),
      );
      if (candidates.length > 0 && (await this.#deliverTo(transaction, step, candidates))) reached.add(step.run_pid);
    }
    return reached.size === 0 ? [] : markWoken(transaction, [...reached]);
  }

  async #deliverTo(transaction: Transaction, waiting: WaitingStep, events: readonly SeenEvent[]): Promise<boolean> {
    const run = await lockRun(transaction, waiting.run_pid);
    const row = run && (await findStep(transaction, run.pid, waiting.key));
    // It may have ended while its run was waited for.
    if (!run || row?.status !== 'WAITING') return false;
    const definition = await this.#definitions.of(run);
    const { step } = definition.step(row.step_id);
    if (step.type !== 'waitForEvent') return false;
    const metadata = await this.#snapshots.current(run.environment);
    const context = new RunContext(definition, run, (keys) => outputsOf(transaction, run.pid, keys));
    for (const event of events) {
      if (step.modelCode !== undefined && step.modelCode !== event.model_code) continue;
      const body = visibleBody(event, metadata, run.roles);
      if (!body) continue;
      const told = { pid: event.source.pid, eventType: event.event_type, recordPid: event.record_pid, ...body };
      if (step.filter !== undefined) {
        const variables = await context.at(row.step_id, row.iteration, told);
        if (!this.#holds(step.filter, variables, waiting)) continue;
      }
      const ended = { ...row, status: 'SUCCEEDED' as const, wait_for: null, due_at: null, finished_at: run.now };
      await saveSteps(transaction, run, [{ ...ended, output: { event: told } }]);
      return true;
    }
    return false;
  }

  /** A filter that cannot be evaluated for an event is not met by it. */
  #holds(filter: string, variables: Readonly<Record<string, unknown>>, { run_pid: runPid, key }: WaitingStep): boolean {
    try {
      return evaluate(filter, variables, key) === true;
    } catch (error) {
      this.#logger.debug({ err: error, runPid, step: key }, 'a filter cannot be evaluated for an event');
      return false;
    }
  }
}
