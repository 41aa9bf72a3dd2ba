import type { RecordVisibility } from '../../platform/events/event-visibility.ts';
import { Parameters } from './parameters.ts';
import { setTenant } from './record-writer.ts';
import { bindingRules, compileRowRules } from './row-rules.ts';

/** The row rules of records, for those who may see an event. */
export const recordVisibility: RecordVisibility = {
  isRestricted: (model, reader) => bindingRules(model, reader).length > 0,

  async isVisible(transaction, model, reader, recordPid) {
    const parameters = new Parameters();
    const where = [`t.tenant_id = ${parameters.add(reader.tenantId)}::bigint`, `t.pid = ${parameters.add(recordPid)}`];
    where.push(...compileRowRules(model, reader, parameters));
    const [, found] = await Promise.all([
      setTenant(transaction, reader.tenantId),
      transaction.query(`select 1 from ${model.table} t where ${where.join(' and ')}`, parameters.values),
    ]);
    return found.length > 0;
  },
};
