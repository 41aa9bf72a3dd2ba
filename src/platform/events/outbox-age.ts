import type { SqlRunner } from '../../foundation/database/pool.ts';

/**
 * The age of the oldest undispatched event, in seconds; 0 where there is none. One read of a partial index.
 */
export async function outboxAgeSeconds(runner: SqlRunner): Promise<number> {
  const [oldest] = await runner.query<{ age: number }>(
    `select extract(epoch from now() - created_at)::float8 as age
     from platform.event where dispatched_at is null order by id limit 1`,
  );
  return Math.max(0, oldest?.age ?? 0);
}
