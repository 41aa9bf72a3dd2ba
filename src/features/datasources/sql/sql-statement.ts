import { modelOf, readableField } from '../broken-data-source.ts';
import type { Sql } from '../../../foundation/database/pool.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import { quoteIdentifier } from '../../../platform/metadata/models/model.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { columns, visibleRows } from '../../../platform/records/query/record-select.ts';
import { MAX_RESPONSE_BYTES, SQL_TIMEOUT_MS, SQL_WORK_MEMORY_KB } from '../datasources.limits.ts';
import type { RowsRequest } from '../rows.ts';
import type { SqlInspection } from './sql-guard.ts';

/** As JSON has it, roughly. A huge value is not written out to be measured. */
const BYTES_OF_ROW = `case when pg_column_size(q) > ${MAX_RESPONSE_BYTES} then pg_column_size(q) else octet_length(q::text) end`;

/**
 * What must be sent first in the transaction that runs `sqlStatement`, with the tenant as `$1`. The lists'
 * way to build the second wall inside the statement does not carry over: nothing makes Postgres evaluate a
 * setting before it reads the tables of SQL that a tenant's author has written. The rest is depth behind the
 * guard: no more memory for sorts and hashes than one worker's; no write; no table that is not shadowed and
 * no function, operator or type outside the system's own; text read as the guard's parser reads it.
 */
export const SQL_SETTINGS = `select set_config('keelson.tenant_id', $1, true),
  set_config('transaction_read_only', 'on', true),
  set_config('statement_timeout', '${SQL_TIMEOUT_MS}', true),
  set_config('work_mem', '${SQL_WORK_MEMORY_KB}', true),
  set_config('hash_mem_multiplier', '1', true),
  set_config('max_parallel_workers_per_gather', '0', true),
  set_config('search_path', 'pg_catalog, pg_temp', true),
  set_config('standard_conforming_strings', 'on', true)`;

/**
 * The statement of a data source written in SQL. The tables it names are WITH queries that stand in front of
 * the real ones and hold what the caller sees of them: live records of the tenant, within the row rules,
 * without the fields the caller may not read. A column that is not there cannot leak by `select *`, a
 * whole-row value or a function over it; naming one is refused outright, wherever the name stands, because a
 * condition tells about a value as surely as a column does. (So a name that a subquery gives its own column
 * counts, too, where a hidden field has the same.)
 *
 * OFFSET 0 is a fence: without it Postgres may evaluate the author's conditions on rows before the wall's,
 * and an error in one (a division by zero) would come from a record that is deleted or hidden, and tell that
 * it is there.
 * @throws FORBIDDEN with `data.permission`; CONFLICT where a model is gone
 */
export function sqlStatement(inspection: SqlInspection, { actor, params, maxItems }: RowsRequest): Sql {
  requireReadable(inspection, actor);
  // The author's SQL has the first numbers.
  const parameters = new Parameters(inspection.params.map((param) => parameterOf(param, params[param.code])));
  const models = inspection.models.map((code) => modelOf(actor, code));
  const shadows = models.map((model) => {
    const where = visibleRows(model, actor, parameters).join(' and ');
    const shadow = quoteIdentifier(`mt_${model.code}`);
    return `${shadow} as (select ${columns(model, actor.permissions)} from ${model.table} t where ${where} offset 0)`;
  });
  const head = shadows.length > 0 ? `with ${shadows.join(',\n')}\n` : '';
  // The line breaks keep a comment at the end of the author's text from hiding the parenthesis.
  const text = `${head}select (sized.q).* from (
    select q, sum(${BYTES_OF_ROW}) over (rows unbounded preceding) as bytes from (\n${inspection.text}\n) q
    limit ${parameters.add(maxItems)}::int
  ) sized where platform.require_result_size(bytes, ${MAX_RESPONSE_BYTES})`;
  return { text, values: parameters.values };
}

/**
 * @throws FORBIDDEN with `data.permission` where the SQL names a hidden field; CONFLICT where a model is gone
 */
export function requireReadable({ models, columns }: SqlInspection, actor: Actor): void {
  for (const code of models) {
    const model = modelOf(actor, code);
    for (const { name, models: codes } of columns) {
      if (codes.has(code) && model.fields.has(name)) readableField(model, name, actor);
    }
  }
}

function parameterOf({ type }: FieldContent, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  return FIELD_TYPES[type].toParameter?.(value) ?? value;
}
