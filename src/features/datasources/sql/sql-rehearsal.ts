import { LRUCache } from 'lru-cache';
import type { Database } from '../../../foundation/database/pool.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import { quoteIdentifier, type Model } from '../../../platform/metadata/models/model.ts';
import { inspectSql } from './sql-guard.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';

/**
 * SQLSTATE classes of a statement that does not fit its tables, or holds a literal that is no value of its
 * type.
 */
const AUTHORS_FAULT = /^(42|22)/;

const SETTINGS = `select set_config('search_path', 'pg_catalog, pg_temp', true),
  set_config('transaction_read_only', 'on', true), set_config('standard_conforming_strings', 'on', true)`;

/**
 * Has Postgres analyse the SQL of a data source against models as they would be: an unknown column, or an
 * operation that a column's type does not have, is found before the data source is called. PREPARE plans
 * nothing and runs nothing, and the tables are stand-ins with the models' columns and no rows: no table is
 * read, and none has to be there.
 */
export class SqlRehearsal {
  readonly #database: Database | null;
  /** Statement -> problem: the same text over the same columns has the same problem. */
  readonly #known = new LRUCache<string, { problem: Message | null }>({ max: 1_000 });

  /** @param database null: nothing is analysed, as where files are checked offline */
  constructor(database: Database | null) {
    this.#database = database;
  }

  /**
   * What Postgres finds wrong with the SQL; null for SQL that the guard refuses.
   * @param models the models of the environment as it would be
   * @throws SERVICE_UNAVAILABLE
   */
  async problemOf(sql: string, models: ReadonlyMap<string, Model>): Promise<Message | null> {
    if (this.#database === null) return null;
    const inspection = await inspectSql(sql);
    if ('problem' in inspection) return null;
    const read = inspection.models.flatMap((code) => models.get(code) ?? []);
    if (read.length < inspection.models.length) return null;
    const head = read.length > 0 ? `with ${read.map(standIn).join(',\n')}\n` : '';
    const statement = `${head}select q.* from (\n${inspection.text}\n) q`;
    const known = this.#known.get(statement) ?? { problem: await rehearse(this.#database, statement) };
    this.#known.set(statement, known);
    return known.problem;
  }
}

async function rehearse(database: Database, statement: string): Promise<Message | null> {
  const name = `rehearsal_${newPid()}`;
  try {
    await database.transaction(async (transaction) => {
      await transaction.query(SETTINGS);
      await transaction.query(`prepare ${name} as ${statement}`);
      await transaction.query(`deallocate ${name}`);
    });
    return null;
  } catch (error) {
    const { code, message = '' } = error as { code?: unknown; message?: string };
    if (typeof code !== 'string' || !AUTHORS_FAULT.test(code)) throw error;
    return text('does not fit the models: {problem}', { problem: message.split('\n')[0] ?? '' });
  }
}

function standIn({ code, fields }: Model): string {
  const columns = [...fields.values()].map(
    (field) => `null::${FIELD_TYPES[field.type].column} as ${quoteIdentifier(field.code)}`,
  );
  return `${quoteIdentifier(`mt_${code}`)} as (select ${columns.join(', ')} where false)`;
}
