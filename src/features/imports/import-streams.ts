import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../foundation/database/pool.ts';
import { END, streamKey } from '../../platform/streams/stream-entry.ts';
import type { StreamEvent, StreamWriter } from '../../platform/streams/stream-writer.ts';
import { localizedError } from '../../foundation/errors/failure.ts';
import type { ImportRecord } from './data-import.entity.ts';
import { findImport } from './import-store.ts';
import { LOOK_EVERY_MS } from './imports.limits.ts';

/** The public state of an import. */
export function importState(found: ImportRecord) {
  const { pid, userPid, username, pageKey, filePid, format, delimiter, mapping, mode, matchOn, commands, dryRun } =
    found;
  const { status, total, done, created, updated, failed, errorFilePid, failedRowsFilePid } = found;
  return {
    pid,
    userPid,
    username,
    pageKey,
    filePid,
    format,
    delimiter,
    mapping,
    mode,
    matchOn,
    commands,
    dryRun,
    status,
    total,
    done,
    created,
    updated,
    failed,
    errorFilePid,
    failedRowsFilePid,
    error: localizedError(found.error),
    createdAt: found.createdAt,
    startedAt: found.startedAt,
    finishedAt: found.finishedAt,
  };
}

/**
 * The streams of imports. The watching node writes them, from the row: an import without watchers costs
 * nothing. Several watchers write each event once.
 */
export class ImportStreams {
  readonly #database: Database;
  readonly #writer: StreamWriter;

  constructor(database: Database, writer: StreamWriter) {
    this.#database = database;
    this.#writer = writer;
  }

  /** Writes what becomes of an import into its stream until it has ended, or the signal is given. */
  async follow(importPid: string, signal: AbortSignal): Promise<void> {
    let published = '';
    while (!signal.aborted) {
      // Postgres or Redis is away: the next round tries again.
      const { state, isEnded } = await this.#publish(importPid, published).catch(() => ({
        state: published,
        isEnded: false,
      }));
      published = state;
      if (isEnded) return;
      await setTimeout(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #publish(importPid: string, published: string): Promise<{ state: string; isEnded: boolean }> {
    const found = await findImport(this.#database, importPid);
    if (!found) return { state: published, isEnded: true };
    const { pid, status, total, done, failed, errorFilePid } = found;
    // The report is written behind the end.
    const isEnded = status !== 'PENDING' && status !== 'RUNNING' && (failed === 0 || errorFilePid !== null);
    const state = [status, total, done, errorFilePid].join(' ');
    if (state === published && !isEnded) return { state, isEnded };
    const events: StreamEvent[] = [{ event: 'import', data: importState(found), dedupeId: state }];
    if (isEnded) events.push({ event: END, data: { pid, status } });
    await this.#writer.append(streamKey('import', pid), ...events);
    return { state, isEnded };
  }
}
