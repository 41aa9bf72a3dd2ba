import type { Transaction } from '../database/pool.ts';
import type { EventConsumer } from '../events/event-relay.ts';
import type { OutboxEvent } from '../events/outbox.ts';
import type { Logger } from '../logging/logger.ts';
import type { Automation, Snapshot } from '../metadata/snapshot.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import { matchesFilter } from '../events/event-filter.ts';
import { matchesEventType } from '../events/event-pattern.ts';
import type { AwaitedEvents } from './awaited-events.ts';
import { originsOf, type EventOrigin } from './event-origin.ts';
import { triggeredRun } from './new-run.ts';
import { insertRuns, type NewRun } from './run-store.ts';
import type { RunWaker } from './run-waker.ts';
import { visibleBody, withRecordEvents, type SeenEvent } from './seen-event.ts';

/** A run that is caused by a run, and so on: so long a chain of causes may be. */
const MAX_DEPTH = 5;

/** Begins the runs that events ask for, and tells those that wait for them, in the transaction that marks the events. */
export class AutomationTriggers implements EventConsumer {
  readonly #snapshots: SnapshotCache;
  readonly #awaited: AwaitedEvents;
  readonly #waker: RunWaker;
  readonly #logger: Logger;

  constructor(snapshots: SnapshotCache, awaited: AwaitedEvents, waker: RunWaker, logger: Logger) {
    this.#snapshots = snapshots;
    this.#awaited = awaited;
    this.#waker = waker;
    this.#logger = logger;
  }

  async consume(transaction: Transaction, events: readonly OutboxEvent[]): Promise<() => Promise<void>> {
    const waiting = await this.#awaited.stepsFor(transaction, events);
    const runs: NewRun[] = [];
    const seen: SeenEvent[] = [];
    const byEnvironment = Map.groupBy(events, ({ environment }) => environment);
    for (const [environment, own] of byEnvironment) {
      const metadata = await this.#snapshots.current(environment);
      const automations = [...metadata.automations.values()].filter(isTriggeredByEvents);
      if (automations.length === 0 && waiting.length === 0) continue;
      const origins = automations.length === 0 ? new Map<string, EventOrigin>() : await originsOf(transaction, own);
      const patterns = [...automations.map(patternOf), ...waiting.map(({ wait_for: pattern }) => pattern)];
      for (const event of own) {
        const all = await withRecordEvents(transaction, event, patterns);
        seen.push(...all);
        for (const each of all) runs.push(...this.#runsFor(each, automations, metadata, origins.get(event.pid)));
      }
    }
    const begun = runs.length === 0 ? [] : await insertRuns(transaction, runs);
    const reached = await this.#awaited.deliver(transaction, waiting, seen);
    const woken = [...begun.filter(({ status }) => status === 'PENDING'), ...reached];
    return () => this.#waker.wake(woken);
  }

  #runsFor(
    event: SeenEvent,
    automations: readonly Automation[],
    metadata: Snapshot,
    origin: EventOrigin | undefined,
  ): NewRun[] {
    return automations.flatMap((automation) => {
      const { content, code } = automation;
      if (!isMeant(content.trigger, event)) return [];
      const { source } = event;
      // Nobody has caused it: then there must be a role to act in.
      const actor = origin?.user_pid === undefined || origin.user_pid === null ? null : origin;
      if (!actor && content.runAs === undefined) return [];
      const roles = content.runAs === undefined ? (actor?.roles ?? []) : [content.runAs];
      const body = visibleBody(event, metadata, roles);
      if (!body) return [];
      const filter = 'filter' in content.trigger ? content.trigger.filter : undefined;
      if (filter !== undefined && !matchesFilter(filter, body)) return [];
      const depth = origin?.depth === null || origin?.depth === undefined ? 0 : origin.depth + 1;
      if (depth > MAX_DEPTH) {
        const { pid: eventPid } = source;
        this.#logger.warn({ automation: code, eventPid, runPid: origin?.run_pid }, 'a chain of automations was cut');
        return [];
      }
      const run = triggeredRun(automation, {
        environment: source.environment,
        tenantId: source.tenant_id,
        userId: actor?.user_id ?? '0',
        userPid: actor?.user_pid ?? 'AUTOMATION',
        username: actor?.username ?? `automation:${code}`,
        roles,
        trigger: content.trigger.type,
        triggerKey: event.key,
        traceId: source.trace_id,
        event: { pid: source.pid, eventType: event.event_type, recordPid: event.record_pid, ...body },
        parentRunPid: origin?.run_pid ?? null,
        depth,
      });
      return [run];
    });
  }
}

function isTriggeredByEvents({ content }: Automation): boolean {
  return content.enabled !== false && (content.trigger.type === 'event' || content.trigger.type === 'command');
}

function patternOf({ content: { trigger } }: Automation): string {
  return trigger.type === 'event' ? trigger.eventType : '';
}

function isMeant(trigger: Automation['content']['trigger'], event: SeenEvent): boolean {
  if (trigger.type === 'command') {
    return event.key === event.source.pid && event.source.command_code === trigger.commandCode;
  }
  if (trigger.type !== 'event' || !matchesEventType(trigger.eventType, event.event_type)) return false;
  return trigger.modelCode === undefined || trigger.modelCode === event.model_code;
}
