import type { Transaction } from '../../../foundation/database/pool.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { actorOf, type Identity } from '../../../platform/auth/requests/actor.ts';
import { matchesFilter } from '../../../platform/events/event-filter.ts';
import { matchesEventType } from '../../../platform/events/event-pattern.ts';
import type { EventConsumer } from '../../../platform/events/event-relay.ts';
import { within, type EventVisibility } from '../../../platform/events/event-visibility.ts';
import type { OutboxEvent } from '../../../platform/events/outbox.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import { type Automation, AUTOMATION } from '../definition/automation-type.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { triggeredRun } from '../runs/new-run.ts';
import { insertRuns, type NewRun } from '../runs/run-store.ts';
import type { RunSignaller } from '../runs/run-signaller.ts';
import { stepsWaitingFor } from '../runs/step-store.ts';
import type { AwaitedEvents } from './awaited-events.ts';
import { originsOf, type EventOrigin } from './event-origin.ts';
import { eventVariable, withRecordEvents, type TriggerEvent } from './trigger-event.ts';
import { MAX_CHAIN_DEPTH } from '../automations.limits.ts';

/**
 * Inserts the runs that events trigger and resumes those that wait for them, in the transaction that marks
 * the events.
 */
export class AutomationTriggers implements EventConsumer {
  readonly #snapshots: SnapshotCache;
  readonly #visibility: EventVisibility;
  readonly #awaited: AwaitedEvents;
  readonly #signaller: RunSignaller;
  readonly #logger: Logger;

  constructor(
    snapshots: SnapshotCache,
    visibility: EventVisibility,
    awaited: AwaitedEvents,
    signaller: RunSignaller,
    logger: Logger,
  ) {
    this.#snapshots = snapshots;
    this.#visibility = visibility;
    this.#awaited = awaited;
    this.#signaller = signaller;
    this.#logger = logger;
  }

  async consume(transaction: Transaction, events: readonly OutboxEvent[]): Promise<() => Promise<void>> {
    const waiting = await stepsWaitingFor(transaction, events);
    const runs: NewRun[] = [];
    const candidates: TriggerEvent[] = [];
    for (const [environment, own] of Map.groupBy(events, (event) => event.environment)) {
      const metadata = await this.#snapshots.current(environment);
      const automations = [...metadata.all(AUTOMATION).values()].filter(isTriggeredByEvents);
      if (automations.length === 0 && waiting.length === 0) continue;
      const origins = automations.length === 0 ? new Map<string, EventOrigin>() : await originsOf(transaction, own);
      const patterns = [...automations.map(patternOf), ...waiting.map(({ waitFor: pattern }) => pattern)];
      for (const source of own) {
        for (const event of await withRecordEvents(transaction, source, patterns)) {
          candidates.push(event);
          for (const automation of automations.filter(({ content }) => isTriggeredBy(content.trigger, event))) {
            const run = await this.#runFor(transaction, event, automation, metadata, origins.get(source.pid));
            if (run) runs.push(run);
          }
        }
      }
    }
    const inserted = runs.length === 0 ? [] : await insertRuns(transaction, runs);
    const resumed = await this.#awaited.deliver(transaction, waiting, candidates);
    const signalled = [...inserted.filter(({ status }) => status === 'PENDING'), ...resumed];
    return () => this.#signaller.signal(signalled);
  }

  /**
   * The run that an event triggers; null where the run's actor may not see the event, or the filter refuses
   * it.
   */
  async #runFor(
    transaction: Transaction,
    event: TriggerEvent,
    automation: Automation,
    metadata: Snapshot,
    cause: EventOrigin | undefined,
  ): Promise<NewRun | null> {
    const { code, content } = automation;
    const { source } = event;
    const identity = identityOf(automation, event, cause);
    if (!identity) return null;
    const visible = await this.#visibility.visibleBody(within(transaction), event, actorOf(identity, metadata));
    if (!visible) return null;
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
    return triggeredRun(automation, {
      ...identity,
      environment: source.environment,
      trigger: content.trigger.type,
      triggerKey: event.key,
      traceId: source.traceId,
      event: eventVariable(event, body),
      parentRunPid,
      depth,
    });
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
    return event.key === event.source.pid && event.source.commandCode === trigger.commandCode;
  }
  if (trigger.type !== 'event' || !matchesEventType(trigger.eventType, event.eventType)) return false;
  return trigger.modelCode === undefined || trigger.modelCode === event.modelCode;
}
