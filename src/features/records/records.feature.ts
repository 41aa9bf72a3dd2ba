import { followInSavedViews, viewsNaming } from './views/follow-renames.ts';
import type { Foundation } from '../../foundation/foundation.ts';
import type { Platform } from '../../platform/platform.ts';
import { RecordReader } from '../../platform/records/reader/record-reader.ts';
import { RecordService } from './service/records.service.ts';
import type { CustomQueries, RecordImports } from './service/ports.ts';
import { ownTransactions } from '../../platform/records/operations/record-transactions.ts';
import { workerRecords } from './service/worker-records.ts';
import { TotalsCache, WriteAnnouncer } from '../../platform/records/totals-cache.ts';
import { EventVisibility } from '../../platform/events/audience/event-visibility.ts';
import { recordVisibility } from '../../platform/records/reader/row-visibility.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import { inTenant } from '../../foundation/database/tenant.ts';
import { readableFiles } from '../../platform/records/writing/record-files.ts';
import type { FollowRenames } from '../../platform/metadata/models/renamed-fields.ts';
import { SequenceCounterEntity } from '../../platform/records/sequences/sequence-counter.entity.ts';
import {
  counterRetention,
  followInCounters,
  forgetCounters,
  EMPTIED_COUNTERS,
} from '../../platform/records/sequences/sequence-counters.ts';
import { aggregateEndpoints } from './aggregates.endpoints.ts';
import { exportEndpoints } from './export/export.endpoints.ts';
import { RecordExports } from './export/record-exports.ts';
import { recordEndpoints } from './records.endpoints.ts';
import { optionEndpoints } from './options.endpoints.ts';
import { trashEndpoints } from './trash.endpoints.ts';
import { SavedViewEntity } from './views/saved-view.entity.ts';
import { VIEW } from './views/view-type.ts';
import { optionsOf, type OptionsAsked } from './service/field-options.ts';
import { viewEndpoints } from './views/views.endpoints.ts';
import { ViewsService } from './views/views.service.ts';

const followInRecords: FollowRenames = async (em, renames) => {
  await followInSavedViews(em, renames);
  await followInCounters(em, renames);
};

/** Dynamic reads over the tables of models. Spec: "Dynamic record". */
export const records = {
  followRenames: followInRecords,
  droppedFields: { uses: viewsNaming, forget: forgetCounters },
  entities: [SavedViewEntity, SequenceCounterEntity],
  emptied: [EMPTIED_COUNTERS],
  resourceTypes: () => [VIEW],

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
    const runWrites = ownTransactions(database, new WriteAnnouncer(totals, outboxSignal, logger));
    const exports = new RecordExports(reader, store, config.databasePoolSize, logger);
    const service = new RecordService({ orm, database, runWrites, reader, views, queries, exports, imports });
    return {
      service,
      /** The same for work without a request, in an environment. */
      worker: (environment: string) => workerRecords(service, () => snapshots.current(environment)),
      totals,
      /** What can be chosen for a field of a payload. */
      payloadOptions: (...asked: OptionsAsked) => optionsOf({ orm, reader }, ...asked),
      retention: [counterRetention(orm)],
      visibility: new EventVisibility(recordVisibility),
      // The paths of the trash, of exports, figures and options would be those of a record.
      endpoints: [
        ...trashEndpoints(database),
        ...exportEndpoints(exports, views),
        ...aggregateEndpoints(reader, views),
        ...optionEndpoints(service),
        ...recordEndpoints(reader, totals, views),
        ...viewEndpoints(views),
      ],
    };
  },
};

export type RecordsFeature = ReturnType<typeof records.create>;
