import { type EntitySchema, type MigrationObject, defineEntity, p } from '@mikro-orm/core';
import type { Config } from './config/config.ts';
import { createOrm, type PlatformOrm, measurePools } from './database/orm.ts';
import { Database } from './database/pool.ts';
import { createLogger, type Logger } from './logging/logger.ts';
import { Metrics } from './metrics/metrics.ts';
import { DnsResolver } from './outbound/name-resolver.ts';
import { OutboundHttp } from './outbound/outbound-http.ts';
import { keyPrefixOf, RedisStore } from './redis/redis-store.ts';
import { SecretBox } from './secrets/secret-box.ts';
import { TemporalGateway } from './temporal/temporal-gateway.ts';
import { DATABASE_TEXTS } from './database/database.texts.ts';
import { ERRORS_TEXTS } from './errors/errors.texts.ts';
import { EXPRESSIONS_TEXTS } from './expressions/expressions.texts.ts';
import { HTTP_TEXTS } from './http/http.texts.ts';
import { OUTBOUND_TEXTS } from './outbound/outbound.texts.ts';
import { VALIDATION_TEXTS } from './validation/validation.texts.ts';
import { ApplicationError, unavailable } from './errors/application-error.ts';
import { translate } from './database/failures.ts';
import { quoted } from './i18n/text.ts';

/** The one row that tells installations apart where they share a Redis database or a Temporal namespace. */
const InstallationEntity = defineEntity({
  name: 'Installation',
  tableName: 'installation',
  properties: {
    id: p.string().length(32).primary(),
    createdAt: p.datetime(3),
  },
});

/**
 * @throws SERVICE_UNAVAILABLE while Postgres is away; an error of Postgres before the database is migrated
 */
async function readInstallationId(orm: PlatformOrm): Promise<string> {
  const { id } = await orm.em.fork().findOneOrFail(InstallationEntity, { id: { $ne: null } });
  return id;
}

/** Why `readInstallationId` failed at the start, in words for the operator. */
async function problemOfInstallation(orm: PlatformOrm): Promise<ApplicationError> {
  const error = await readInstallationId(orm).then(() => null, translate);
  if (error === null || (error instanceof ApplicationError && error.code === 'SERVICE_UNAVAILABLE')) {
    return unavailable('postgres', error);
  }
  const message = quoted('the database is not migrated: run `npm run migrate`');
  return new ApplicationError('SERVICE_UNAVAILABLE', { message, cause: error });
}

export const FOUNDATION_TEXTS = [
  DATABASE_TEXTS,
  ERRORS_TEXTS,
  EXPRESSIONS_TEXTS,
  HTTP_TEXTS,
  OUTBOUND_TEXTS,
  VALIDATION_TEXTS,
];

/** What every part of the program stands on: configuration, log, metrics, and the doors to the outside. */
export interface Foundation {
  readonly config: Config;
  /**
   * Null: the database could not be asked, or is not migrated. Such a program can migrate, and cannot open.
   */
  readonly installationId: string | null;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly orm: PlatformOrm;
  readonly database: Database;
  readonly store: RedisStore;
  readonly temporal: TemporalGateway;
  readonly outbound: OutboundHttp;
  readonly box: SecretBox;
}

/** Constructs the foundation. Only the installation's id is read; nothing stays connected. */
export async function createFoundation(
  settings: Config,
  entities: EntitySchema[],
  migrations: MigrationObject[],
): Promise<Foundation> {
  const logger = createLogger(settings.logLevel);
  const metrics = new Metrics();
  const { databaseUrl, databaseWaitMs } = settings;
  const orm = await createOrm(databaseUrl, [InstallationEntity, ...entities], migrations, logger, databaseWaitMs);
  const installationId = await readInstallationId(orm).catch(() => null);
  // Installations may share a Redis database and a Temporal namespace.
  const redisUrl = installationId === null ? settings.redisUrl : withInstallation(settings.redisUrl, installationId);
  const config = { ...settings, redisUrl };
  const database = new Database(config.databaseUrl, config.databasePoolSize, logger, databaseWaitMs);
  const { namespace, taskQueue: named, waitMs } = config.temporal;
  const taskQueue = named ?? `keelson-${installationId ?? ''}`;
  measurePools(metrics, database, orm);
  return {
    config,
    installationId,
    logger,
    metrics,
    orm,
    database,
    store: new RedisStore(config.redisUrl, logger, config.redisWaitMs),
    temporal: new TemporalGateway({ namespace, taskQueue, eager: config.roles.has('worker'), waitMs }, logger),
    outbound: new OutboundHttp(config.webhookAllowCidrs, new DnsResolver(config.webhookDnsServers ?? undefined)),
    box: new SecretBox(config.secretsKeys),
  };
}

/** @param redisUrl may have a `keyPrefix` of its own */
function withInstallation(redisUrl: string, installationId: string): string {
  const url = new URL(redisUrl);
  url.searchParams.set('keyPrefix', `${keyPrefixOf(redisUrl)}${installationId}:`);
  return url.href;
}

/** @throws SERVICE_UNAVAILABLE while Redis or Postgres is away, and before the database is migrated */
export async function openFoundation({ installationId, orm, store }: Foundation): Promise<void> {
  if (installationId === null) throw await problemOfInstallation(orm);
  await store.connect();
}

export async function closeFoundation({ temporal, outbound, orm, database, store }: Foundation): Promise<void> {
  temporal.close();
  outbound.close();
  await Promise.allSettled([orm.close(), database.close(), store.close()]);
}
