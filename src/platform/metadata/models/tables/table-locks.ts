import { setTimeout } from 'node:timers/promises';
import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { tableName } from '../model.ts';
import { LOCK_ATTEMPTS_MS, LOCK_PAUSE_MS } from '../models.limits.ts';

/** The weakest first. */
const LOCK_MODES = ['share', 'share row exclusive', 'access exclusive'] as const;
export type LockMode = (typeof LOCK_MODES)[number];

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Locks the tables of models, all or none: a transaction that held some while it waits for the others would
 * stop their writers. Between the attempts writers go on. Inside a transaction only.
 * @throws Postgres' lock_not_available
 */
export async function lockTables(
  em: PlatformEntityManager,
  environment: string,
  modes: ReadonlyMap<string, LockMode>,
): Promise<void> {
  const statements = LOCK_MODES.toReversed().flatMap((mode) => {
    const tables = [...modes].filter(([, wanted]) => wanted === mode).map(([code]) => tableName(environment, code));
    return tables.length === 0 ? [] : [`lock table ${tables.sort().join(', ')} in ${mode} mode`];
  });
  if (statements.length === 0) return;
  for (const [index, timeoutMs] of LOCK_ATTEMPTS_MS.entries()) {
    await em.execute('savepoint table_locks');
    try {
      await em.execute(`set local lock_timeout = '${timeoutMs}ms'`);
      for (const statement of statements) await em.execute(statement);
      await em.execute('release savepoint table_locks');
      return;
    } catch (error) {
      const isLast = index === LOCK_ATTEMPTS_MS.length - 1;
      if (isLast || (error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      await em.execute('rollback to savepoint table_locks');
      await setTimeout(LOCK_PAUSE_MS);
    }
  }
}
