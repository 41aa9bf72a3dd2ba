import { ANALYSIS_SETTINGS, placeholderTables } from './sql-columns.ts';
import { LRUCache } from 'lru-cache';
import type { Database } from '../../../foundation/database/pool.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import { type Message, quoted, text } from '../../../foundation/i18n/text.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { inspectSql, type SqlInspection } from './sql-guard.ts';

/**
 * SQLSTATE classes of a statement that does not fit its tables, or holds a literal that is no value of its
 * type.
 */
const AUTHORS_FAULT = /^(42|22)/;

/**
 * Has Postgres analyse the SQL of a data source against models as they would be: an unknown column, or an
 * operation that a column's type does not have, is found before the data source is called. PREPARE plans
 * nothing and runs nothing.
 */
export class SqlRehearsal {
  readonly #database: Database | null;
  /** SQL and statement -> problem: the same text over the same columns has the same problem. */
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
  async problemOf(
    sql: string,
    params: readonly FieldContent[],
    models: ReadonlyMap<string, Model>,
  ): Promise<Message | null> {
    if (this.#database === null) return null;
    const inspection = await inspectSql(sql, params);
    if ('problem' in inspection) return null;
    const read = inspection.models.flatMap((code) => models.get(code) ?? []);
    if (read.length < inspection.models.length) return null;
    const head = `${placeholderTables(read)}select q.* from (\n`;
    const key = JSON.stringify([sql, head, inspection.text]);
    const known = this.#known.get(key) ?? { problem: await rehearse(this.#database, head, inspection) };
    this.#known.set(key, known);
    return known.problem;
  }
}

async function rehearse(database: Database, head: string, inspection: SqlInspection): Promise<Message | null> {
  const name = `rehearsal_${newPid()}`;
  const start = `prepare ${name} as ${head}`;
  try {
    await database.transaction(async (transaction) => {
      await transaction.query(ANALYSIS_SETTINGS);
      await transaction.query(`${start}${inspection.text}\n) q`);
      await transaction.query(`deallocate ${name}`);
    });
    return null;
  } catch (error) {
    const { code, message = '', position } = error as { code?: unknown; message?: string; position?: string };
    if (typeof code !== 'string' || !AUTHORS_FAULT.test(code)) throw error;
    const problem = text('does not fit the models: {problem}', { problem: quoted(message.split('\n')[0] ?? '') });
    // Postgres counts from 1; identifiers of models are ASCII.
    const offset = Number(position) - 1 - start.length;
    return offset >= 0 ? inspection.at(offset, problem) : problem;
  }
}
