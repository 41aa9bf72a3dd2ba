import { once } from 'node:events';
import type { Database } from '../../../foundation/database/pool.ts';
import { inTenant } from '../../../foundation/database/tenant.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { bindingRules, isDecidedByRecord } from '../../../platform/records/conditions/row-rules.ts';
import type { ServedStream } from '../../../platform/streams/streams.ts';
import { versionOf } from './record-history.ts';
import type { RecordWatches, WatchedRecord } from './record-watches.ts';

/** What decides whether someone sees a record, as it was when the record was read last. */
interface Sight {
  readonly actor: Actor;
  readonly changes: number;
}

/**
 * The streams of records: an event for each new version, without values, which readers may not all see. A
 * record without watchers costs nothing, and one whose model is not written is not read.
 */
export class RecordStreams {
  readonly #database: Database;
  readonly #watches: RecordWatches;

  constructor(database: Database, watches: RecordWatches) {
    this.#database = database;
    this.#watches = watches;
  }

  /**
   * @param modelFor the model, if the reader may still read its records
   * @throws NOT_FOUND for a record that the actor may not see
   */
  async open(actor: Actor, modelFor: (reader: Actor) => Model, recordPid: string): Promise<ServedStream> {
    const { code: modelCode } = modelFor(actor);
    const scope = { environment: actor.metadata.environment, tenantId: actor.tenantId, modelCode };
    let watched: WatchedRecord | null = null;
    let sight: Sight | null = null;
    const check = async (reader: Actor): Promise<void> => {
      const model = modelFor(reader);
      const changes = watched?.changes ?? 0;
      if (sight?.changes === changes && seesTheSame(model, sight.actor, reader)) return;
      await this.#check(reader, model, recordPid);
      sight = { actor: reader, changes };
    };
    await check(actor);
    return {
      key: this.#watches.keyOf(scope, recordPid),
      recheck: check,
      feed: async (signal) => {
        watched = this.#watches.watch(scope, recordPid);
        if (!signal.aborted) await once(signal, 'abort');
        this.#watches.unwatch(scope, watched);
      },
    };
  }

  async #check(actor: Actor, model: Model, recordPid: string): Promise<void> {
    const version = await inTenant(this.#database, actor.tenantId, (transaction) =>
      versionOf(transaction, actor, model, recordPid),
    );
    if (version === null) throw notFound('There is no such record');
  }
}

/** Whether a reader sees what they saw before, of a record that has not changed. */
function seesTheSame(model: Model, before: Actor, now: Actor): boolean {
  const [rules, rulesBefore] = [bindingRules(model, now), bindingRules(model, before)];
  return (
    before.metadata === now.metadata &&
    before.roles.join(' ') === now.roles.join(' ') &&
    rules.length === rulesBefore.length &&
    rules.every((rule, index) => rule === rulesBefore[index] && isDecidedByRecord(rule))
  );
}
