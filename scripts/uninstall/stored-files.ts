import type { Config } from '../../src/foundation/config/config.ts';
import { S3Client } from '../../src/platform/files/stores/s3-client.ts';
import { S3FileStore } from '../../src/platform/files/stores/s3-file-store.ts';
import { Failure } from '../../cli/outcome.mjs';
import type { DatabasePart } from './database-part.ts';

/**
 * The files whose bytes are in a store outside of the database.
 * @throws Failure where it is not configured
 */
export async function storedFiles({ files: { s3 } }: Config, database: DatabasePart) {
  const files = await database.query<{ pid: string; tenantId: string; isPartial: boolean }>(
    `select pid, tenant_id::text as "tenantId", size is null as "isPartial" from platform.file where store = 's3'`,
  );
  if (files.length > 0 && s3 === null)
    throw new Failure(
      `${files.length} files are in an S3 store that the configuration lacks: set S3_BUCKET and the rest`,
    );
  return {
    count: ['files in the S3 store', files.length] as const,
    async remove(): Promise<void> {
      if (s3 === null) return;
      const store = new S3FileStore(new S3Client(s3));
      for (const { isPartial, ...file } of files) await store.remove(file, isPartial);
    },
  };
}
