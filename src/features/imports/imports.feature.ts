import { followInImports, importsNaming } from './follow-renames.ts';
import { importActivities } from '../../../activities/imports.activities.ts';
import { rowsOfEnvironment } from '../../foundation/database/emptied-data.ts';
import type { Foundation } from '../../foundation/foundation.ts';
import type { Platform } from '../../platform/platform.ts';
import type { FilesService } from '../../platform/files/files.service.ts';
import { TotalsCache, WriteAnnouncer } from '../../platform/records/totals-cache.ts';
import { DataImportEntity, ImportProblemEntity } from './data-import.entity.ts';
import { ErrorReports } from './apply/error-reports.ts';
import { actorOfImport } from './apply/import-actors.ts';
import { ImportChunks } from './apply/import-chunks.ts';
import { importRetention } from './import-store.ts';
import { ImportRunner } from './apply/import-runner.ts';
import { ImportStarter, ImportSweeper } from './import-starter.ts';
import { ImportStreams } from './import-streams.ts';
import { importEndpoints } from './imports.endpoints.ts';
import { ImportsService } from './imports.service.ts';
import { IMPORTS_TEXTS } from './imports.texts.ts';

/** Imports of files as records. Spec: "Service operations", import. */
export const imports = {
  texts: [IMPORTS_TEXTS],
  followRenames: followInImports,
  droppedFields: { uses: importsNaming },
  entities: [DataImportEntity, ImportProblemEntity],
  emptied: [rowsOfEnvironment('imports', 'platform.data_import')],

  create(foundation: Foundation, platform: Platform, { service: files }: { readonly service: FilesService }) {
    const { database, store, orm, temporal, config, metrics, logger } = foundation;
    const { snapshots, languages, outboxSignal, streams, streamWriter } = platform;
    const announcer = new WriteAnnouncer(new TotalsCache(store), outboxSignal, logger);
    const starter = new ImportStarter(temporal);
    const sweeper = new ImportSweeper(database, starter, logger);
    const chunks = new ImportChunks(database, (found) => actorOfImport(orm, snapshots, found), announcer, logger);
    const reports = new ErrorReports(database, files, languages);
    const runner = new ImportRunner(database, files, chunks, reports, config.databasePoolSize, metrics, logger);
    const service = new ImportsService(database, files, starter);
    return {
      service,
      endpoints: importEndpoints(service, streams, new ImportStreams(database, streamWriter)),
      activities: importActivities(runner),
      jobs: [sweeper],
      restore: () => sweeper.restore(),
      retention: [importRetention(orm)],
    };
  },
};
