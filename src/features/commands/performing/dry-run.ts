import type { Database, Transaction } from '../../../foundation/database/pool.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { RecordChange } from '../../../platform/events/changes/change-log.ts';
import type { EventAudience, EventListener } from '../../../platform/events/audience/event-audience.ts';
import { within, type EventVisibility } from '../../../platform/events/audience/event-visibility.ts';
import type { EventBody, NewEvent } from '../../../platform/events/outbox/outbox.ts';
import { recordEventsFrom } from '../../../platform/events/changes/record-events.ts';
import { setTenant } from '../../../foundation/database/tenant.ts';
import type { CommandRequest } from '../request/command-request.ts';
import { GROUP_STATEMENT_TIMEOUT_MS, MAX_DRY_RUN_BYTES } from '../commands.limits.ts';
import { tooLarge } from '../../../foundation/errors/too-large.ts';
import { visibleChanges as visibleFields, type FieldChanges } from '../../../platform/records/field-selection.ts';
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

/** Performs commands in a transaction that is rolled back: no execution, no workflow. */
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
  perform(actor: Actor, commandCode: string, request: CommandRequest, traceId: string): Promise<DryRun> {
    return this.#database.rehearse(async (transaction) => {
      await beginDryRun(transaction, actor.tenantId);
      const { result, changes, event, emitted } = await performCommand(transaction, actor, { ...request, commandCode });
      const { tenantId, metadata } = actor;
      const own: NewEvent = { ...event, environment: metadata.environment, tenantId, commandCode, traceId };
      const ofSteps = emitted.map((each) => ({ ...own, ...each }));
      const events = [own, ...ofSteps, ...recordEventsFrom(own, changes)];
      const bytes = events.reduce((sum, { body }) => sum + body.length, 0);
      if (bytes > MAX_DRY_RUN_BYTES) throw tooLarge(MAX_DRY_RUN_BYTES);
      const questions = events.map((each) => ({ event: each, reader: actor }));
      const bodies = await this.#visibility.visibleBodies(within(transaction), questions);
      const first = 1 + emitted.length;
      const subscriptions: EventListener[] = [];
      for (const audience of this.#audiences) subscriptions.push(...(await audience(transaction, events, actor)));
      return {
        result,
        changes: visibleChanges(changes, events.slice(first), bodies.slice(first), actor),
        events: bodies.flatMap((visible, index) => {
          const { eventType, modelCode, recordPid } = events[index] ?? own;
          return visible ? [{ eventType, modelCode, recordPid, body: visible.body() }] : [];
        }),
        subscriptions,
      };
    });
  }
}

/**
 * The changes that a reader may see, as they may see them: of records whose generic event is visible to them.
 * @param bodies what the reader sees of each event
 */
export function visibleChanges(
  changes: readonly RecordChange[],
  events: readonly NewEvent[],
  bodies: readonly unknown[],
  { metadata, permissions }: Actor,
) {
  // A record that is written twice has one event.
  const visible = new Set(events.flatMap((event, index) => (bodies[index] ? [recordKey(event)] : [])));
  return changes.flatMap((change) => {
    const { modelCode, recordPid, action } = change;
    if (!visible.has(recordKey(change))) return [];
    return [{ modelCode, recordPid, action, changes: visibleFields(change, metadata.model(modelCode), permissions) }];
  });
}

function recordKey({ modelCode, recordPid }: Pick<NewEvent, 'modelCode' | 'recordPid'>): string {
  return `${modelCode} ${recordPid}`;
}

/** Gives a transaction its tenant and its time limit. */
export async function beginDryRun(transaction: Transaction, tenantId: string): Promise<void> {
  const limit = String(GROUP_STATEMENT_TIMEOUT_MS);
  const limited = transaction.query(`select set_config('statement_timeout', $1, true)`, [limit]);
  await Promise.all([setTenant(transaction, tenantId), limited]);
}
