import type { Database, Transaction } from '../../foundation/database/pool.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { RecordChange } from '../../platform/events/change-log.ts';
import type { EventAudience, EventListener } from '../../platform/events/event-audience.ts';
import { within, type EventVisibility } from '../../platform/events/event-visibility.ts';
import type { EventBody, NewEvent } from '../../platform/events/outbox.ts';
import { recordEventsFrom } from '../../platform/events/record-events.ts';
import { setTenant } from '../records/record-writer.ts';
import type { CommandRequest } from './command-request.ts';
import { GROUP_STATEMENT_TIMEOUT_MS } from './groups/groups.limits.ts';
import { visibleChanges, type FieldChanges } from './lifecycle/visible-changes.ts';
import { performCommand } from './perform-command.ts';

/** What a command would do, as far as its caller may see it. */
interface DryRun {
  readonly result: unknown;
  readonly changes: readonly (Pick<RecordChange, 'modelCode' | 'recordPid' | 'action'> & {
    readonly changes: FieldChanges;
  })[];
  readonly events: readonly (Pick<NewEvent, 'eventType' | 'modelCode' | 'recordPid'> & { readonly body: EventBody })[];
  readonly subscriptions: readonly EventListener[];
}

/** Does commands and undoes them: no execution, no workflow, nothing outside of the one transaction. */
export class DryRuns {
  readonly #database: Database;
  readonly #visibility: EventVisibility;
  readonly #audiences: readonly EventAudience[];

  constructor(database: Database, visibility: EventVisibility, audiences: readonly EventAudience[]) {
    this.#database = database;
    this.#visibility = visibility;
    this.#audiences = audiences;
  }

  /** @throws the command's failure; SERVICE_UNAVAILABLE for a transient fault: it is not retried */
  perform(actor: Actor, commandCode: string, asked: CommandRequest, traceId: string): Promise<DryRun> {
    return undone(this.#database, async (transaction) => {
      await Promise.all([setTenant(transaction, actor.tenantId), limitStatements(transaction)]);
      const { result, changes, event } = await performCommand(transaction, actor, { ...asked, commandCode });
      const { tenantId, metadata } = actor;
      const own: NewEvent = { ...event, environment: metadata.environment, tenantId, commandCode, traceId };
      const events = [own, ...recordEventsFrom(own, changes)];
      const questions = events.map((each) => ({ event: each, reader: actor }));
      const [ofCommand, ...ofRecords] = await this.#visibility.visibleBodies(within(transaction), questions);
      const subscriptions: EventListener[] = [];
      for (const audience of this.#audiences) subscriptions.push(...(await audience(transaction, events, actor)));
      return {
        result,
        // A change is visible to who may see its generic event.
        changes: changes.flatMap((change, index) => (ofRecords[index] ? [present(change, actor)] : [])),
        events: [ofCommand, ...ofRecords].flatMap((visible, index) => {
          const { eventType, modelCode, recordPid } = events[index] ?? own;
          return visible ? [{ eventType, modelCode, recordPid, body: visible.body() }] : [];
        }),
        subscriptions,
      };
    });
  }
}

function present(change: RecordChange, { metadata, permissions }: Actor) {
  const { modelCode, recordPid, action } = change;
  return { modelCode, recordPid, action, changes: visibleChanges(change, metadata.model(modelCode), permissions) };
}

async function limitStatements(transaction: Transaction): Promise<void> {
  await transaction.query(`select set_config('statement_timeout', $1, true)`, [String(GROUP_STATEMENT_TIMEOUT_MS)]);
}

/** Gives what `work` finds out in a transaction that is always rolled back. */
async function undone<T>(database: Database, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const done: { result?: T } = {};
  const rollback = new Error('a dry run is rolled back');
  try {
    await database.transaction(async (transaction) => {
      done.result = await work(transaction);
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
  return done.result as T;
}
