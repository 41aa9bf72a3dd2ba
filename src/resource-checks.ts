import type { Database } from './database/pool.ts';
import { problemsOfDataSource } from './datasources/datasource-problems.ts';
import { SqlRehearsal } from './datasources/sql-rehearsal.ts';
import type { ResourceCheck } from './metadata/change-set.ts';
import type { DataSourceContent } from './metadata/content.ts';
import { problemsOfRowRules } from './records/row-rules.ts';

/** What features have to say about resources before they are saved. */
export function resourceChecks(database: Database): ResourceCheck[] {
  const rehearsal = new SqlRehearsal(database);
  return [
    ({ resourceType, code }, after) => (resourceType === 'MODEL' ? problemsOfRowRules(after.model(code)) : {}),
    async ({ resourceType, content }, after) => {
      if (resourceType !== 'DATASOURCE') return {};
      const source = content as DataSourceContent;
      const rehearsed = await rehearsal.problemsOf(source, after.models);
      return { ...rehearsed, ...(await problemsOfDataSource(source, after.models)) };
    },
  ];
}
