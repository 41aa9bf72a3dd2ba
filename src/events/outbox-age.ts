import type { SqlRunner } from '../database/pool.ts';

/** How long the oldest event has been waiting for its dispatcher, in seconds; 0 when none is. One step in the partial index. */
export async function outboxAgeSeconds(runner: SqlRunner): Promise<number> {
  const [oldest] = await runner.query<{ age: number }>(
    `select extract(epoch from now() - created_at)::float8 as age
     from platform.event where dispatched_at is null order by id limit 1`,
  );
  return Math.max(0, oldest?.age ?? 0);
}
