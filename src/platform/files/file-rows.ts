import { columnList } from '../../foundation/database/columns.ts';
import { newPid } from '../../foundation/database/pid.ts';
import type { Database, Transaction } from '../../foundation/database/pool.ts';
import { inTenant } from '../../foundation/database/tenant.ts';
import { ApplicationError, conflict } from '../../foundation/errors/application-error.ts';
import { text } from '../../foundation/i18n/text.ts';
import type { FileRow } from './file.entity.ts';
import { MAX_LOOSE_BYTES, MAX_UPLOADS_OF_USER, UPLOAD_LEASE_MS } from './files.limits.ts';
import type { StoredFile, StoreName } from './stores/file-store.ts';

const COLUMNS = columnList([
  'pid',
  'environment',
  'tenantId',
  'uploadedBy',
  'name',
  'contentType',
  'size',
  'sha256',
  'store',
  'status',
  'attached',
  'expiresAt',
  'createdAt',
]);
const MB = 1024 * 1024;

/** The row of a file before its bytes have arrived. */
export interface NewFileRow {
  readonly tenantId: string;
  readonly environment: string;
  readonly userPid: string;
  readonly name: string;
  readonly store: StoreName;
}

/** The properties of a file's bytes. */
interface Content {
  readonly size: number;
  readonly sha256: string;
  readonly contentType: string;
}

/** The rows of files. Each statement is bound to its tenant by row-level security as well. */
export class FileRows {
  readonly #database: Database;
  readonly #maxBytesOfTenant: number;

  /** @param maxBytesOfTenant 0: no limit */
  constructor(database: Database, maxBytesOfTenant: number) {
    this.#database = database;
    this.#maxBytesOfTenant = maxBytesOfTenant;
  }

  /**
   * Begins a file.
   * @param isLimited whether it counts to what its user may upload
   * @throws RATE_LIMITED for too many of one user at once; CONFLICT (LIMIT) where user or tenant have no room
   */
  async begin(row: NewFileRow, isLimited: boolean): Promise<StoredFile> {
    const { tenantId, environment, userPid, name, store } = row;
    const pid = newPid();
    await inTenant(this.#database, tenantId, async (transaction) => {
      if (isLimited) await this.#requireRoom(transaction, row);
      await transaction.query(
        `insert into platform.file (pid, environment, tenant_id, uploaded_by, name, store, status, expires_at)
         values ($1, $2, $3, $4, $5, $6, 'UPLOADING', now() + $7 * interval '1 ms')`,
        [pid, environment, tenantId, userPid, name, store, UPLOAD_LEASE_MS],
      );
    });
    return { pid, tenantId };
  }

  async #requireRoom(transaction: Transaction, { tenantId, userPid }: NewFileRow): Promise<void> {
    // Uploads of one user are counted one after the other.
    await transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `files of ${tenantId}:${userPid}`,
    ]);
    const [room] = await transaction.query<{ uploads: number; loose: string; used: string }>(
      `select count(*) filter (where status = 'UPLOADING' and expires_at > now())::int as uploads,
         coalesce(sum(size) filter (where status = 'READY'), 0)::text as loose,
         coalesce((select u.bytes from platform.file_usage u where u.tenant_id = $1), 0)::text as used
       from platform.file where tenant_id = $1 and uploaded_by = $2 and not attached`,
      [tenantId, userPid],
    );
    if (!room) return;
    if (room.uploads >= MAX_UPLOADS_OF_USER) throw tooManyAtOnce();
    if (Number(room.loose) >= MAX_LOOSE_BYTES) {
      throw conflict('LIMIT', text('You have {max} MB of files that no record names', { max: MAX_LOOSE_BYTES / MB }));
    }
    if (this.#maxBytesOfTenant > 0 && Number(room.used) >= this.#maxBytesOfTenant) throw this.#tenantIsFull();
  }

  /** An upload goes on. */
  async renew({ pid, tenantId }: StoredFile): Promise<void> {
    await inTenant(this.#database, tenantId, (transaction) =>
      transaction.query(
        `update platform.file set expires_at = now() + $3 * interval '1 ms'
         where pid = $1 and tenant_id = $2 and status = 'UPLOADING'`,
        [pid, tenantId, UPLOAD_LEASE_MS],
      ),
    );
  }

  /**
   * The bytes are all there: from now on the file can be read.
   * @param keptMs how long it is kept while no record names it
   * @throws CONFLICT (LIMIT) where the tenant has no room; SERVICE_UNAVAILABLE where it was given up
   * meanwhile
   */
  async finish(
    { pid, tenantId }: StoredFile,
    { size, sha256, contentType }: Content,
    keptMs: number,
  ): Promise<FileRow> {
    return inTenant(this.#database, tenantId, async (transaction) => {
      const max = this.#maxBytesOfTenant;
      const [used] = await transaction.query<{ bytes: string }>(
        `insert into platform.file_usage as u (tenant_id, bytes) values ($1, $2)
         on conflict (tenant_id) do update set bytes = u.bytes + excluded.bytes returning bytes::text`,
        [tenantId, size],
      );
      if (max > 0 && Number(used?.bytes) > max) throw this.#tenantIsFull();
      const [row] = await transaction.query<FileRow>(
        `update platform.file set status = 'READY', size = $3, sha256 = $4, content_type = $5,
           expires_at = now() + $6 * interval '1 ms'
         where pid = $1 and tenant_id = $2 and status = 'UPLOADING' returning ${COLUMNS}`,
        [pid, tenantId, size, sha256, contentType, keptMs],
      );
      if (row) return row;
      throw new ApplicationError('SERVICE_UNAVAILABLE', {
        message: 'The upload was interrupted; send the file again',
        retryAfterSeconds: 1,
      });
    });
  }

  /** A file of the tenant that can be read; null where there is none. */
  async find(tenantId: string, pid: string): Promise<FileRow | null> {
    const [row] = await inTenant(this.#database, tenantId, (transaction) =>
      transaction.query<FileRow>(
        `select ${COLUMNS} from platform.file where pid = $1 and tenant_id = $2 and status = 'READY'`,
        [pid, tenantId],
      ),
    );
    return row ?? null;
  }

  /**
   * Takes a file that no record names out of use; its bytes can then be removed.
   * @param leaseMs nothing else removes them meanwhile
   */
  async withdraw({ pid, tenantId }: StoredFile, leaseMs: number): Promise<boolean> {
    const found = await inTenant(this.#database, tenantId, (transaction) =>
      transaction.query(
        `update platform.file set status = 'REMOVED', expires_at = now() + $3 * interval '1 ms'
         where pid = $1 and tenant_id = $2 and not attached returning 1`,
        [pid, tenantId, leaseMs],
      ),
    );
    return found.length > 0;
  }

  /** Forgets a file whose bytes have been removed. */
  async delete({ pid, tenantId }: StoredFile): Promise<void> {
    await inTenant(this.#database, tenantId, (transaction) =>
      transaction.query(
        `with gone as (
           delete from platform.file where pid = $1 and tenant_id = $2 and status = 'REMOVED' returning size)
         update platform.file_usage u set bytes = u.bytes - gone.size from gone
         where u.tenant_id = $2 and gone.size is not null`,
        [pid, tenantId],
      ),
    );
  }

  #tenantIsFull(): Error {
    return conflict(
      'LIMIT',
      text('The files of the tenant take up {max} MB already', { max: this.#maxBytesOfTenant / MB }),
    );
  }
}

function tooManyAtOnce(): Error {
  const retryAfterSeconds = 5;
  const data = { retryAfterSeconds, limit: MAX_UPLOADS_OF_USER };
  return new ApplicationError('RATE_LIMITED', {
    message: 'Too many files are being uploaded; try again',
    data,
    retryAfterSeconds,
  });
}
