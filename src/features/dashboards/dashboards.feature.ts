import type { Platform } from '../../platform/platform.ts';
import type { DataSources } from '../datasources/datasources.service.ts';
import type { RecordService } from '../records/service/records.service.ts';
import { DASHBOARD } from './dashboard-type.ts';
import { dashboardEndpoints } from './dashboards.endpoints.ts';
import { Dashboards } from './dashboards.service.ts';
import { DASHBOARDS_TEXTS } from './dashboards.texts.ts';

/** Figures of pages and data sources that the configuration puts together. */
export const dashboards = {
  texts: [DASHBOARDS_TEXTS],
  resourceTypes: () => [DASHBOARD],

  create(
    { resourceChecks }: Platform,
    { service: records }: { readonly service: RecordService },
    { service: sources }: { readonly service: DataSources },
  ) {
    return { endpoints: dashboardEndpoints(new Dashboards(records, sources), resourceChecks) };
  },
};
