import { FILTER_SCHEMA } from '../../platform/metadata/content/filter-content.ts';
import { MODEL } from '../../platform/metadata/models/model-type.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import type { ResourceType } from '../../platform/metadata/resources/resource-type.ts';
import { DATA_SOURCE_SCHEMA, kindOf, type DataSourceContent } from './kinds/kinds.ts';
import type { SqlRehearsal } from './sql/sql-rehearsal.ts';

/** Data sources: rows that the configuration defines. */
export const DATASOURCE: ResourceType<DataSourceContent, DataSourceContent> = {
  name: 'DATASOURCE',
  codePattern: '^[a-z][a-z0-9_]{0,63}$',
  schema: DATA_SOURCE_SCHEMA,
  schemas: [FILTER_SCHEMA],
  notFound: 'There is no such data source',
  keep: ({ content }) => content,
  permissionCodes: (code) => [permissionCode.dataSourceRead(code)],
  references: (content) => kindOf(content).references?.(content) ?? [],
  secrets: (content) => kindOf(content).secrets?.(content) ?? [],
};

/** With the check for the moment of saving, which asks the database. */
export function dataSourceType(rehearsal: SqlRehearsal): typeof DATASOURCE {
  return {
    ...DATASOURCE,
    check: ({ content }, after) => kindOf(content).problems?.(content, after.all(MODEL), rehearsal) ?? {},
  };
}
