import { explainFailure, modelOf } from '../broken-data-source.ts';
import { LRUCache } from 'lru-cache';
import type { Database } from '../../../foundation/database/pool.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { type FieldType, FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import { isReadable } from '../../../platform/records/field-selection.ts';
import type { Column } from '../rows.ts';
import type { SqlInspection } from './sql-guard.ts';
import { requireReadable } from './sql-statement.ts';
import { quoteIdentifier, type Field, type Model } from '../../../platform/metadata/models/model.ts';

/** What an analysis sets first, in its transaction: as `SQL_SETTINGS` does, without a tenant. */
export const ANALYSIS_SETTINGS = `select set_config('search_path', 'pg_catalog, pg_temp', true),
  set_config('transaction_read_only', 'on', true), set_config('standard_conforming_strings', 'on', true)`;

/**
 * Precedes the SQL of a data source for its analysis: WITH queries that replace the tables, with the columns
 * of the models and no rows. No table is read, and none has to exist.
 * @param isShown which fields the models have
 */
export function placeholderTables(models: readonly Model[], isShown: (field: Field) => boolean = () => true): string {
  const queries = models.map(({ code, fields }) => {
    const columns = [...fields.values()]
      .filter(isShown)
      .map((field) => `null::${FIELD_TYPES[field.type].column} as ${quoteIdentifier(field.code)}`);
    return `${quoteIdentifier(`mt_${code}`)} as (select ${columns.join(', ')} where false)`;
  });
  return queries.length > 0 ? `with ${queries.join(',\n')}\n` : '';
}

/** OID of a type of Postgres -> the type of fields whose values have the same form in JSON. */
const TYPES: ReadonlyMap<number, FieldType> = new Map([
  [16, 'boolean'],
  [20, 'bigint'],
  [21, 'integer'],
  [23, 'integer'],
  [25, 'text'],
  [114, 'json'],
  [1042, 'text'],
  [1043, 'text'],
  [1082, 'date'],
  [1184, 'datetime'],
  [1700, 'decimal'],
  [3802, 'json'],
]);

const known = new LRUCache<string, readonly Column[]>({ max: 1_000 });

/**
 * The columns of SQL as the actor would see them. Postgres tells them of a statement over no rows, which it
 * does not run either.
 * @throws FORBIDDEN with `data.permission`; CONFLICT (DATASOURCE)
 */
export async function columnsOf(
  inspection: SqlInspection,
  actor: Actor,
  database: Database,
): Promise<readonly Column[]> {
  requireReadable(inspection, actor);
  const models = inspection.models.map((code) => modelOf(actor, code));
  const head = placeholderTables(models, (field) => isReadable(field, actor.permissions));
  const statement = `${head}select q.* from (\n${inspection.text}\n) q limit 0`;
  let columns = known.get(statement);
  if (!columns) {
    const described = await describe(statement, inspection.params.length, database);
    columns = described.map(({ name, typeOid }) => ({ name, type: TYPES.get(typeOid) ?? null }));
    known.set(statement, columns);
  }
  return columns;
}

async function describe(statement: string, params: number, database: Database) {
  const values = Array.from({ length: params }, () => null);
  return database.transaction(async (transaction) => {
    try {
      // Sent together: two statements, one round trip.
      const [, found] = await Promise.all([
        transaction.query(ANALYSIS_SETTINGS),
        transaction.describe(statement, values),
      ]);
      return found;
    } catch (error) {
      throw explainFailure(error);
    }
  });
}
