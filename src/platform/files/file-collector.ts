import type { PlatformOrm } from '../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../foundation/database/sql-runner.ts';
import type { Retention } from '../../foundation/jobs/retention.ts';
import type { Logger } from '../../foundation/logging/logger.ts';
import type { FileMetrics } from './file-metrics.ts';
import type { FileRow } from './file.entity.ts';
import type { FileRows } from './file-rows.ts';
import { COLLECT_BATCH, REMOVAL_LEASE_MS } from './files.limits.ts';
import type { FileStores } from './stores/file-store.ts';

type Removable = Pick<FileRow, 'pid' | 'tenantId' | 'store' | 'size'>;

/**
 * Removes unused files: interrupted uploads, files that no record named in time, and files that lost their
 * last record. Any worker retries a failed removal.
 */
export class FileCollector implements Retention {
  readonly tables = ['file', 'file_chunk'];
  readonly #orm: PlatformOrm;
  readonly #rows: FileRows;
  readonly #stores: FileStores;
  readonly #metrics: FileMetrics;
  readonly #logger: Logger;

  constructor(orm: PlatformOrm, rows: FileRows, stores: FileStores, metrics: FileMetrics, logger: Logger) {
    this.#orm = orm;
    this.#rows = rows;
    this.#stores = stores;
    this.#metrics = metrics;
    this.#logger = logger;
  }

  async purgeBatch(): Promise<boolean> {
    const files = await this.#claim();
    let removed = 0;
    for (const file of files) if (await this.tryToRemove(file)) removed += 1;
    return removed === COLLECT_BATCH;
  }

  /** Removes the bytes of an unused file, then its row. */
  async tryToRemove({ size, store, ...file }: Removable): Promise<boolean> {
    try {
      await this.#stores.get(store).remove(file, size === null);
      await this.#rows.delete(file);
      this.#metrics.removed('removed');
      return true;
    } catch (error) {
      this.#metrics.removed('failed');
      this.#logger.error({ err: error, filePid: file.pid }, 'a file could not be removed');
      return false;
    }
  }

  /** Leases unused files of all tenants for a removal. */
  #claim(): Promise<Removable[]> {
    return this.#orm.em.fork().transactional(async (em) => {
      const runner = sqlRunnerOf(em);
      await runner.query(`select set_config('keelson.all_tenants', 'on', true)`);
      return runner.query<Removable>(
        `update platform.file f set status = 'REMOVED', expires_at = now() + $1 * interval '1 ms'
         from (select pid from platform.file
           where not attached and expires_at < now() and store = any($2)
           order by expires_at limit $3 for update skip locked) due
         where f.pid = due.pid returning f.pid, f.tenant_id, f.store, f.size`,
        [REMOVAL_LEASE_MS, this.#stores.names, COLLECT_BATCH],
      );
    });
  }
}
