import { notFound } from '../../foundation/errors/application-error.ts';
import type { Database, Transaction } from '../../foundation/database/pool.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import { changesOf, type RecordChange } from '../../platform/events/changes/change-log.ts';
import type { EventConsequences } from '../../platform/events/event-consequences.ts';
import { within, type EventVisibility, type ReadableEvent } from '../../platform/events/audience/event-visibility.ts';
import { eventsOfTrace, type TracedEvent } from '../../platform/events/outbox/outbox.ts';
import { EXECUTION_READ } from '../../platform/metadata/permissions/permission-codes.ts';
import { setTenant } from '../../foundation/database/tenant.ts';
import { LINEAGE } from '../commands/commands.limits.ts';
import type { ExecutionRow } from '../commands/executions/execution-store.ts';
import type { Executions, ListedExecution } from '../commands/executions/executions.ts';
import { visibleChanges, type FieldChanges } from '../../platform/records/field-selection.ts';
import { presentListed } from '../commands/executions/execution-stream.ts';
import { lineageTree, type LineageTree } from './lineage-tree.ts';

/** What a command has done to a record, as a reader may see it. */
interface VisibleChange extends Pick<RecordChange, 'modelCode' | 'recordPid' | 'action'> {
  readonly changes: FieldChanges;
}

type Lineage = LineageTree<ReturnType<typeof presentListed>, VisibleChange> & {
  readonly traceId: string;
  /** Whether there is more than is shown. */
  readonly truncated: boolean;
};

interface TracedChange extends RecordChange {
  readonly executionPid: string;
}

/** What is asked about an event or a change is who may see it, not what it says. */
const NO_BODY = JSON.stringify({ payload: {}, result: {} });

/** Tells what requests have caused: their commands, and what these did in turn. */
export class Lineages {
  readonly #database: Database;
  readonly #executions: Executions;
  readonly #visibility: EventVisibility;
  readonly #consequences: EventConsequences;

  constructor(
    database: Database,
    executions: Executions,
    visibility: EventVisibility,
    consequences: EventConsequences,
  ) {
    this.#database = database;
    this.#executions = executions;
    this.#visibility = visibility;
    this.#consequences = consequences;
  }

  /**
   * What a request has caused, as far as the actor may read it: own executions, or all with `execution:read`;
   * changes and events by the rules of records; deliveries and runs by the rules of their features.
   * @throws NOT_FOUND where that is nothing
   */
  async of(actor: Actor, traceId: string): Promise<Lineage> {
    const executions = await this.#executions.ofTrace(actor, traceId, LINEAGE.executions + 1);
    const { events: found, changes } = await this.#effects(actor, traceId, executions, null);
    const question = { traceId, eventPids: found.map(({ pid }) => pid) };
    const [deliveries = [], runs = []] = await Promise.all([
      this.#consequences.deliveries?.({ ...question, limit: LINEAGE.deliveries + 1 }, actor),
      this.#consequences.runs?.({ ...question, limit: LINEAGE.runs + 1 }, actor),
    ]);
    const own = new Set(executions.map(({ pid }) => pid));
    const sent = new Set(runs.flatMap(({ sentEventPids }) => sentEventPids));
    const readsAll = actor.permissions.has(EXECUTION_READ);
    // Events tell of the commands of others, too.
    const events = found.filter(({ pid, executionPid }) => readsAll || own.has(executionPid ?? '') || sent.has(pid));
    const lists = { executions, events, changes, deliveries, runs };
    if (Object.values(lists).every((list) => list.length === 0)) throw notFound('There is no such trace');
    const truncated = Object.entries(lists).some(([name, list]) => list.length > LINEAGE[name as keyof typeof LINEAGE]);
    const tree = lineageTree({
      executions: executions
        .slice(0, LINEAGE.executions)
        .map((row) => ({ pid: row.pid, runPid: row.runPid, view: presentListed(row) })),
      changes: changes.slice(0, LINEAGE.changes).map(({ executionPid, ...view }) => ({ executionPid, view })),
      events: events.slice(0, LINEAGE.events),
      deliveries: deliveries.slice(0, LINEAGE.deliveries),
      runs: runs.slice(0, LINEAGE.runs),
    });
    return { traceId, ...tree, truncated };
  }

  /** What one execution has changed and told, as far as the actor may read it. */
  async effectsOf(
    actor: Actor,
    execution: ExecutionRow,
  ): Promise<{ changes: VisibleChange[]; events: Pick<TracedEvent, 'pid' | 'eventType'>[] }> {
    const { events, changes } = await this.#effects(actor, execution.traceId, [execution], execution.pid);
    return {
      changes: changes.slice(0, LINEAGE.changes).map(({ executionPid: _executionPid, ...change }) => change),
      events: events.slice(0, LINEAGE.events).map(({ pid, eventType }) => ({ pid, eventType })),
    };
  }

  /** @param executionPid only those of this execution */
  #effects(
    actor: Actor,
    traceId: string,
    executions: readonly Pick<ListedExecution, 'pid'>[],
    executionPid: string | null,
  ): Promise<{ events: TracedEvent[]; changes: (VisibleChange & { executionPid: string })[] }> {
    const { tenantId, metadata } = actor;
    return this.#database.transaction(async (transaction) => {
      const scope = { environment: metadata.environment, tenantId, traceId, executionPid };
      const [, found] = await Promise.all([
        setTenant(transaction, tenantId),
        eventsOfTrace(transaction, scope, LINEAGE.events + 1),
      ]);
      const known = new Set(executions.map(({ pid }) => pid));
      const logged = await loggedChanges(transaction, found, known);
      const placed = placedEvents(found, logged).filter(
        (event) => executionPid === null || event.executionPid === executionPid,
      );
      const visible = await this.#visibleOf(transaction, actor, [
        ...placed.map((event) => ({ ...event, body: NO_BODY })),
        ...logged.map(readableChange),
      ]);
      return {
        events: placed.filter((_, index) => visible[index]),
        changes: logged
          .filter((_, index) => visible[placed.length + index])
          .flatMap((change) => presentChange(change, actor)),
      };
    });
  }

  async #visibleOf(transaction: Transaction, reader: Actor, events: readonly ReadableEvent[]): Promise<boolean[]> {
    const questions = events.map((event) => ({ event, reader }));
    const bodies = await this.#visibility.visibleBodies(within(transaction), questions);
    return bodies.map((body) => body !== null);
  }
}

/** The changes that the events of known executions tell of. */
async function loggedChanges(
  transaction: Transaction,
  events: readonly TracedEvent[],
  executionPids: ReadonlySet<string>,
): Promise<TracedChange[]> {
  const executionOf = new Map(
    events.flatMap(({ executionPid, changeIds }) =>
      executionPid !== null && executionPids.has(executionPid)
        ? changeIds.map((id) => [id, executionPid] as const)
        : [],
    ),
  );
  if (executionOf.size === 0) return [];
  const changes = await changesOf(transaction, [...executionOf.keys()].slice(0, LINEAGE.changes + 1));
  return changes.map(({ id, ...change }) => ({ ...change, executionPid: executionOf.get(id) ?? '' }));
}

/** Gives the generic events of records the execution whose change they tell of. */
function placedEvents(events: readonly TracedEvent[], changes: readonly TracedChange[]): TracedEvent[] {
  const commands = new Map(events.map(({ executionPid, commandCode }) => [executionPid, commandCode]));
  const key = (commandCode: string | undefined, modelCode: string, recordPid: string | null): string =>
    JSON.stringify([commandCode, modelCode, recordPid]);
  const executionOf = new Map(
    changes.map((change) => [
      key(commands.get(change.executionPid), change.modelCode, change.recordPid),
      change.executionPid,
    ]),
  );
  return events.map((event) => ({
    ...event,
    executionPid:
      event.executionPid ?? executionOf.get(key(event.commandCode, event.modelCode, event.recordPid)) ?? null,
  }));
}

/** A change is visible to who may see the generic event of its record. */
function readableChange({ modelCode, recordPid }: RecordChange): ReadableEvent {
  return { eventType: 'record.updated', commandCode: '', modelCode, recordPid, body: NO_BODY, origins: {} };
}

/** A model that has left the configuration has nothing that could be read. */
function presentChange(
  change: TracedChange,
  { metadata, permissions }: Actor,
): (VisibleChange & { executionPid: string })[] {
  const { modelCode, recordPid, action, executionPid } = change;
  const model = metadata.models.get(modelCode);
  if (!model) return [];
  return [{ executionPid, modelCode, recordPid, action, changes: visibleChanges(change, model, permissions) }];
}
