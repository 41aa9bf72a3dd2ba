import type { Actor } from '../auth/actor.ts';
import type { Sql } from '../database/pool.ts';
import { forbidden, type FieldErrors } from '../errors/application-error.ts';
import type { DataSourceContent } from '../metadata/content.ts';
import { quoteIdentifier, type Field, type Model } from '../metadata/model.ts';
import { compileFilters } from '../records/filter-condition.ts';
import { Parameters } from '../records/parameters.ts';
import { BEHIND_WALL, columns, visibleRows, WALL } from '../records/record-select.ts';
import { brokenDataSource } from './broken-data-source.ts';
import type { SqlInspection } from './sql-guard.ts';

export type ModelSource = Extract<DataSourceContent, { kind: 'model' }>;

/** How long the SQL of an author may run: half of what the program's own statements may. */
const TIMEOUT_MS = 10_000;

/**
 * The statement of a data source over one model: its fields, conditions and order, for at most `maxItems` records. Its
 * conditions are the author's and hold for every caller; what it shows or sorts by, the caller must be allowed to read.
 * @throws FORBIDDEN with `data.permission`; CONFLICT where the model no longer has what the data source names
 */
export function modelStatement(source: ModelSource, actor: Actor, maxItems: number): Sql {
  const { fields, conditions = [], sortFields = [] } = source;
  const model = modelOf(actor, source.modelCode);
  const column = (code: string): string => `t.${quoteIdentifier(readableField(model, code, actor).code)}`;
  const shown = fields.map(column);
  const order = [...sortFields, ...(sortFields.length === 0 ? [NEWEST_FIRST] : [])];
  // Ties are broken by id, as in lists.
  const sort = [...order.map(({ fieldName, order }) => `${column(fieldName)} ${order}`), `t.id ${order.at(-1)?.order}`];

  const parameters = new Parameters();
  const errors: FieldErrors = {};
  const where = [...visibleRows(model, actor, parameters), BEHIND_WALL];
  where.push(...compileFilters(conditions, model, { has: () => true }, parameters, errors));
  const [broken] = Object.entries(errors);
  if (broken) throw brokenDataSource(`its condition on ${broken[0]} ${broken[1]}`);
  const limit = parameters.add(maxItems);
  const rows = `select ${shown.join(', ')} from ${model.table} t where ${where.join(' and ')} order by ${sort.join(', ')} limit ${limit}::int`;
  return { text: `${WALL} select r.* from wall cross join lateral (${rows}) r`, values: parameters.values };
}

/** Spec: "Limits", default sort. */
const NEWEST_FIRST = { fieldName: 'created_at', order: 'desc' } as const;

/**
 * What must be sent first in the transaction that runs `sqlStatement`, with the tenant as `$1`. The lists' way to build
 * the second wall inside the statement does not carry over: nothing makes Postgres evaluate a setting before it reads
 * the tables of SQL that somebody else has written. The rest is depth behind the guard: no write; no table that is not
 * shadowed and no function, operator or type outside the system's own; text read as the guard's parser reads it.
 */
export const SQL_SETTINGS = `select set_config('keelson.tenant_id', $1, true),
  set_config('transaction_read_only', 'on', true),
  set_config('statement_timeout', '${TIMEOUT_MS}', true),
  set_config('search_path', 'pg_catalog, pg_temp', true),
  set_config('standard_conforming_strings', 'on', true)`;

/**
 * The statement of a data source written in SQL. The tables it names are WITH queries that stand in front of the real
 * ones and hold what the caller sees of them: live records of the tenant, within the row rules, without the fields the
 * caller may not read. A column that is not there cannot leak by `select *`, a whole-row value or a function over it;
 * naming one is refused outright, wherever the name stands, because a condition tells about a value as surely as a
 * column does. (So a name that a subquery gives its own column counts, too, where a hidden field has the same.)
 *
 * OFFSET 0 is a fence: without it Postgres may evaluate the author's conditions on rows before the wall's, and an error
 * in one (a division by zero) would come from a record that is deleted or hidden, and tell that it is there.
 * @throws FORBIDDEN with `data.permission`; CONFLICT where a model is gone
 */
export function sqlStatement(inspection: SqlInspection, actor: Actor, maxItems: number): Sql {
  const parameters = new Parameters();
  const models = inspection.models.map((code) => modelOf(actor, code));
  for (const { name, models: codes } of inspection.columns) {
    for (const model of models) if (codes.has(model.code) && model.fields.has(name)) readableField(model, name, actor);
  }
  const shadows = models.map((model) => {
    const where = visibleRows(model, actor, parameters).join(' and ');
    const shadow = quoteIdentifier(`mt_${model.code}`);
    return `${shadow} as (select ${columns(model, actor.permissions)} from ${model.table} t where ${where} offset 0)`;
  });
  const head = shadows.length > 0 ? `with ${shadows.join(',\n')}\n` : '';
  // The line breaks keep a comment at the end of the author's text from hiding the parenthesis.
  const text = `${head}select q.* from (\n${inspection.text}\n) q limit ${parameters.add(maxItems)}::int`;
  return { text, values: parameters.values };
}

function modelOf(actor: Actor, code: string): Model {
  const model = actor.metadata.models.get(code);
  if (!model) throw brokenDataSource(`there is no model ${code}`);
  return model;
}

function readableField(model: Model, code: string, { permissions }: Actor): Field {
  const field = model.fields.get(code);
  if (!field) throw brokenDataSource(`${model.code} has no field ${code}`);
  if (field.readPermission !== null && !permissions.has(field.readPermission)) throw forbidden(field.readPermission);
  return field;
}
