import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../../foundation/database/pool.ts';
import { setTenant } from '../../../foundation/database/tenant.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { streamKey, type StreamKey } from '../../../platform/streams/stream-entry.ts';
import type { StreamWriter } from '../../../platform/streams/stream-writer.ts';
import { RECORD_LOOK_EVERY_MS } from '../commands.limits.ts';
import { recordHistory, versionOf } from './record-history.ts';

/**
 * The streams of records: an event for each new version, without values, which readers may not all see. The
 * watching node writes them, from the row: a record without watchers costs nothing. Several watchers write
 * each event once.
 */
export class RecordStreams {
  readonly #database: Database;
  readonly #writer: StreamWriter;

  constructor(database: Database, writer: StreamWriter) {
    this.#database = database;
    this.#writer = writer;
  }

  keyOf({ metadata, tenantId }: Actor, model: Model, recordPid: string): StreamKey {
    return streamKey('record', [metadata.environment, tenantId, model.code, recordPid].join(':'));
  }

  /** @throws NOT_FOUND for a record that the actor may not see */
  async check(actor: Actor, model: Model, recordPid: string): Promise<void> {
    if ((await this.#version(actor, model, recordPid)) === null) throw notFound('There is no such record');
  }

  /** Writes the versions of a record into its stream until the signal is given. */
  async follow(actor: Actor, model: Model, recordPid: string, signal: AbortSignal): Promise<void> {
    let published: number | null = null;
    while (!signal.aborted) {
      // Postgres or Redis is away: the next round tries again.
      published = await this.#publish(actor, model, recordPid, published).catch(() => published);
      await setTimeout(RECORD_LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #publish(actor: Actor, model: Model, recordPid: string, published: number | null): Promise<number | null> {
    const version = await this.#version(actor, model, recordPid);
    if (version === null || version === published) return published;
    const page = { cursor: null, pageSize: 1 };
    const [last] = (await recordHistory(this.#database, actor, model, recordPid, page)).records;
    // Records that no command has made have no history.
    const { at = null, actor: by = null, action = null } = last ?? {};
    const data = { version: last?.version ?? version, at, actor: by, action };
    await this.#writer.append(this.keyOf(actor, model, recordPid), {
      event: 'record',
      data,
      dedupeId: String(data.version),
    });
    return data.version;
  }

  #version(actor: Actor, model: Model, recordPid: string): Promise<number | null> {
    return this.#database.transaction(async (transaction) => {
      const tenant = setTenant(transaction, actor.tenantId);
      const [version] = await Promise.all([versionOf(transaction, actor, model, recordPid), tenant]);
      return version;
    });
  }
}
