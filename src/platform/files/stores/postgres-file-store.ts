import type { Database } from '../../../foundation/database/pool.ts';
import { inTenant } from '../../../foundation/database/tenant.ts';
import { CHUNK_BYTES, REMOVED_AT_ONCE } from '../files.limits.ts';
import { inPieces, type ByteRange, type FileStore, type StoredFile } from './file-store.ts';

/** Files as rows of Postgres: each chunk is written and read in a transaction of its own. */
export class PostgresFileStore implements FileStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async write({ pid, tenantId }: StoredFile, bytes: AsyncIterable<Buffer>): Promise<void> {
    let number = 0;
    for await (const chunk of inPieces(bytes, CHUNK_BYTES)) {
      await inTenant(this.#database, tenantId, (transaction) =>
        transaction.query(
          'insert into platform.file_chunk (file_pid, tenant_id, number, bytes) values ($1, $2, $3, $4)',
          [pid, tenantId, number, chunk],
        ),
      );
      number += 1;
    }
  }

  async *read({ pid, tenantId }: StoredFile, { start, end }: ByteRange): AsyncGenerator<Buffer> {
    const last = Math.floor(end / CHUNK_BYTES);
    for (let number = Math.floor(start / CHUNK_BYTES); number <= last; number += 1) {
      const offset = number * CHUNK_BYTES;
      const from = Math.max(0, start - offset);
      const length = Math.min(CHUNK_BYTES, end - offset + 1) - from;
      const [row] = await inTenant(this.#database, tenantId, (transaction) =>
        transaction.query<{ bytes: Buffer }>(
          `select substring(bytes from $4 for $5) as bytes from platform.file_chunk
           where file_pid = $1 and tenant_id = $2 and number = $3`,
          [pid, tenantId, number, from + 1, length],
        ),
      );
      if (row?.bytes.length !== length) throw new Error(`chunk ${number} of the file ${pid} is missing`);
      yield row.bytes;
    }
  }

  async remove({ pid, tenantId }: StoredFile): Promise<void> {
    for (;;) {
      const gone = await inTenant(this.#database, tenantId, (transaction) =>
        transaction.query(
          `delete from platform.file_chunk where file_pid = $1 and number in (
             select number from platform.file_chunk where file_pid = $1 and tenant_id = $2 order by number limit $3)
           returning 1`,
          [pid, tenantId, REMOVED_AT_ONCE],
        ),
      );
      if (gone.length < REMOVED_AT_ONCE) return;
    }
  }
}
