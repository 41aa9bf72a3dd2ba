import { Type, type Static } from 'typebox';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { closedObject, NAME } from '../../../platform/metadata/content/schema-parts.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { toModel } from '../../../platform/metadata/resources/resource-type.ts';
import { brokenDataSource, explainFailure } from '../broken-data-source.ts';
import { PARAMS } from '../params/params.ts';
import { columnsOf } from '../sql/sql-columns.ts';
import { inspectSql, type SqlInspection } from '../sql/sql-guard.ts';
import { bindParams } from '../sql/sql-params.ts';
import { problemsOfEnums } from '../sql/enum-problems.ts';
import { SQL_SETTINGS, sqlStatement } from '../sql/sql-statement.ts';
import type { DataSourceKind } from './kind.ts';

const SCHEMA = closedObject({
  name: NAME,
  kind: Type.Literal('sql'),
  params: PARAMS,
  /** Names params as `:code`. */
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
  paramsNamed: ({ sql, params = [] }) => [...bindParams(sql, params).names].map((name) => ['sql', name] as const),
  problems: async ({ sql, params = [] }, models, { rehearsal }) => {
    const problem = (await problemOf(sql, params, models)) ?? (await rehearsal.problemOf(sql, params, models));
    if (problem !== null) return { 'content.sql': problem };
    const inspection = await inspectSql(sql, params);
    return 'problem' in inspection ? {} : problemsOfEnums(inspection, params, models);
  },
  columns: async (source, actor, { database }) => columnsOf(await inspectionOf(source), actor, database),
  rows: async (source, request, { database }) => {
    const statement = sqlStatement(await inspectionOf(source), request);
    return database.transaction(async (transaction) => {
      try {
        // Sent together: two statements, one round trip.
        const [, rows] = await Promise.all([
          transaction.query(SQL_SETTINGS, [request.actor.tenantId]),
          transaction.queryRecords(statement.text, statement.values),
        ]);
        return rows;
      } catch (error) {
        // Here, because outside a statement that runs too long is a fault of the database.
        throw explainFailure(error);
      }
    });
  },
};

/** Inspects it again: the guard may have become stricter since it was saved. @throws CONFLICT (DATASOURCE) */
async function inspectionOf({ sql, params }: Static<typeof SCHEMA>): Promise<SqlInspection> {
  const inspection = await inspectSql(sql, params);
  if ('problem' in inspection) throw brokenDataSource(text('its SQL {problem}', { problem: inspection.problem }));
  return inspection;
}

async function problemOf(
  sql: string,
  params: readonly FieldContent[],
  models: ReadonlyMap<string, Model>,
): Promise<Message | null> {
  const inspection = await inspectSql(sql, params);
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
