import type { RecordQuestion, RecordVisibility } from '../../events/audience/event-visibility.ts';
import type { Transaction } from '../../../foundation/database/pool.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { setTenant } from '../../../foundation/database/tenant.ts';
import { bindingRules, compileRowRules } from '../conditions/row-rules.ts';

/** Pairs of model and reader that one statement asks about. */
const PAIRS = 100;

/** The row rules of records, for those who may see an event. */
export const recordVisibility: RecordVisibility = {
  isRestricted: (model, reader) => bindingRules(model, reader).length > 0,

  async areVisible(transaction, questions) {
    const visible = new Set<RecordQuestion>();
    const tenants = Map.groupBy(questions, ({ reader }) => reader.tenantId);
    await Promise.all(
      [...tenants].map(async ([tenantId, own]) => {
        const pairs = [...pairsOf(own).values()];
        // Row-level security shows the records of one tenant at a time.
        const tenant = setTenant(transaction, tenantId);
        const statements = [];
        for (let from = 0; from < pairs.length; from += PAIRS) {
          statements.push(askAbout(transaction, tenantId, pairs.slice(from, from + PAIRS)));
        }
        const [, ...found] = await Promise.all([tenant, ...statements]);
        for (const question of found.flat()) visible.add(question);
      }),
    );
    return questions.map((question) => visible.has(question));
  },
};

/** The questions by model and reader: their rules are the same. */
function pairsOf(questions: readonly RecordQuestion[]): Map<string, RecordQuestion[]> {
  const readers = new Map<RecordQuestion['reader'], number>();
  return Map.groupBy(questions, ({ model, reader }) => {
    if (!readers.has(reader)) readers.set(reader, readers.size);
    return `${model.code} ${readers.get(reader) ?? 0}`;
  });
}

/** @returns the questions whose record is visible */
async function askAbout(
  transaction: Transaction,
  tenantId: string,
  pairs: readonly RecordQuestion[][],
): Promise<RecordQuestion[]> {
  const parameters = new Parameters();
  const tenant = parameters.add(tenantId);
  const selects = pairs.flatMap(([first, ...others], index) => {
    if (!first) return [];
    const { model, reader } = first;
    const pids = parameters.add([first, ...others].map(({ recordPid }) => recordPid));
    const where = [`t.tenant_id = ${tenant}::bigint`, `t.pid = any(${pids})`];
    where.push(...compileRowRules(model, reader, parameters));
    return [`select ${index} as pair, t.pid::text from ${model.table} t where ${where.join(' and ')}`];
  });
  const rows = await transaction.query<{ pair: number; pid: string }>(selects.join(' union all '), parameters.values);
  const found = new Set(rows.map(({ pair, pid }) => `${pair} ${pid}`));
  return pairs.flatMap((own, index) => own.filter(({ recordPid }) => found.has(`${index} ${recordPid}`)));
}
