import { inTurn } from '../../../foundation/jobs/turns.ts';
import type { Transaction } from '../../../foundation/database/pool.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { actorOf, type Actor, type Identity } from '../../../platform/auth/requests/actor.ts';
import { matchesFilter } from '../../../platform/events/event-filter.ts';
import { matchesEventType } from '../../../platform/events/event-pattern.ts';
import type { EventConsumer } from '../../../platform/events/outbox/event-relay.ts';
import { within, type EventVisibility, type VisibleBody } from '../../../platform/events/audience/event-visibility.ts';
import { includesRecordEvents } from '../../../platform/events/changes/record-events.ts';
import type { OutboxEvent } from '../../../platform/events/outbox/outbox.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import { type Automation, AUTOMATION } from '../definition/automation-type.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { triggeredRun } from '../runs/new-run.ts';
import { insertRuns, type NewRun } from '../runs/rows/run-store.ts';
import type { RunSignaller } from '../runs/run-signaller.ts';
import type { AwaitedEvents } from './awaited-events.ts';
import { originsOf, type EventOrigin } from './event-origin.ts';
import { requestedRuns } from './requested-runs.ts';
import { eventVariable, withRecordEvents, type TriggerEvent } from './trigger-event.ts';
import { MAX_CHAIN_DEPTH } from '../automations.limits.ts';

/** The automations of an environment that events trigger. */
interface Triggered {
  readonly metadata: Snapshot;
  readonly triggered: readonly Automation[];
}

/** An event that triggers an automation, unless its run may not see it. */
interface Trigger {
  readonly event: TriggerEvent;
  readonly automation: Automation;
  readonly cause: EventOrigin | undefined;
  readonly identity: Identity;
  readonly reader: Actor;
}

/**
 * Inserts the runs that events trigger, and notes the events that steps wait for, in the transaction that
 * marks the events.
 */
export class AutomationTriggers implements EventConsumer {
  readonly #snapshots: SnapshotCache;
  readonly #visibility: EventVisibility;
  readonly #awaited: AwaitedEvents;
  readonly #signaller: Pick<RunSignaller, 'signal'>;
  readonly #logger: Logger;

  constructor(
    snapshots: SnapshotCache,
    visibility: EventVisibility,
    awaited: AwaitedEvents,
    signaller: Pick<RunSignaller, 'signal'>,
    logger: Logger,
  ) {
    this.#snapshots = snapshots;
    this.#visibility = visibility;
    this.#awaited = awaited;
    this.#signaller = signaller;
    this.#logger = logger;
  }

  async consume(transaction: Transaction, events: readonly OutboxEvent[]): Promise<() => Promise<void>> {
    const automations = await this.#automations(events);
    const patterns = [...automations.values()].flatMap(({ triggered }) => triggered.map(patternOf));
    const isHeard = includesRecordEvents(patterns);
    const listed = await withRecordEvents(transaction, events, () => isHeard);
    const candidates = [...listed.values()].flat();
    const triggered = await this.#runsFor(transaction, events, candidates, automations);
    const requested = await requestedRuns(transaction, events, this.#snapshots, this.#logger);
    const runs = [...triggered, ...requested];
    const inserted = runs.length === 0 ? [] : await insertRuns(transaction, runs);
    const isAwaited = await this.#awaited.note(transaction, events);
    return async () => {
      if (isAwaited) this.#awaited.notify();
      await this.#signaller.signal(inserted.filter(({ status }) => status === 'PENDING'));
    };
  }

  /** The automations that events trigger, in the environments of these events. */
  async #automations(events: readonly OutboxEvent[]): Promise<ReadonlyMap<string, Triggered>> {
    const environments = [...new Set(events.map(({ environment }) => environment))];
    const read = environments.map(async (environment) => {
      const metadata = await this.#snapshots.current(environment);
      const triggered = [...metadata.all(AUTOMATION).values()].filter(isTriggeredByEvents);
      return [environment, { metadata, triggered }] as const;
    });
    return new Map(await Promise.all(read));
  }

  /** The runs that events trigger, in the order of the events. */
  async #runsFor(
    transaction: Transaction,
    events: readonly OutboxEvent[],
    candidates: readonly TriggerEvent[],
    automations: ReadonlyMap<string, Triggered>,
  ): Promise<NewRun[]> {
    if ([...automations.values()].every(({ triggered }) => triggered.length === 0)) return [];
    const origins = await originsOf(transaction, events);
    const readers = new Map<string, Actor>();
    const triggers = candidates.flatMap((event) => {
      const { environment, pid } = event.source;
      const { metadata, triggered } = automations.get(environment) as Triggered;
      const own = triggered.filter(({ content }) => isTriggeredBy(content.trigger, event));
      return own.flatMap((automation): Trigger[] => {
        const cause = origins.get(pid);
        const identity = identityOf(automation, event, cause);
        if (!identity) return [];
        // Equal readers are one reader, so that each row rule is asked once.
        const key = JSON.stringify([environment, identity]);
        const reader = readers.get(key) ?? actorOf(identity, metadata);
        readers.set(key, reader);
        return [{ event, automation, cause, identity, reader }];
      });
    });
    const bodies = await this.#visibility.visibleBodies(within(transaction), triggers);
    const runs = triggers.map((trigger, index) => inTurn(() => this.#runFor(trigger, bodies[index] ?? null) ?? []));
    return (await Promise.all(runs)).flat();
  }

  /**
   * The run that an event triggers; null where the run's actor may not see the event, or the filter refuses
   * it.
   */
  #runFor({ event, automation, cause, identity, reader }: Trigger, visible: VisibleBody | null): NewRun | null {
    if (!visible) return null;
    const { code, content } = automation;
    const { source } = event;
    const body = visible.body();
    const filter = 'filter' in content.trigger ? content.trigger.filter : undefined;
    if (filter !== undefined && !matchesFilter(filter, body)) return null;
    const depth = typeof cause?.depth === 'number' ? cause.depth + 1 : 0;
    const parentRunPid = cause?.runPid ?? null;
    if (depth > MAX_CHAIN_DEPTH) {
      this.#logger.warn(
        { automation: code, eventPid: source.pid, runPid: parentRunPid },
        'a chain of automations was cut',
      );
      return null;
    }
    const origin = {
      ...identity,
      environment: source.environment,
      trigger: content.trigger.type,
      triggerKey: event.key,
      traceId: source.traceId,
      event: eventVariable(event, body),
      parentRunPid,
      depth,
    };
    return triggeredRun(automation, origin, reader.metadata);
  }
}

/** The identity and roles of the run: those of the user who caused the event, or the automation's role. */
function identityOf(
  { code, content: { runAs } }: Automation,
  { source }: TriggerEvent,
  cause: EventOrigin | undefined,
): Identity | null {
  const { userPid = null, userId, username, keyMadeBy, roles } = cause ?? {};
  // An event that no user caused needs a role to act in.
  if (userPid === null && runAs === undefined) return null;
  return {
    tenantId: source.tenantId,
    userId: userId ?? '0',
    userPid: userPid ?? 'AUTOMATION',
    username: username ?? `automation:${code}`,
    keyMadeBy,
    roles: runAs === undefined ? (roles ?? []) : [runAs],
  };
}

function isTriggeredByEvents({ content }: Automation): boolean {
  return content.enabled !== false && (content.trigger.type === 'event' || content.trigger.type === 'command');
}

function patternOf({ content: { trigger } }: Automation): string {
  return trigger.type === 'event' ? trigger.eventType : '';
}

function isTriggeredBy(trigger: Automation['content']['trigger'], event: TriggerEvent): boolean {
  if (trigger.type === 'command') {
    const { pid, commandCode, stepId } = event.source;
    return event.key === pid && stepId === '' && commandCode === trigger.commandCode;
  }
  if (trigger.type !== 'event' || !matchesEventType(trigger.eventType, event.eventType)) return false;
  return trigger.modelCode === undefined || trigger.modelCode === event.modelCode;
}
