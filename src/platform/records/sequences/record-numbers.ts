import type { SqlRunner, Transaction } from '../../../foundation/database/pool.ts';
import { inTenant } from '../../../foundation/database/tenant.ts';
import { numberOf, periodOf, prefixOf } from '../../metadata/field-types/sequence.ts';
import { quoteIdentifier, type Model, type SequenceField } from '../../metadata/models/model.ts';

/** The counter of a field: one for each tenant and period. */
interface Counter {
  readonly model: Model;
  readonly field: SequenceField;
  readonly tenantId: string;
  readonly period: string;
  /** What its numbers have before them today. */
  readonly prefix: string;
}

/** What transactions that are rolled back have counted, by counter. */
const rehearsed = new WeakMap<Transaction, Map<string, bigint>>();

/**
 * The next numbers of a sequence field, in order. Gapless ones are counted in the transaction, whose lock on
 * the counter makes others wait until it ends; others in a short transaction beside it. A transaction that
 * is rolled back anyway takes none: it counts on from the last that was taken.
 * @param day today, such as 2026-01-31
 */
export async function takeNumbers(
  transaction: Transaction,
  model: Model,
  tenantId: string,
  field: SequenceField,
  day: string,
  count: number,
): Promise<string[]> {
  return numbersWith((counter) => countOn(transaction, counter, count), model, tenantId, field, day, count);
}

/** As `takeNumbers`, all counted in the transaction: others wait for what writes many records anyway. */
export function countNumbers(
  sql: SqlRunner,
  model: Model,
  tenantId: string,
  field: SequenceField,
  day: string,
  count: number,
): Promise<string[]> {
  return numbersWith((counter) => take(sql, counter, count), model, tenantId, field, day, count);
}

/** @param countTo gives the last of the numbers */
async function numbersWith(
  countTo: (counter: Counter) => Promise<bigint>,
  model: Model,
  tenantId: string,
  field: SequenceField,
  day: string,
  count: number,
): Promise<string[]> {
  const { sequence } = field;
  const last = await countTo({
    model,
    field,
    tenantId,
    period: periodOf(sequence, day),
    prefix: prefixOf(sequence, day),
  });
  return Array.from({ length: count }, (_, index) => numberOf(sequence, day, last - BigInt(count - index - 1)));
}

function countOn(transaction: Transaction, counter: Counter, count: number): Promise<bigint> {
  const { beside } = transaction;
  if (beside === null) return countInRehearsal(transaction, counter, count);
  if (counter.field.sequence.gapless) return take(transaction, counter, count);
  return inTenant(beside, counter.tenantId, (own) => take(own, counter, count));
}

async function countInRehearsal(transaction: Transaction, counter: Counter, count: number): Promise<bigint> {
  const key = JSON.stringify(keyOf(counter));
  const [row] = await transaction.query<{ value: string }>(
    `select value::text as value from platform.sequence_counter where ${KEY}`,
    keyOf(counter),
  );
  const taken = row ? BigInt(row.value) : await greatestOf(transaction, counter);
  const counted = rehearsed.get(transaction) ?? new Map<string, bigint>();
  rehearsed.set(transaction, counted);
  const before = counted.get(key) ?? 0n;
  const last = (taken > before ? taken : before) + BigInt(count);
  counted.set(key, last);
  return last;
}

const KEY = 'environment = $1 and tenant_id = $2::bigint and model_code = $3 and field_code = $4 and period = $5';

function keyOf({ model, field, tenantId, period }: Counter): unknown[] {
  return [model.environment, tenantId, model.code, field.code, period];
}

async function take(sql: SqlRunner, counter: Counter, count: number): Promise<bigint> {
  const [row] = await sql.query<{ value: string }>(
    `update platform.sequence_counter set value = value + $6, updated_at = now() where ${KEY} returning value::text as value`,
    [...keyOf(counter), count],
  );
  if (row) return BigInt(row.value);
  // Two that begin at once: the later one counts on.
  const first = (await greatestOf(sql, counter)) + BigInt(count);
  const [begun] = await sql.query<{ value: string }>(
    `insert into platform.sequence_counter as c (environment, tenant_id, model_code, field_code, period, value)
     values ($1, $2::bigint, $3, $4, $5, $6) on conflict (tenant_id, environment, model_code, field_code, period)
     do update set value = greatest(c.value + $7, excluded.value), updated_at = now() returning value::text as value`,
    [...keyOf(counter), String(first), count],
  );
  return BigInt(begun?.value ?? first);
}

/** The greatest number that records have already: the field may be older than its sequence. */
async function greatestOf(sql: SqlRunner, { model, field, tenantId, prefix }: Counter): Promise<bigint> {
  const column = quoteIdentifier(field.code);
  const [row] = await sql.query<{ value: string | null }>(
    `select max(substr(t.${column}, $3)::bigint)::text as value from ${model.table} t
     where t.tenant_id = $1::bigint and starts_with(t.${column}, $2) and substr(t.${column}, $3) ~ '^[0-9]{1,18}$'`,
    [tenantId, prefix, [...prefix].length + 1],
  );
  return BigInt(row?.value ?? 0);
}
