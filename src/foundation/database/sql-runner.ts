import type { PostgreSqlDriver, SqlEntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import { withPropertyNames } from './columns.ts';
import type { Row, SqlRunner } from './pool.ts';

/** Runs hand-written SQL in the entity manager's transaction, or on the owner's pool where it has none. */
export function sqlRunnerOf(em: SqlEntityManager<PostgreSqlDriver>): SqlRunner {
  return {
    async query<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
      // `em.execute` would write the values into the text.
      const { rows } = await em.getKysely().executeQuery(CompiledQuery.raw(text, [...values]));
      return withPropertyNames(rows as Row[]) as R[];
    },
  };
}
