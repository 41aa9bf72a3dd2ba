import { LRUCache } from 'lru-cache';
import type { Database } from '../database/pool.ts';
import { newPid } from '../database/pid.ts';
import type { FieldErrors } from '../errors/application-error.ts';
import type { DataSourceContent } from '../metadata/content.ts';
import { columnType } from '../metadata/model-table.ts';
import { quoteIdentifier, type Model } from '../metadata/model.ts';
import { inspectSql } from './sql-guard.ts';

/** SQLSTATE classes of a statement that does not fit its tables, or holds a literal that is no value of its type. */
const AUTHORS_FAULT = /^(42|22)/;

const SETTINGS = `select set_config('search_path', 'pg_catalog, pg_temp', true),
  set_config('transaction_read_only', 'on', true), set_config('standard_conforming_strings', 'on', true)`;

/**
 * Has Postgres analyse the SQL of a data source against models as they would be: an unknown column, or an operation that
 * a column's type does not have, is found before anybody calls the data source. PREPARE plans nothing and runs nothing,
 * and the tables are stand-ins with the models' columns and no rows: no table is read, and none has to be there.
 */
export class SqlRehearsal {
  readonly #database: Database;
  /** Statement -> problem: the same text over the same columns has the same problem. */
  readonly #known = new LRUCache<string, { problem: string | null }>({ max: 1_000 });

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Path -> problem. What `problemsOfDataSource` finds by itself is not told again.
   * @param models the models of the environment as it would be
   * @throws SERVICE_UNAVAILABLE
   */
  async problemsOf(content: DataSourceContent, models: ReadonlyMap<string, Model>): Promise<FieldErrors> {
    if (content.kind !== 'sql') return {};
    const inspection = await inspectSql(content.sql);
    if ('problem' in inspection) return {};
    const read = inspection.models.flatMap((code) => models.get(code) ?? []);
    if (read.length < inspection.models.length) return {};
    const head = read.length > 0 ? `with ${read.map(standIn).join(',\n')}\n` : '';
    const text = `${head}select q.* from (\n${inspection.text}\n) q`;
    const known = this.#known.get(text) ?? { problem: await this.#rehearse(text) };
    this.#known.set(text, known);
    return known.problem === null ? {} : { 'content.sql': known.problem };
  }

  async #rehearse(text: string): Promise<string | null> {
    const name = `rehearsal_${newPid()}`;
    try {
      await this.#database.transaction(async (transaction) => {
        await transaction.query(SETTINGS);
        await transaction.query(`prepare ${name} as ${text}`);
        await transaction.query(`deallocate ${name}`);
      });
      return null;
    } catch (error) {
      const { code, message } = error as { code?: unknown; message?: string };
      if (typeof code !== 'string' || !AUTHORS_FAULT.test(code)) throw error;
      return `does not fit the models: ${(message ?? '').split('\n')[0]}`;
    }
  }
}

function standIn({ code, fields }: Model): string {
  const columns = [...fields.values()].map((field) => `null::${columnType(field)} as ${quoteIdentifier(field.code)}`);
  return `${quoteIdentifier(`mt_${code}`)} as (select ${columns.join(', ')} where false)`;
}
