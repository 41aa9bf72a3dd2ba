import type { SqlRunner } from './pool.ts';

/** What goes with the records of an environment when they are emptied. */
export interface EmptiedData {
  /** What it is called in answers: `executions`. */
  readonly name: string;
  /** In a transaction of the owner. */
  count(sql: SqlRunner, environment: string): Promise<number>;
  empty(sql: SqlRunner, environment: string): Promise<unknown>;
}

/**
 * Rows of a table that name their environment. Work that is under way on them ends when it finds them gone.
 * @param isLeftToHolders rows that a transaction holds stay: it has to do with other environments as well
 */
export function rowsOfEnvironment(
  name: string,
  table: string,
  {
    isLeftToHolders = false,
    prepare,
  }: { isLeftToHolders?: boolean; prepare?: (sql: SqlRunner) => Promise<unknown> } = {},
): EmptiedData {
  const own = `from ${table} where environment = $1`;
  const free = `from ${table} where ctid in (select ctid ${own} for update skip locked)`;
  return {
    name,
    async count(sql, environment) {
      await prepare?.(sql);
      const [row] = await sql.query<{ count: number }>(`select count(*)::int as count ${own}`, [environment]);
      return row?.count ?? 0;
    },
    async empty(sql, environment) {
      await prepare?.(sql);
      await sql.query(`delete ${isLeftToHolders ? free : own}`, [environment]);
    },
  };
}
