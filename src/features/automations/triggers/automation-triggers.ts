import { inTurn } from '../../../foundation/jobs/turns.ts';
import type { Transaction, SqlRunner } from '../../../foundation/database/pool.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { actorOf, type Actor, type Identity } from '../../../platform/auth/requests/actor.ts';
import { matchesFilter } from '../../../platform/events/event-filter.ts';
import { matchesEventType } from '../../../platform/metadata/resources/event-types.ts';
import { includesRecordEvents } from '../../../platform/events/event-pattern.ts';
import type { EventConsumer } from '../../../platform/events/outbox/event-relay.ts';
import { within, type EventVisibility, type VisibleBody } from '../../../platform/events/audience/event-visibility.ts';
import type { OutboxEvent } from '../../../platform/events/outbox/outbox.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import { type Automation, AUTOMATION } from '../definition/automation-type.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import { triggeredRun, requestedRun } from '../runs/new-run.ts';
import { insertRuns, type NewRun, type RunRow } from '../runs/rows/run-store.ts';
import type { RunSignaller } from '../runs/run-signaller.ts';
import type { AwaitedEvents } from './awaited-events.ts';
import { eventVariable, withRecordEvents, type TriggerEvent } from './trigger-event.ts';
import { MAX_CHAIN_DEPTH } from '../automations.limits.ts';
import { withLogContext } from '../../../foundation/logging/trace.ts';
import { columnList } from '../../../foundation/database/columns.ts';
import { callersOf } from '../../commands/executions/execution-store.ts';

const CAUSE = ['pid', 'userId', 'userPid', 'username', 'keyMadeBy', 'roles', 'depth'] as const;
type Cause = Pick<RunRow, (typeof CAUSE)[number]>;

/** The user whose command or run has caused an event, and the run, if it was one. */
interface EventCause extends Omit<Cause, 'pid' | 'depth'> {
  readonly runPid: string | null;
  readonly depth: number | null;
}

/** The causes of events, by event pid; an event that neither a command nor a run has made has none. */
async function causesOf(runner: SqlRunner, events: readonly OutboxEvent[]): Promise<Map<string, EventCause>> {
  const executionPids = events.flatMap(({ executionPid }) => executionPid ?? []);
  const eventPids = events.map(({ pid }) => pid);
  const [callers, senders] = await Promise.all([callersOf(runner, executionPids), runsThatSent(runner, eventPids)]);
  const runsByEvent = new Map(senders.map(({ eventPid, ...run }) => [eventPid, run]));
  const runs = await runsOf(
    runner,
    [...callers.values()].flatMap(({ runPid }) => runPid ?? []),
  );
  const causes = new Map<string, EventCause>();
  for (const { pid, executionPid } of events) {
    const caller = callers.get(executionPid ?? '');
    const run = runsByEvent.get(pid) ?? runs.get(caller?.runPid ?? '');
    const user = caller ?? run;
    if (!user) continue;
    const { userId, userPid, username, keyMadeBy, roles } = user;
    const { pid: runPid = null, depth = null } = run ?? {};
    causes.set(pid, { userId, userPid, username, keyMadeBy, roles, runPid, depth });
  }
  return causes;
}

function runsThatSent(runner: SqlRunner, eventPids: readonly string[]): Promise<(Cause & { eventPid: string })[]> {
  return runner.query(
    `select s.event_pid, ${columnList(CAUSE, 'r')} from platform.automation_step s
     join platform.automation_run r on r.pid = s.run_pid where s.event_pid = any($1)`,
    [eventPids],
  );
}

async function runsOf(runner: SqlRunner, pids: readonly string[]): Promise<ReadonlyMap<string, Cause>> {
  if (pids.length === 0) return new Map();
  const text = `select ${columnList(CAUSE)} from platform.automation_run where pid = any($1)`;
  return new Map((await runner.query<Cause>(text, [pids])).map((run) => [run.pid, run]));
}

/** The runs that steps of commands start, in the order of the commands' events. */
async function requestedRuns(
  transaction: Transaction,
  events: readonly OutboxEvent[],
  snapshots: SnapshotCache,
  logger: Logger,
): Promise<NewRun[]> {
  const starting = events.filter(({ runStarts }) => runStarts !== null);
  if (starting.length === 0) return [];
  const causes = await causesOf(transaction, starting);
  const runs: NewRun[] = [];
  for (const event of starting) {
    const { pid, tenantId, environment, traceId, runStarts } = event;
    const metadata = await snapshots.current(environment);
    const caused = causes.get(pid);
    for (const start of runStarts ?? []) {
      const automation = metadata.find(AUTOMATION, start.automationCode);
      if (!automation || !caused) {
        withLogContext(event, () =>
          logger.warn({ eventPid: pid, automation: start.automationCode }, 'a run could not be started'),
        );
        continue;
      }
      const { runPid: parentRunPid, depth, ...user } = caused;
      const cause = {
        ...user,
        tenantId,
        environment,
        traceId,
        parentRunPid,
        depth: depth === null ? 0 : depth + 1,
        trigger: 'command' as const,
        triggerKey: `${pid}#${start.stepId}`,
      };
      runs.push(requestedRun(automation, cause, start));
    }
  }
  return runs;
}

/** The automations of an environment that events trigger. */
interface TriggeredAutomations {
  readonly metadata: Snapshot;
  readonly automations: readonly Automation[];
}

/** An event that triggers an automation, unless its run may not see it. */
interface Trigger {
  readonly event: TriggerEvent;
  readonly automation: Automation;
  readonly cause: EventCause | undefined;
  readonly identity: Identity;
  readonly reader: Actor;
}

interface AutomationTriggersParts {
  readonly snapshots: SnapshotCache;
  readonly visibility: EventVisibility;
  readonly awaited: AwaitedEvents;
  readonly signaller: Pick<RunSignaller, 'signal'>;
  readonly logger: Logger;
}

/**
 * Inserts the runs that events trigger, and notes the events that steps wait for, in the transaction that
 * marks the events.
 */
export function automationTriggers(parts: AutomationTriggersParts): EventConsumer {
  return { consume: (transaction, events) => consume(parts, transaction, events) };
}

async function consume(
  parts: AutomationTriggersParts,
  transaction: Transaction,
  events: readonly OutboxEvent[],
): Promise<() => Promise<void>> {
  const { snapshots, awaited, signaller, logger } = parts;
  const triggered = await triggeredRuns(parts, transaction, events);
  const requested = await requestedRuns(transaction, events, snapshots, logger);
  const runs = [...triggered, ...requested];
  const inserted = runs.length === 0 ? [] : await insertRuns(transaction, runs);
  const isAwaited = await awaited.note(transaction, events);
  return async () => {
    if (isAwaited) awaited.notify();
    await signaller.signal(inserted.filter(({ status }) => status === 'PENDING'));
  };
}

/** The runs that events trigger, in the order of the events. */
async function triggeredRuns(
  { snapshots, visibility, logger }: AutomationTriggersParts,
  transaction: Transaction,
  events: readonly OutboxEvent[],
): Promise<NewRun[]> {
  const byEnvironment = await automationsTriggeredByEvents(snapshots, events);
  const patterns = [...byEnvironment.values()].flatMap(({ automations }) => automations.map(patternOf));
  if (patterns.length === 0) return [];
  const wantsRecordEvents = includesRecordEvents(patterns);
  const listed = await withRecordEvents(transaction, events, () => wantsRecordEvents);
  const causes = await causesOf(transaction, events);
  const triggers = triggersAmong([...listed.values()].flat(), byEnvironment, causes);
  const bodies = await visibility.visibleBodies(within(transaction), triggers);
  const runs = triggers.map((trigger, index) => inTurn(() => runFor(trigger, bodies[index] ?? null, logger) ?? []));
  return (await Promise.all(runs)).flat();
}

/** By environment, for the environments of these events. */
async function automationsTriggeredByEvents(
  snapshots: SnapshotCache,
  events: readonly OutboxEvent[],
): Promise<ReadonlyMap<string, TriggeredAutomations>> {
  const environments = [...new Set(events.map(({ environment }) => environment))];
  const read = environments.map(async (environment) => {
    const metadata = await snapshots.current(environment);
    const automations = [...metadata.all(AUTOMATION).values()].filter(isTriggeredByEvents);
    return [environment, { metadata, automations }] as const;
  });
  return new Map(await Promise.all(read));
}

function triggersAmong(
  events: readonly TriggerEvent[],
  byEnvironment: ReadonlyMap<string, TriggeredAutomations>,
  causes: ReadonlyMap<string, EventCause>,
): Trigger[] {
  const readers = new Map<string, Actor>();
  return events.flatMap((event) => {
    const { environment, pid } = event.source;
    const { metadata, automations } = byEnvironment.get(environment) as TriggeredAutomations;
    const triggered = automations.filter(({ content }) => isTriggeredBy(content.trigger, event));
    return triggered.flatMap((automation): Trigger[] => {
      const cause = causes.get(pid);
      const identity = identityOf(automation, event, cause);
      if (!identity) return [];
      // Equal readers are one reader, so that each row rule is evaluated once.
      const key = JSON.stringify([environment, identity]);
      const reader = readers.get(key) ?? actorOf(identity, metadata);
      readers.set(key, reader);
      return [{ event, automation, cause, identity, reader }];
    });
  });
}

/**
 * The run that an event triggers; null where the run's actor may not see the event, or the filter refuses
 * it.
 */
function runFor(
  { event, automation, cause, identity, reader }: Trigger,
  visible: VisibleBody | null,
  logger: Logger,
): NewRun | null {
  if (!visible) return null;
  const { code, content } = automation;
  const { source } = event;
  const body = visible.body();
  const filter = 'filter' in content.trigger ? content.trigger.filter : undefined;
  if (filter !== undefined && !matchesFilter(filter, body)) return null;
  const depth = typeof cause?.depth === 'number' ? cause.depth + 1 : 0;
  const parentRunPid = cause?.runPid ?? null;
  if (depth > MAX_CHAIN_DEPTH) {
    const chain = { automation: code, eventPid: source.pid, runPid: parentRunPid };
    logger.warn(chain, 'a chain of automations was cut');
    return null;
  }
  const runCause = {
    ...identity,
    environment: source.environment,
    trigger: content.trigger.type,
    triggerKey: event.key,
    traceId: source.traceId,
    event: eventVariable(event, body),
    parentRunPid,
    depth,
  };
  return triggeredRun(automation, runCause, reader.metadata);
}

/** The identity and roles of the run: those of the user who caused the event, or the automation's role. */
function identityOf(
  { code, content: { runAs } }: Automation,
  { source }: TriggerEvent,
  cause: EventCause | undefined,
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
