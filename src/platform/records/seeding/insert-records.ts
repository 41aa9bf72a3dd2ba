import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { setTenant } from '../../../foundation/database/tenant.ts';
import { throwIfInvalid } from '../../../foundation/errors/application-error.ts';
import { dayIn, UTC } from '../../../foundation/time/time-zones.ts';
import { FIELD_TYPES } from '../../metadata/field-types/field-types.ts';
import { computedValues } from '../../metadata/models/computed-values.ts';
import { quoteIdentifier, type Model } from '../../metadata/models/model.ts';
import { countNumbers } from '../sequences/record-numbers.ts';
import type { SeedRecord } from './seed-record.ts';

/**
 * Inserts trusted records (demo data, benchmark data) in one statement, without change log and events.
 * Records whose pid is there already are left as they are.
 */
export async function insertRecords(
  transaction: SqlRunner,
  model: Model,
  tenantId: string,
  createdBy: string,
  records: readonly SeedRecord[],
  timeZone = UTC,
): Promise<void> {
  const own = [...model.fields.values()].flatMap(({ content }) => (content ? [content] : []));
  const names = own.map(({ code }) => quoteIdentifier(code));
  const shape = [
    'pid text',
    'created_at timestamptz',
    ...own.map(({ code, type }) => `${quoteIdentifier(code)} ${FIELD_TYPES[type].column}`),
  ];
  await setTenant(transaction, tenantId);
  const whole = (await withNumbers(transaction, model, { tenantId, timeZone }, records)).map((record) =>
    withValues(model, record),
  );
  await transaction.query(
    `insert into ${model.table} (pid, tenant_id, created_by, updated_by, created_at, updated_at, ${names.join(', ')})
     select r.pid, $1::bigint, $2, $2, coalesce(r.created_at, now()), coalesce(r.created_at, now()), ${names.map((name) => `r.${name}`).join(', ')}
     from jsonb_to_recordset($3::jsonb) as r (${shape.join(', ')}) on conflict (pid) do nothing`,
    [tenantId, createdBy, JSON.stringify(whole)],
  );
}

/** The records with numbers where they have none. */
async function withNumbers(
  transaction: SqlRunner,
  model: Model,
  { tenantId, timeZone }: { readonly tenantId: string; readonly timeZone: string },
  records: readonly SeedRecord[],
): Promise<readonly SeedRecord[]> {
  let numbered = records;
  for (const field of model.sequences) {
    const lacking = records.filter((record) => record[field.code] === undefined);
    if (lacking.length === 0) continue;
    const numbers = await countNumbers(
      transaction,
      model,
      tenantId,
      field,
      dayIn(new Date(), timeZone),
      lacking.length,
    );
    const byPid = new Map(lacking.map(({ pid }, index) => [pid, numbers[index]]));
    numbered = numbered.map((record) => ({ [field.code]: byPid.get(record.pid), ...record }));
  }
  return numbered;
}

/** The record with the values of its computed fields. */
function withValues(model: Model, record: SeedRecord): object {
  if (model.computed.length === 0) return record;
  const empty = Object.fromEntries([...model.fields.keys()].map((code) => [code, null]));
  const { values, problems } = computedValues(model, { ...empty, ...record });
  throwIfInvalid(problems);
  return { ...record, ...Object.fromEntries(values) };
}
