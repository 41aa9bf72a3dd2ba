import { type Foundation } from '../../foundation/foundation.ts';
import { SqlRehearsal } from './sql/sql-rehearsal.ts';
import { type EnvironmentsFeature } from '../environments/environments.feature.ts';
import type { CheckingParts } from '../../platform/feature.ts';
import type { Platform } from '../../platform/platform.ts';
import { DataSourceTester } from './datasource-tester.ts';
import { DataSources } from './datasources.service.ts';
import { dataSourceEndpoints } from './datasources.endpoints.ts';
import { dataSourceType } from './datasource-type.ts';
import { RestCache } from './rest/rest-cache.ts';
import { DATASOURCES_TEXTS } from './datasources.texts.ts';

/** Rows that are configured, not recorded. Spec: `/api/datasource/list`. */
export const datasources = {
  texts: [DATASOURCES_TEXTS],
  resourceTypes: ({ database, outbound }: CheckingParts) => [
    dataSourceType({ rehearsal: new SqlRehearsal(database), outbound }),
  ],

  create(
    { database, outbound, orm, store, box }: Foundation,
    { resourceChecks }: Platform,
    { secrets }: EnvironmentsFeature,
  ) {
    const parts = { database, outbound, secrets };
    const service = new DataSources({ ...parts, cache: new RestCache(store, box) });
    const tester = new DataSourceTester(service, { ...parts, cache: null }, orm, resourceChecks);
    return { service, endpoints: dataSourceEndpoints(service, tester) };
  },
};
