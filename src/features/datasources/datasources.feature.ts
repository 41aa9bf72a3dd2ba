import { type Database } from '../../foundation/database/pool.ts';
import { type Foundation } from '../../foundation/foundation.ts';
import { SqlRehearsal } from './sql/sql-rehearsal.ts';
import { type EnvironmentsFeature } from '../environments/environments.feature.ts';
import { DataSources } from './datasources.service.ts';
import { dataSourceEndpoints } from './datasources.endpoints.ts';
import { dataSourceType } from './datasource-type.ts';
import { DATASOURCES_TEXTS } from './datasources.texts.ts';

/** Rows that are configured, not recorded. Spec: `/api/datasource/list`. */
export const datasources = {
  texts: [DATASOURCES_TEXTS],
  resourceTypes: ({ database }: { readonly database: Database | null }) => [dataSourceType(new SqlRehearsal(database))],

  create({ database, outbound }: Foundation, { secrets }: EnvironmentsFeature) {
    return { endpoints: dataSourceEndpoints(new DataSources({ database, outbound, secrets })) };
  },
};
