import { sqlRunnerOf, type PlatformOrm } from '../../foundation/database/orm.ts';
import type { Retention } from '../../foundation/jobs/retention.ts';
import { deleteOldImports } from './import-store.ts';
import { IMPORT_DAYS } from './imports.limits.ts';

/** Deletes imports that ended long ago, with the problems of their rows. */
export class ImportRetention implements Retention {
  readonly tables = ['data_import', 'data_import_problem'];
  readonly #orm: PlatformOrm;
  readonly #batch: number;

  constructor(orm: PlatformOrm, batch = 20) {
    this.#orm = orm;
    this.#batch = batch;
  }

  async purgeBatch(): Promise<boolean> {
    const gone = await deleteOldImports(sqlRunnerOf(this.#orm.em.fork()), IMPORT_DAYS, this.#batch);
    return gone === this.#batch;
  }
}
