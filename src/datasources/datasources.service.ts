import type { Actor } from '../auth/actor.ts';
import type { Database } from '../database/pool.ts';
import { brokenDataSource, explainFailure } from './broken-data-source.ts';
import { modelStatement, SQL_SETTINGS, sqlStatement, type ModelSource } from './datasource-statement.ts';
import type { RestSources } from './rest-source.ts';
import { inspectSql } from './sql-guard.ts';

/** Reads data sources: rows that the configuration holds, asks a model for, computes in SQL, or gets from another service. */
export class DataSources {
  readonly #database: Database;
  readonly #rest: RestSources;

  constructor(database: Database, rest: RestSources) {
    this.#database = database;
    this.#rest = rest;
  }

  /**
   * The first rows of a data source, as the actor may see them. Spec: `GET /api/datasource/list`.
   * @throws NOT_FOUND for an unknown code; FORBIDDEN with `data.permission` where it names a field that the actor may
   * not read; CONFLICT with `data.reason` DATASOURCE where it cannot be evaluated; SERVICE_UNAVAILABLE and
   * BAD_GATEWAY where another service is asked
   */
  async rows(actor: Actor, code: string, maxItems: number): Promise<object[]> {
    const source = actor.metadata.dataSource(code);
    switch (source.kind) {
      case 'static':
        return source.rows.slice(0, maxItems);
      case 'model':
        return this.#ofModel(source, actor, maxItems);
      case 'sql':
        return this.#ofSql(source.sql, actor, maxItems);
      case 'rest':
        return this.#rest.rows(source, actor, maxItems);
    }
  }

  async #ofModel(source: ModelSource, actor: Actor, maxItems: number): Promise<object[]> {
    const { text, values } = modelStatement(source, actor, maxItems);
    return this.#database.query(text, values);
  }

  async #ofSql(sql: string, actor: Actor, maxItems: number): Promise<object[]> {
    // It was inspected when it was saved, perhaps by an older and milder guard.
    const inspection = await inspectSql(sql);
    if ('problem' in inspection) throw brokenDataSource(`its SQL ${inspection.problem}`);
    const { text, values } = sqlStatement(inspection, actor, maxItems);
    try {
      return await this.#database.transaction(async (transaction) => {
        // Sent together: two statements, one round trip.
        const [, rows] = await Promise.all([
          transaction.query(SQL_SETTINGS, [actor.tenantId]),
          transaction.query(text, values),
        ]);
        return rows;
      });
    } catch (error) {
      throw explainFailure(error);
    }
  }
}
