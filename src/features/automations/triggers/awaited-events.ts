import { isTransient } from '../../../foundation/database/failures.ts';
import type { Database, Transaction } from '../../../foundation/database/pool.ts';
import { PollingLoop } from '../../../foundation/jobs/polling-loop.ts';
import { withMembers } from '../../../foundation/expressions/value-origin.ts';
import { inTurn, letOthersRun } from '../../../foundation/jobs/turns.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { actorOf, type Actor } from '../../../platform/auth/requests/actor.ts';
import { matchesEventType, RECORD_EVENT_TYPES } from '../../../platform/metadata/resources/event-types.ts';
import { presentBodyOf } from '../../../platform/events/audience/event-origins.ts';
import { originsOfEvent, within, type EventVisibility } from '../../../platform/events/audience/event-visibility.ts';
import { findEvent, type EventBody, type OutboxEvent } from '../../../platform/events/outbox/outbox.ts';
import { formerCodesOf } from '../../../platform/metadata/snapshot/present-values.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import {
  MAX_AWAITED_EVENT_FAILURES,
  MAX_WAITING_PAIRS,
  MAX_WAITING_STEPS,
  SWEEP_EVERY_MS,
} from '../automations.limits.ts';
import type { Definition } from '../definition/definition.ts';
import type { Definitions } from '../runs/values/definitions.ts';
import { withFormerCodes } from '../runs/values/former-codes.ts';
import { RunContext } from '../runs/values/run-context.ts';
import { RunValueOrigins } from '../runs/values/run-value-origins.ts';
import type { RunSignaller } from '../runs/run-signaller.ts';
import { findRuns, markForSignal, type RunRow, type SignalTarget } from '../runs/rows/run-store.ts';
import { outputsOfRuns } from '../runs/rows/step-store.ts';
import { isStepOf } from '../steps/step-kinds.ts';
import { StepExpressions } from '../steps/step-expressions.ts';
import { waitForEventStep } from '../steps/wait-for-event.step.ts';
import {
  countFailure,
  endWaiting,
  forgetAwaited,
  keepAwaited,
  seenUpTo,
  takeAwaited,
  waitingSteps,
  type ArrivedEvent,
  type AwaitedEvent,
  type WaitingStep,
} from './awaited-event-store.ts';
import { correlationsIn } from '../steps/correlation.ts';
import { eventVariable, withRecordEvents, type TriggerEvent } from './trigger-event.ts';

/** A waiting step and an event of the type that it waits for. */
interface PossibleMatch {
  readonly step: WaitingStep;
  readonly run: RunRow;
  readonly definition: Definition;
  readonly filter: string | undefined;
  readonly event: TriggerEvent;
  readonly reader: Actor;
}

/**
 * Delivers events to the steps that wait for them. The relay's transaction only notes that an event is
 * awaited; the steps see it in transactions of their own, a bounded number in each.
 */
export class AwaitedEvents {
  readonly #database: Database;
  readonly #definitions: Definitions;
  readonly #snapshots: SnapshotCache;
  readonly #visibility: EventVisibility;
  readonly #signaller: Pick<RunSignaller, 'signal'>;
  readonly #logger: Logger;
  readonly #loop = new PollingLoop(SWEEP_EVERY_MS, () => this.#drain());
  #draining: Promise<void> | null = null;
  #isNotifiedAgain = false;

  constructor(
    database: Database,
    definitions: Definitions,
    snapshots: SnapshotCache,
    visibility: EventVisibility,
    signaller: Pick<RunSignaller, 'signal'>,
    logger: Logger,
  ) {
    this.#database = database;
    this.#definitions = definitions;
    this.#snapshots = snapshots;
    this.#visibility = visibility;
    this.#signaller = signaller;
    this.#logger = logger;
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#loop.stop();
    await this.#draining;
  }

  /** Notes which of these events steps wait for, in the relay's transaction. @returns whether any are */
  async note(transaction: Transaction, events: readonly OutboxEvent[]): Promise<boolean> {
    const groups = Map.groupBy(events, ({ environment, tenantId, eventType, changeIds }) =>
      JSON.stringify([environment, tenantId, eventType, changeIds.length > 0]),
    );
    const named = [...groups.values()].flatMap((own) => {
      const [first] = own;
      if (!first) return [];
      const { environment, tenantId } = first;
      return [{ environment, tenantId, patterns: patternsFor(typesOf(first)), events: own }];
    });
    return (await keepAwaited(transaction, named)) > 0;
  }

  /** Begins to deliver what is awaited, in the background. */
  notify(): void {
    if (this.#draining) this.#isNotifiedAgain = true;
    else void this.#drain();
  }

  /** Never throws: what fails is left to the next round. */
  #drain(): Promise<void> {
    this.#draining ??= this.#deliverAll().finally(() => {
      this.#draining = null;
      if (this.#isNotifiedAgain) void this.#drain();
    });
    return this.#draining;
  }

  async #deliverAll(): Promise<void> {
    this.#isNotifiedAgain = false;
    try {
      while (await this.deliver());
    } catch (error) {
      this.#logger.debug({ err: error }, 'awaited events are left for later');
    }
  }

  /**
   * Shows the oldest awaited event to the next steps, in one transaction.
   * @returns whether there was one
   * @throws a transient fault
   */
  async deliver(): Promise<boolean> {
    let taken: AwaitedEvent | null = null;
    try {
      const signalled = await this.#database.transaction(async (transaction) => {
        taken = await takeAwaited(transaction);
        return taken && this.#show(transaction, taken);
      });
      if (!signalled) return false;
      await this.#signaller.signal(signalled);
    } catch (error) {
      if (isTransient(error) || !taken) throw error;
      const { eventId, eventPid } = taken as AwaitedEvent;
      const failures = await countFailure(this.#database, eventId, MAX_AWAITED_EVENT_FAILURES);
      this.#logger.error({ err: error, eventPid, failures }, 'an awaited event cannot be delivered');
    }
    return true;
  }

  /** @returns the runs that go on */
  async #show(transaction: Transaction, awaited: AwaitedEvent): Promise<SignalTarget[]> {
    const source = await findEvent(transaction, awaited.eventPid);
    const listed = source ? await withRecordEvents(transaction, [source], () => true) : null;
    const events = (source && listed?.get(source.pid)) ?? [];
    const limit = Math.max(1, Math.min(MAX_WAITING_STEPS, Math.floor(MAX_WAITING_PAIRS / events.length)));
    const patterns = source ? patternsFor(typesOf(source)) : [];
    const metadata = await this.#snapshots.current(awaited.environment);
    const waiting = await waitingSteps(transaction, awaited, patterns, correlationsOf(events, metadata), limit);
    const arrived = await this.#matches(transaction, waiting, events, metadata);
    const resumed = arrived.length === 0 ? [] : await endWaiting(transaction, arrived);
    const last = waiting.at(-1);
    if (last && waiting.length === limit) await seenUpTo(transaction, awaited, last.ordinal);
    else await forgetAwaited(transaction, awaited);
    return resumed.length === 0 ? [] : markForSignal(transaction, resumed);
  }

  /** The steps that get one of the events: the first that their run may see and their filter lets through. */
  async #matches(
    transaction: Transaction,
    waiting: readonly WaitingStep[],
    events: readonly TriggerEvent[],
    metadata: Snapshot,
  ): Promise<ArrivedEvent[]> {
    const possible = await this.#possibleMatches(transaction, waiting, events, metadata);
    const bodies = await this.#visibility.visibleBodies(within(transaction), possible);
    const outputs = await outputsOfRuns(transaction, possible.filter((_, index) => bodies[index]).flatMap(readsOf));
    const arrived = new Map<WaitingStep, ArrivedEvent>();
    for (const [index, match] of possible.entries()) {
      const visible = bodies[index];
      const { step, run, event } = match;
      if (!visible || arrived.has(step)) continue;
      await letOthersRun();
      const variable = eventVariable(event, visible.body());
      if (!(await this.#passesFilter(match, variable, outputs.get(run.pid)))) continue;
      const { runPid, key, ordinal } = step;
      arrived.set(step, { runPid, key, ordinal, output: { event: variable } });
    }
    return [...arrived.values()];
  }

  async #possibleMatches(
    transaction: Transaction,
    waiting: readonly WaitingStep[],
    events: readonly TriggerEvent[],
    metadata: Snapshot,
  ): Promise<PossibleMatch[]> {
    if (events.length === 0 || waiting.length === 0) return [];
    const runPids = waiting.map(({ runPid }) => runPid);
    const runs = new Map((await findRuns(transaction, runPids)).map((run) => [run.pid, run]));
    const readers = new Map<string, Actor>();
    const possible: PossibleMatch[] = [];
    for (const step of waiting) {
      const run = runs.get(step.runPid);
      const definition = run && (await this.#definitionOf(run));
      const content = definition?.step(step.stepId).step;
      if (!run || !definition || !content || !isStepOf(waitForEventStep, content)) continue;
      const { userPid, username, roles } = run;
      // Equal readers are one reader, so that each row rule is evaluated once.
      const identity = JSON.stringify([userPid, username, roles]);
      const reader = readers.get(identity) ?? actorOf(run, metadata);
      readers.set(identity, reader);
      const { filter, modelCode } = content;
      for (const event of events) {
        if (!matchesEventType(step.waitFor, event.eventType)) continue;
        if (modelCode !== undefined && modelCode !== event.modelCode) continue;
        possible.push({ step, run, definition, filter, event, reader });
      }
    }
    return possible;
  }

  /** Null where it is lost: its steps wait for their time-outs. */
  async #definitionOf(run: RunRow): Promise<Definition | null> {
    try {
      return await this.#definitions.of(run);
    } catch (error) {
      if (isTransient(error)) throw error;
      this.#logger.error({ err: error, runPid: run.pid }, 'a waiting run has lost its definition');
      return null;
    }
  }

  /** An event for which the filter cannot be evaluated does not match. */
  async #passesFilter(
    { step: { key, stepId, iteration, runPid }, run, definition, filter, reader: { metadata } }: PossibleMatch,
    variable: ReturnType<typeof eventVariable>,
    outputs: ReadonlyMap<string, unknown> = new Map<string, unknown>(),
  ): Promise<boolean> {
    if (filter === undefined) return true;
    const origins = RunValueOrigins.ofRun(definition, run, metadata);
    const context = new RunContext(definition, run, () => Promise.resolve(outputs), origins);
    try {
      const expressions = new StepExpressions(key, await context.at(stepId, iteration, variable));
      return (await inTurn(() => expressions.evaluate(filter, 'filter'))) === true;
    } catch (error) {
      this.#logger.debug({ err: error, runPid, step: key }, 'a filter cannot be evaluated for an event');
      return false;
    }
  }
}

/** The outputs that the filter of a waiting step may read. */
function readsOf({ step: { runPid, stepId, iteration }, definition, filter }: PossibleMatch) {
  if (filter === undefined) return [];
  return definition.readBy(stepId, iteration).map(([, key]) => ({ runPid, key }));
}

/** The types of an event and of the generic events of its records. */
function typesOf({ eventType, changeIds }: OutboxEvent): string[] {
  return [eventType, ...(changeIds.length > 0 ? RECORD_EVENT_TYPES : [])];
}

/** Every `eventType` of a step that waits for one of these types. */
function patternsFor(types: readonly string[]): string[] {
  const starts = types.flatMap((type) => Array.from({ length: type.length + 1 }, (_, end) => `${type.slice(0, end)}*`));
  return [...new Set([...types, ...starts])];
}

/** A step may wait since before a field was renamed, or the event be from before it: both codes are there. */
function correlationsOf(events: readonly TriggerEvent[], metadata: Snapshot): string[] | null {
  const all: string[] = [];
  for (const event of events) {
    const origins = originsOfEvent(event, metadata);
    const body = presentBodyOf(JSON.parse(event.body) as EventBody, origins, metadata);
    const variable = eventVariable(event, body);
    const read = withFormerCodes(variable, withMembers(Object.entries(origins)), formerCodesOf(metadata));
    const found = correlationsIn(read as object);
    if (!found) return null;
    all.push(...found);
  }
  return [...new Set(all)];
}
