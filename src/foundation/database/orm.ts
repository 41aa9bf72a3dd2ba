import { MikroORM, type EntitySchema, type MigrationObject } from '@mikro-orm/core';
import { defineConfig, type PostgreSqlDriver, type SqlEntityManager } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import pg, { type Pool, type PoolClient } from 'pg';
import type { Logger } from '../logging/logger.ts';
import { useOf, type PoolUse, type Database, type Row, type SqlRunner } from './pool.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { withPropertyNames } from './columns.ts';
import { countReads } from './entity-reads.ts';
import { DATABASE_WAIT_MS } from '../foundation.limits.ts';

export type PlatformOrm = MikroORM<PostgreSqlDriver>;
export type PlatformEntityManager = SqlEntityManager<PostgreSqlDriver>;

/** The schema of everything that is not a tenant's record. */
const PLATFORM_SCHEMA = 'platform';

/**
 * The door to the platform's own tables (users, resources, promotions) and to DDL. It works with the owner's
 * rights, so tenant data never goes through it: that is `Database`, whose role is bound by row-level
 * security.
 * @param waitMs how long a request waits for a connection
 */
export async function createOrm(
  url: string,
  entities: EntitySchema[],
  migrations: MigrationObject[],
  logger: Logger,
  waitMs: number,
): Promise<PlatformOrm> {
  return MikroORM.init<PostgreSqlDriver>(
    defineConfig({
      clientUrl: url,
      schema: PLATFORM_SCHEMA,
      entities,
      extensions: [Migrator],
      migrations: { migrationsList: migrations, tableName: 'migration', snapshot: false, silent: true },
      pool: { min: 0, max: 4 },
      driverOptions: { connectionTimeoutMillis: waitMs, onPoolCreated: watchConnections },
      logger: (message) => logger.debug(message),
      forceUtcTimezone: true,
    }),
  );
}

/** How busy the platform's own connections are. */
async function connectionsOf(orm: PlatformOrm): Promise<PoolUse> {
  return useOf(await orm.em.getConnection().getNativeClient());
}

/**
 * What the connections read is counted. Kysely gives a connection back only when its rollback succeeds; one
 * that died in a transaction would be lost to the pool.
 */
function watchConnections(pool: Pool): void {
  const taken = new Set<PoolClient>();
  pool.on('connect', (client) => {
    countReads(client);
    client.once('end', () => setImmediate(() => taken.has(client) && client.release(true)));
  });
  pool.on('acquire', (client) => taken.add(client));
  pool.on('release', (_error, client) => taken.delete(client));
}

/** Both doors to Postgres, by what their connections do. */
export function measurePools(metrics: Metrics, database: Database, orm: PlatformOrm): void {
  const labels = ['pool', 'state'] as const;
  metrics.gauge('database_connections', 'Connections to Postgres, and requests for one', labels, async (gauge) => {
    const pools = { tenant: database.connections, platform: await connectionsOf(orm) };
    for (const [pool, { used, idle, waiting }] of Object.entries(pools)) {
      gauge.set({ pool, state: 'used' }, used);
      gauge.set({ pool, state: 'idle' }, idle);
      gauge.set({ pool, state: 'waiting' }, waiting);
    }
  });
}

/**
 * One connection with the owner's rights, outside of the pools: for statements that cannot run in a
 * transaction and may take hours. Session-level locks that it takes end with it.
 */
export class OwnerConnection implements SqlRunner {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<OwnerConnection> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: DATABASE_WAIT_MS, keepAlive: true });
    // A lost connection fails the statement that runs on it.
    client.on('error', () => undefined);
    await client.connect();
    return new OwnerConnection(client);
  }

  async query<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const { rows } = await this.#client.query<Row>(text, [...values]);
    return withPropertyNames(rows) as R[];
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }
}
