import type { Database } from '../../../foundation/database/pool.ts';
import { inTenant } from '../../../foundation/database/tenant.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';
import type { Scope, TotalsCache } from '../../../platform/records/totals-cache.ts';
import { streamKey, type StreamKey } from '../../../platform/streams/stream-entry.ts';
import type { StreamWriter } from '../../../platform/streams/stream-writer.ts';
import { RECORDS_PER_LOOK, STAMPS_LOOK_EVERY_MS } from '../commands.limits.ts';
import { newerVersions } from './record-history.ts';

/** A record that someone watches on this node. */
export interface WatchedRecord {
  readonly pid: string;
  /** The version that its stream has; null before the first look. */
  version: number | null;
  /** Grows with each change that was seen. */
  changes: number;
  watchers: number;
}

/** The watched records of one model. */
interface WatchedModel {
  readonly scope: Scope;
  readonly records: Map<string, WatchedRecord>;
  /** The stamp that the records were last read after; undefined: they have to be read. */
  stamp: string | null | undefined;
  /** Those that could not be read when their watching began. */
  readonly missed: Set<string>;
}

interface WatchesParts {
  readonly database: Database;
  readonly snapshots: SnapshotCache;
  readonly totals: TotalsCache;
  readonly writer: StreamWriter;
  readonly logger: Logger;
}

/**
 * Follows the records that are watched on this node. Every writer stamps its models in Redis after commit,
 * so one round trip for all watchers finds the models that were written, and only their watched records are
 * read. What is new goes into the records' streams, once, however many nodes see it.
 */
export class RecordWatches {
  readonly #parts: WatchesParts;
  readonly #models = new Map<string, WatchedModel>();
  #timer: NodeJS.Timeout | null = null;
  #looking = false;

  constructor(parts: WatchesParts) {
    this.#parts = parts;
  }

  keyOf({ environment, tenantId, modelCode }: Scope, recordPid: string): StreamKey {
    return streamKey('record', [environment, tenantId, modelCode, recordPid].join(':'));
  }

  /** Writes the present version of a record into its stream, and each later one until `unwatch`. */
  watch(scope: Scope, recordPid: string): WatchedRecord {
    const name = nameOf(scope);
    const model = this.#models.get(name) ?? newModel(scope);
    this.#models.set(name, model);
    const record = model.records.get(recordPid) ?? { pid: recordPid, version: null, changes: 0, watchers: 0 };
    model.records.set(recordPid, record);
    record.watchers += 1;
    this.#timer ??= setInterval(() => void this.#lookAtStamps(), STAMPS_LOOK_EVERY_MS).unref();
    // The stream of a record that is watched already may have expired.
    const unknown: WatchedRecord = { ...record, version: null };
    this.#read(model, [unknown]).catch(() => model.missed.add(recordPid));
    return record;
  }

  unwatch(scope: Scope, record: WatchedRecord): void {
    record.watchers -= 1;
    if (record.watchers > 0) return;
    const name = nameOf(scope);
    const model = this.#models.get(name);
    model?.records.delete(record.pid);
    if (model?.records.size === 0) this.#models.delete(name);
    if (this.#models.size > 0 || !this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Reads the watched records of the models that were written since the last look. */
  async #lookAtStamps(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const models = [...this.#models.values()];
      const stamps = await this.#parts.totals.stampsOf(models.map(({ scope }) => scope));
      for (const [index, model] of models.entries()) {
        const stamp = stamps[index] ?? null;
        const { records, missed } = model;
        const isWritten = stamp !== model.stamp;
        const pids = isWritten ? [...records.keys()] : [...missed];
        if (pids.length === 0) continue;
        for (const pid of pids) missed.delete(pid);
        try {
          await this.#read(
            model,
            pids.flatMap((pid) => records.get(pid) ?? []),
          );
          if (isWritten) model.stamp = stamp;
        } catch (error) {
          // The next look tries again; the other models do not wait for this one.
          for (const pid of pids) if (records.has(pid)) missed.add(pid);
          this.#parts.logger.debug({ err: error, ...model.scope }, 'watched records could not be read');
        }
      }
    } catch (error) {
      // Redis is away: the next look tries again.
      this.#parts.logger.debug({ err: error }, 'the stamps of models could not be read');
    } finally {
      this.#looking = false;
    }
  }

  async #read({ scope, records }: WatchedModel, watched: readonly WatchedRecord[]): Promise<void> {
    const { database, snapshots, writer } = this.#parts;
    const model = (await snapshots.current(scope.environment)).models.get(scope.modelCode);
    // The check of rights ends the streams of its watchers.
    if (!model) return;
    for (let from = 0; from < watched.length; from += RECORDS_PER_LOOK) {
      const some = watched.slice(from, from + RECORDS_PER_LOOK);
      const changed = await inTenant(database, scope.tenantId, (transaction) =>
        newerVersions(transaction, scope, model, some),
      );
      const appended = changed.map(async ({ pid, ...data }) => {
        if (data.version !== null) {
          const dedupeId = String(data.version);
          await writer.append(this.keyOf(scope, pid), { event: 'record', data, dedupeId });
        }
        const record = records.get(pid);
        if (!record || (data.version !== null && data.version <= (record.version ?? -1))) return;
        record.version = data.version;
        record.changes += 1;
      });
      await Promise.all(appended);
    }
  }
}

function newModel(scope: Scope): WatchedModel {
  return { scope, records: new Map<string, WatchedRecord>(), stamp: undefined, missed: new Set<string>() };
}

function nameOf({ environment, tenantId, modelCode }: Scope): string {
  return `${environment} ${tenantId} ${modelCode}`;
}
