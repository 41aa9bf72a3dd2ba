import { ChangeEntity } from '../../platform/events/change.entity.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { RecordsService } from './records.service.ts';
import { TotalsCache } from './totals-cache.ts';
import { EventVisibility } from '../../platform/events/event-visibility.ts';
import { recordVisibility } from './row-visibility.ts';
import { recordEndpoints } from './records.endpoints.ts';
import { MODEL_WITH_ROW_RULES } from './model-with-row-rules.ts';
import { PAGE_SCHEMA } from './page-type.ts';
import { trashEndpoints } from './trash.endpoints.ts';
import { RECORDS_TEXTS } from './records.texts.ts';

/** Dynamic reads over the tables of models. Spec: "Dynamic record". */
export const records = {
  texts: [RECORDS_TEXTS],
  entities: [ChangeEntity],
  resourceTypes: () => [MODEL_WITH_ROW_RULES, PAGE_SCHEMA],

  create({ database, store, box }: Foundation) {
    const service = new RecordsService(database, box);
    const totals = new TotalsCache(store);
    return {
      service,
      totals,
      visibility: new EventVisibility(recordVisibility),
      // Its path would be that of a record.
      endpoints: [...trashEndpoints(database), ...recordEndpoints(service, totals)],
    };
  },
};

export type RecordsFeature = ReturnType<typeof records.create>;
