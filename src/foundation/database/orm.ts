import { MikroORM, type EntitySchema } from '@mikro-orm/core';
import { defineConfig } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import { Migrator } from '@mikro-orm/migrations';
import type { PostgreSqlDriver, SqlEntityManager } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from '../logging/logger.ts';
import { withPropertyNames } from './columns.ts';
import { useOf, type PoolUse, type Row, type SqlRunner } from './pool.ts';

export type PlatformOrm = MikroORM<PostgreSqlDriver>;
export type PlatformEntityManager = SqlEntityManager<PostgreSqlDriver>;

/** The schema of everything that is not a tenant's record. */
const PLATFORM_SCHEMA = 'platform';

export type Migrations = NonNullable<Parameters<typeof defineConfig>[0]['migrations']>['migrationsList'];

/**
 * The door to the platform's own tables (users, resources, promotions) and to DDL. It works with the owner's
 * rights, so tenant data never goes through it: that is `Database`, whose role is bound by row-level
 * security.
 */
export async function createOrm(
  url: string,
  entities: EntitySchema[],
  migrations: Migrations,
  logger: Logger,
): Promise<PlatformOrm> {
  return MikroORM.init<PostgreSqlDriver>(
    defineConfig({
      clientUrl: url,
      schema: PLATFORM_SCHEMA,
      entities,
      extensions: [Migrator],
      migrations: { migrationsList: migrations, tableName: 'migration', snapshot: false, silent: true },
      pool: { min: 0, max: 4 },
      driverOptions: { connectionTimeoutMillis: 5_000, onPoolCreated: dropDeadConnections },
      logger: (message) => logger.debug(message),
      forceUtcTimezone: true,
    }),
  );
}

/** How busy the platform's own connections are. */
export async function connectionsOf(orm: PlatformOrm): Promise<PoolUse> {
  return useOf(await orm.em.getConnection().getNativeClient());
}

/**
 * Statements with `$n` parameters inside the entity manager's transaction, for code that serves both doors.
 */
export function sqlRunnerOf(em: PlatformEntityManager): SqlRunner {
  return {
    async query<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
      const { rows } = await em.getKysely().executeQuery(CompiledQuery.raw(text, [...values]));
      return withPropertyNames(rows as Row[]) as R[];
    },
  };
}

/**
 * Kysely gives a connection back only when its rollback succeeds; one that died in a transaction would be
 * lost to the pool.
 */
function dropDeadConnections(pool: Pool): void {
  const taken = new Set<PoolClient>();
  pool.on('connect', (client) => {
    client.once('end', () => setImmediate(() => taken.has(client) && client.release(true)));
  });
  pool.on('acquire', (client) => taken.add(client));
  pool.on('release', (_error, client) => taken.delete(client));
}
