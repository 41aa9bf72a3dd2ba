import { createHash } from 'node:crypto';
import type { SqlRunner } from '../../../../foundation/database/pool.ts';
import { setTenant } from '../../../../foundation/database/tenant.ts';
import { letOthersRun } from '../../../../foundation/jobs/turns.ts';
import { FIELD_TYPES } from '../../field-types/field-types.ts';
import { computedValues } from '../computed-values.ts';
import type { ModelContent } from '../model-content.ts';
import { isComputed, quoteIdentifier, tableName, type ComputedField, type Field, type Model } from '../model.ts';
import { CHECKED_PAGE_RECORDS } from '../models.limits.ts';
import { fieldsOfCheck } from '../record-checks.ts';
import type { ExistingTable } from './existing-table.ts';
import { codeBefore } from './field-renames.ts';
import { storedValue } from './stored-values.ts';
import { indexName, type Deferrable } from './table-indexes.ts';

/** The computed fields whose values existing records do not have yet. */
export function fieldsToCompute(
  { fields }: Pick<ModelContent, 'fields'>,
  before: ModelContent | undefined,
  existing: ExistingTable,
): ComputedField[] {
  const known = new Map(before?.fields.map((field) => [field.code, field]));
  return fields.filter(isComputed).filter((field) => {
    const old = existing.columns.has(field.code) ? known.get(codeBefore(existing, field.code)) : undefined;
    return old?.computed !== field.computed || old.type !== field.type || old.scale !== field.scale;
  });
}

/** The name of the work that fills a field of a large table: another expression is other work. */
export function computedName(modelCode: string, { code, type, computed, scale }: ComputedField): string {
  const expression = JSON.stringify([type, computed, scale]);
  const hash = createHash('sha1').update(expression).digest('hex').slice(0, 8);
  return indexName(modelCode, `${code}_${hash}`, 'value');
}

/** The work that fills a field of a large table after the publish. Its statement is for people. */
export function computedBuild(environment: string, modelCode: string, field: ComputedField): Deferrable {
  const { code, computed } = field;
  const statement = `update ${tableName(environment, modelCode)} set ${quoteIdentifier(code)} = ${computed}`;
  return { kind: 'COMPUTED', name: computedName(modelCode, field), fieldCode: code, statement };
}

/** A transaction of its own for each page of records; without one they are all written in the caller's. */
export type Paged = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Stores computed values in the records that are there, of all tenants, deleted ones too. Their versions
 * stay. A record that is written meanwhile has got its values by that. The transaction, or the connection,
 * looks at all tenants.
 * @returns how many records have a value that does not fit, and the tenants that have records
 */
export async function fillComputed(
  sql: SqlRunner,
  model: Model,
  fields: readonly ComputedField[],
  paged: Paged = (work) => work(),
): Promise<{ readonly unfit: number; readonly tenants: ReadonlySet<string> }> {
  const codes = new Set(fields.flatMap(({ computed }) => fieldsOfCheck(computed, [])));
  const read = [...model.fields.values()].filter(({ code }) => codes.has(code));
  const tenants = new Set<string>();
  let unfit = 0;
  for (let after: unknown = '0'; after !== null;) {
    after = await paged(async () => {
      const page = await readPage(sql, model, read, after);
      for (const [tenant, rows] of Map.groupBy(page, (row) => String(row.tenant))) {
        const filled: object[] = [];
        for (const row of rows) {
          await letOthersRun();
          const record = Object.fromEntries(read.map(({ code }, index) => [code, row[`c${index}`]]));
          const values = valuesIn(model, fields, record);
          if (values === null) unfit += 1;
          filled.push({ id: row.place, version: row.version, ...values });
        }
        tenants.add(tenant);
        await setTenant(sql, tenant);
        await writePage(sql, model, fields, filled);
      }
      await setTenant(sql, '');
      return page.length < CHECKED_PAGE_RECORDS ? null : page.at(-1)?.place;
    });
  }
  return { unfit, tenants };
}

type Row = Record<string, unknown>;

/** The values of a record; null where one of them does not fit, or takes too long. */
function valuesIn(model: Model, fields: readonly ComputedField[], record: Row): Row | null {
  try {
    const { values, problems } = computedValues(model, record, fields);
    return Object.keys(problems).length > 0 ? null : Object.fromEntries(values);
  } catch {
    return null;
  }
}

function readPage(sql: SqlRunner, model: Model, read: readonly Field[], after: unknown): Promise<Row[]> {
  const columns = read.map((field, index) => `${storedValue(field)} as c${index}`);
  return sql.query(
    `select ${['id::text as place', 'tenant_id::text as tenant', 'version', ...columns].join(', ')}
     from ${model.table} where id > $1::bigint order by id limit $2`,
    [after, CHECKED_PAGE_RECORDS],
  );
}

async function writePage(
  sql: SqlRunner,
  model: Model,
  fields: readonly ComputedField[],
  filled: readonly object[],
): Promise<void> {
  const columns = fields.map(({ code, type }) => [quoteIdentifier(code), FIELD_TYPES[type].column] as const);
  const set = columns.map(([name]) => `${name} = r.${name}`).join(', ');
  const shape = columns.map(([name, type]) => `${name} ${type}`).join(', ');
  await sql.query(
    `update ${model.table} t set ${set} from json_to_recordset($1::json) as r(id bigint, version int, ${shape})
     where t.id = r.id and t.version = r.version`,
    [JSON.stringify(filled)],
  );
}
