import { followInFileReferences, forgetFileReferences } from './follow-renames.ts';
import type { Foundation } from '../../foundation/foundation.ts';
import { PollingLoop } from '../../foundation/jobs/polling-loop.ts';
import { FileChunkEntity, FileEntity, FileReferenceEntity, FileUsageEntity } from './file.entity.ts';
import type { HealthIndicator } from '../health/health-checks.ts';
import { FileCollector } from './file-collector.ts';
import { FileMetrics } from './file-metrics.ts';
import { EMPTIED_FILES } from './file-references.ts';
import { FileRows } from './file-rows.ts';
import { fileEndpoints } from './files.endpoints.ts';
import { COLLECT_EVERY_MS } from './files.limits.ts';
import { FilesService, type IsReadable } from './files.service.ts';
import { FILES_TEXTS } from './files.texts.ts';
import { type FileStore, type StoreName, FileStores } from './stores/file-store.ts';
import { PostgresFileStore } from './stores/postgres-file-store.ts';
import { S3Client } from './stores/s3-client.ts';
import { S3FileStore } from './stores/s3-file-store.ts';

/** Without the store, all requests without files still work: the node stays ready. */
function fileStoreIndicator(client: S3Client): HealthIndicator {
  const check = async () => {
    await client.ping();
    return { up: true };
  };
  return { name: 'fileStore', scope: 'system', neededForReadiness: false, check };
}

/** Uploaded files, in Postgres or in an S3-compatible store. */
export const files = {
  texts: [FILES_TEXTS],
  followRenames: followInFileReferences,
  droppedFields: { forget: forgetFileReferences },
  emptied: [EMPTIED_FILES],
  entities: [FileEntity, FileChunkEntity, FileReferenceEntity, FileUsageEntity],

  create({ config, database, orm, metrics, logger }: Foundation, isReadable: IsReadable) {
    const { maxBytesOfTenant, s3 } = config.files;
    const own: readonly [StoreName, FileStore][] = [['postgres', new PostgresFileStore(database)]];
    const client = s3 && new S3Client(s3);
    const stores = new FileStores(client ? [['s3', new S3FileStore(client)], ...own] : own);
    const rows = new FileRows(database, maxBytesOfTenant);
    const counted = new FileMetrics(metrics);
    const collector = new FileCollector(orm, rows, stores, counted, logger);
    const service = new FilesService(rows, stores, collector, isReadable);
    return {
      service,
      endpoints: fileEndpoints(service, config.maxUploadBytes, counted),
      healthIndicators: client ? [fileStoreIndicator(client)] : [],
      jobs: [
        new PollingLoop(COLLECT_EVERY_MS, () =>
          collector.purgeBatch().then(
            () => undefined,
            (error: unknown) => logger.warn({ err: error }, 'files could not be removed'),
          ),
        ),
      ],
      retention: [collector],
    };
  },
};
