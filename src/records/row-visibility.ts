import type { Actor } from '../auth/actor.ts';
import type { Transaction } from '../database/pool.ts';
import type { Model } from '../metadata/model.ts';
import { Parameters } from './parameters.ts';
import { setTenant } from './record-writer.ts';
import { compileRowRules } from './row-rules.ts';

/** Whether a caller's row rules let them see a record, deleted or not. */
export async function isVisible(transaction: Transaction, model: Model, actor: Actor, pid: string): Promise<boolean> {
  const parameters = new Parameters();
  const where = [`t.tenant_id = ${parameters.add(actor.tenantId)}::bigint`, `t.pid = ${parameters.add(pid)}`];
  where.push(...compileRowRules(model, actor, parameters));
  const found = Promise.all([
    setTenant(transaction, actor.tenantId),
    transaction.query(`select 1 from ${model.table} t where ${where.join(' and ')}`, parameters.values),
  ]);
  return (await found)[1].length > 0;
}
