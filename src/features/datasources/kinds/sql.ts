import { Type } from 'typebox';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { closedObject, NAME } from '../../../platform/metadata/content/schema-parts.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { toModel } from '../../../platform/metadata/resources/references.ts';
import { brokenDataSource, explainFailure } from '../broken-data-source.ts';
import { inspectSql } from '../sql/sql-guard.ts';
import { SQL_SETTINGS, sqlStatement } from '../sql/sql-statement.ts';
import type { DataSourceKind } from './kind.ts';

const SCHEMA = closedObject({
  name: NAME,
  kind: Type.Literal('sql'),
  sql: Type.String({ minLength: 1, maxLength: 20_000 }),
});

const TABLE = /\bmt_([a-z][a-z0-9_]*)/gi;

/** A SELECT over the tables of models. */
export const SQL: DataSourceKind<typeof SCHEMA> = {
  schema: SCHEMA,
  references: ({ sql }) => {
    const codes = new Set([...sql.matchAll(TABLE)].map(([, code = '']) => code.toLowerCase()));
    return [...codes].map((code) => toModel('sql', code));
  },
  problems: async ({ sql }, models, rehearsal) => {
    const problems: FieldErrors = {};
    const problem = (await problemOf(sql, models)) ?? (await rehearsal.problemOf(sql, models));
    if (problem !== null) problems['content.sql'] = problem;
    return problems;
  },
  rows: async ({ sql }, actor, maxItems, { database }) => {
    // It was inspected when it was saved, perhaps by an older and milder guard.
    const inspection = await inspectSql(sql);
    if ('problem' in inspection) throw brokenDataSource(text('its SQL {problem}', { problem: inspection.problem }));
    const statement = sqlStatement(inspection, actor, maxItems);
    try {
      return await database.transaction(async (transaction) => {
        // Sent together: two statements, one round trip.
        const [, rows] = await Promise.all([
          transaction.query(SQL_SETTINGS, [actor.tenantId]),
          transaction.queryRecords(statement.text, statement.values),
        ]);
        return rows;
      });
    } catch (error) {
      throw explainFailure(error);
    }
  },
};

async function problemOf(sql: string, models: ReadonlyMap<string, Model>): Promise<Message | null> {
  const inspection = await inspectSql(sql);
  if ('problem' in inspection) return inspection.problem;
  const missing = inspection.models.find((code) => !models.has(code));
  if (missing !== undefined) {
    return text('reads mt_{table}, but there is no model {model}', { table: missing, model: missing });
  }
  const stray = inspection.columns.find(
    ({ name, models: codes, certain }) => certain && ![...codes].some((code) => models.get(code)?.fields.has(name)),
  );
  if (!stray) return null;
  const of = [...stray.models].join(' or ');
  return text('reads {column}, which is not a field of {models}', { column: stray.name, models: of });
}
