import { ChangeEntity } from '../../platform/events/changes/change.entity.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { type Platform } from '../../platform/platform.ts';
import { RecordReader } from './record-reader.ts';
import { RecordService } from './records.service.ts';
import type { CustomQueries } from './service/custom-queries.ts';
import type { RecordImports } from './service/record-imports.ts';
import { OwnTransactions } from './service/record-transactions.ts';
import { workerRecords } from './service/worker-records.ts';
import { TotalsCache } from './totals-cache.ts';
import { EventVisibility } from '../../platform/events/audience/event-visibility.ts';
import { recordVisibility } from './row-visibility.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import { inTenant } from '../../foundation/database/tenant.ts';
import { readableFiles } from './files/readable-files.ts';
import { UserLookup } from '../../platform/auth/accounts/user-lookup.ts';
import { aggregateEndpoints } from './aggregates/aggregates.endpoints.ts';
import { exportEndpoints } from './export/export.endpoints.ts';
import { RecordExports } from './export/record-exports.ts';
import { recordEndpoints } from './records.endpoints.ts';
import { MODEL_WITH_ROW_RULES } from './model-with-row-rules.ts';
import { OptionFinder } from './options/option-finder.ts';
import { optionEndpoints } from './options/options.endpoints.ts';
import { PAGE_SCHEMA } from './page-type.ts';
import { trashEndpoints } from './trash/trash.endpoints.ts';
import { SavedViewEntity } from './views/saved-view.entity.ts';
import { VIEW } from './views/view-type.ts';
import { viewEndpoints } from './views/views.endpoints.ts';
import { ViewsService } from './views/views.service.ts';
import { WriteAnnouncer } from './write-announcer.ts';
import { RECORDS_TEXTS } from './records.texts.ts';

/** Dynamic reads over the tables of models. Spec: "Dynamic record". */
export const records = {
  texts: [RECORDS_TEXTS],
  entities: [ChangeEntity, SavedViewEntity],
  resourceTypes: () => [MODEL_WITH_ROW_RULES, PAGE_SCHEMA, VIEW],

  /** Whether a file is named by a field that the actor may read. */
  isReadableFile:
    ({ database }: Foundation) =>
    (actor: Actor, filePid: string) =>
      inTenant(database, actor.tenantId, async (transaction) =>
        (await readableFiles(transaction, actor, [filePid])).has(filePid),
      ),

  create(
    { database, store, box, orm, config, logger }: Foundation,
    { snapshots, outboxSignal }: Platform,
    { service: queries }: { readonly service: CustomQueries },
    { service: imports }: { readonly service: RecordImports },
  ) {
    const views = new ViewsService(orm);
    const totals = new TotalsCache(store);
    const reader = new RecordReader(database, box);
    const options = new OptionFinder(reader, new UserLookup(orm));
    const announcer = new WriteAnnouncer(totals, outboxSignal, logger);
    const transactions = new OwnTransactions(database, announcer);
    const exports = new RecordExports(reader, store, config.databasePoolSize, logger);
    const service = new RecordService({ database, reader, views, options, queries, exports, imports }, transactions);
    return {
      service,
      /** The same for work without a request, in an environment. */
      worker: (environment: string) => workerRecords(service, () => snapshots.current(environment)),
      totals,
      visibility: new EventVisibility(recordVisibility),
      // The paths of the trash, of exports, figures and options would be those of a record.
      endpoints: [
        ...trashEndpoints(database),
        ...exportEndpoints(service, views),
        ...aggregateEndpoints(service, views),
        ...optionEndpoints(service),
        ...recordEndpoints(service, totals, views),
        ...viewEndpoints(views),
      ],
    };
  },
};

export type RecordsFeature = ReturnType<typeof records.create>;
