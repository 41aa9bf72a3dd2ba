import { ChangeEntity } from '../../platform/events/change.entity.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { RecordsService } from './records.service.ts';
import { TotalsCache } from './totals-cache.ts';
import { EventVisibility } from '../../platform/events/event-visibility.ts';
import { recordVisibility } from './row-visibility.ts';
import { UserLookup } from '../../platform/auth/accounts/user-lookup.ts';
import { aggregateEndpoints } from './aggregates/aggregates.endpoints.ts';
import { recordEndpoints } from './records.endpoints.ts';
import { MODEL_WITH_ROW_RULES } from './model-with-row-rules.ts';
import { OptionFinder } from './options/option-finder.ts';
import { optionEndpoints } from './options/options.endpoints.ts';
import { PAGE_SCHEMA } from './page-type.ts';
import { trashEndpoints } from './trash.endpoints.ts';
import { SavedViewEntity } from './views/saved-view.entity.ts';
import { VIEW } from './views/view-type.ts';
import { viewEndpoints } from './views/views.endpoints.ts';
import { ViewsService } from './views/views.service.ts';
import { RECORDS_TEXTS } from './records.texts.ts';

/** Dynamic reads over the tables of models. Spec: "Dynamic record". */
export const records = {
  texts: [RECORDS_TEXTS],
  entities: [ChangeEntity, SavedViewEntity],
  resourceTypes: () => [MODEL_WITH_ROW_RULES, PAGE_SCHEMA, VIEW],

  create({ database, store, box, orm }: Foundation) {
    const views = new ViewsService(orm);
    const service = new RecordsService(database, box);
    const totals = new TotalsCache(store);
    return {
      service,
      totals,
      visibility: new EventVisibility(recordVisibility),
      // The paths of the trash, of figures and of options would be those of a record.
      endpoints: [
        ...trashEndpoints(database),
        ...aggregateEndpoints(service),
        ...optionEndpoints(new OptionFinder(service, new UserLookup(orm))),
        ...recordEndpoints(service, totals, views),
        ...viewEndpoints(views),
      ],
    };
  },
};

export type RecordsFeature = ReturnType<typeof records.create>;
