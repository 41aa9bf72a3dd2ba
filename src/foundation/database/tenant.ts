import type { Database, Row, SqlRunner, Transaction } from './pool.ts';

/** Row-level security sees the tenant as a setting that ends with the transaction. */
export function setTenant(transaction: SqlRunner, tenantId: string): Promise<Row[]> {
  return transaction.query(`select set_config('keelson.tenant_id', $1, true)`, [tenantId]);
}

/** Runs `work` in a transaction of the tenant. Its first statement travels with the setting. */
export function inTenant<T>(
  database: Database,
  tenantId: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return database.transaction(async (transaction) => {
    const [, result] = await Promise.all([setTenant(transaction, tenantId), work(transaction)]);
    return result;
  });
}
