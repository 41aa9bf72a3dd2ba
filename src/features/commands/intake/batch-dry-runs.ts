import { isTransient } from '../../../foundation/database/failures.ts';
import type { Database, Transaction } from '../../../foundation/database/pool.ts';
import { ApplicationError, conflict } from '../../../foundation/errors/application-error.ts';
import { toStoredError } from '../../../foundation/errors/failure.ts';
import { tooLarge } from '../../../foundation/errors/too-large.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { within, type EventVisibility } from '../../../platform/events/audience/event-visibility.ts';
import { recordEventsFrom } from '../../../platform/events/changes/record-events.ts';
import type { NewEvent } from '../../../platform/events/outbox/outbox.ts';
import { MAX_DRY_RUN_BYTES, MAX_DRY_RUN_MS } from '../commands.limits.ts';
import { beginDryRun, visibleChanges } from '../performing/dry-run.ts';
import { performCommand, type CommandEffect } from '../performing/perform-command.ts';
import { atIndex, type BatchRequest } from '../request/batch-request.ts';
import { failed, type BatchOutcome } from './batches.ts';

type Item = BatchRequest['items'][number];
type Tried = CommandEffect | { readonly refused: ApplicationError };

/** Performs batches in one transaction that is rolled back: no executions, no workflow. */
export class BatchDryRuns {
  readonly #database: Database;
  readonly #visibility: EventVisibility;

  constructor(database: Database, visibility: EventVisibility) {
    this.#database = database;
    this.#visibility = visibility;
  }

  /**
   * Tells what would become of each item. Later items see what earlier ones would have written.
   * @throws the failure of an atomic batch, with `data.index`; SERVICE_UNAVAILABLE for a transient fault
   */
  perform(actor: Actor, commandCode: string, { mode, items }: BatchRequest, traceId: string): Promise<BatchOutcome> {
    return this.#database.rehearse(async (transaction) => {
      await beginDryRun(transaction, actor.tenantId);
      const until = Date.now() + MAX_DRY_RUN_MS;
      const tried: Tried[] = [];
      for (const [index, item] of items.entries()) {
        if (Date.now() > until)
          throw conflict('LIMIT', 'The batch takes too long for one transaction: send fewer items');
        const outcome = await tryItem(transaction, actor, commandCode, item);
        if ('refused' in outcome && mode === 'atomic') throw atIndex(outcome.refused, index);
        tried.push(outcome);
      }
      return this.#present(transaction, actor, { commandCode, traceId }, tried);
    });
  }

  async #present(
    transaction: Transaction,
    actor: Actor,
    request: Pick<NewEvent, 'commandCode' | 'traceId'>,
    tried: readonly Tried[],
  ): Promise<BatchOutcome> {
    const { tenantId, metadata } = actor;
    const common = { ...request, environment: metadata.environment, tenantId };
    const byItem = tried.map((one) =>
      'refused' in one ? [] : recordEventsFrom({ ...one.event, ...common }, one.changes),
    );
    const events = byItem.flat();
    if (events.reduce((sum, { body }) => sum + body.length, 0) > MAX_DRY_RUN_BYTES) throw tooLarge(MAX_DRY_RUN_BYTES);
    const questions = events.map((event) => ({ event, reader: actor }));
    const bodies = await this.#visibility.visibleBodies(within(transaction), questions);
    let first = 0;
    const results = tried.map((one, index) => {
      if ('refused' in one) return failed(index, toStoredError(one.refused), null);
      const own = byItem[index] ?? [];
      const changes = visibleChanges(one.changes, own, bodies.slice(first, first + own.length), actor);
      first += own.length;
      return { index, code: '0', data: { result: one.result, changes }, executionPid: null };
    });
    const bad = tried.filter((one) => 'refused' in one).length;
    return { succeeded: tried.length - bad, failed: bad, results };
  }
}

async function tryItem(transaction: Transaction, actor: Actor, commandCode: string, item: Item): Promise<Tried> {
  if ('error' in item) return { refused: item.error };
  try {
    return await transaction.attempt(() => performCommand(transaction, actor, { ...item.request, commandCode }));
  } catch (error) {
    if (error instanceof ApplicationError && error.status < 500 && !isTransient(error)) return { refused: error };
    throw error;
  }
}
