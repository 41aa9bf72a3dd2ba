import type { Express } from 'express';
import { MIGRATIONS } from '../migrations/index.ts';
import { AuditEntryEntity } from './audit/audit-entry.entity.ts';
import { AuditLog } from './audit/audit-log.ts';
import { auditRoutes } from './audit/audit.routes.ts';
import { authRoutes } from './auth/auth.routes.ts';
import { Gate } from './auth/gate.ts';
import { LoginService } from './auth/login.service.ts';
import { MembershipEntity } from './auth/membership.entity.ts';
import { SessionStore } from './auth/session-store.ts';
import { TenantEntity } from './auth/tenant.entity.ts';
import { Tokens } from './auth/token.ts';
import { UserEntity } from './auth/user.entity.ts';
import { CommandRunner } from './commands/command-runner.ts';
import { CommandStarter } from './commands/command-starter.ts';
import { commandRoutes } from './commands/commands.routes.ts';
import { CommandsService } from './commands/commands.service.ts';
import { Completions } from './commands/completions.ts';
import { ExecutionStreams } from './commands/execution-stream.ts';
import { ExecutionEntity } from './commands/execution.entity.ts';
import { Sweeper } from './commands/sweeper.ts';
import type { Config } from './config/config.ts';
import { problemsOfDataSource } from './datasources/datasource-problems.ts';
import { dataSourceRoutes } from './datasources/datasources.routes.ts';
import { DataSources } from './datasources/datasources.service.ts';
import { createOrm, type PlatformOrm } from './database/orm.ts';
import { Database } from './database/pool.ts';
import { EnvironmentEntity } from './metadata/environment.entity.ts';
import { designerCommands } from './designer/designer-commands.ts';
import { resourceRoutes } from './designer/resources.routes.ts';
import { EnvironmentsService } from './environments/environments.service.ts';
import { environmentRoutes } from './environments/environments.routes.ts';
import { EventEntity } from './events/event.entity.ts';
import { healthRoutes } from './health/health.routes.ts';
import { indicators } from './health/indicators.ts';
import { createApp } from './http/app.ts';
import { createLogger, type Logger } from './logging/logger.ts';
import { ChangeSets, type ResourceCheck } from './metadata/change-set.ts';
import type { DataSourceContent } from './metadata/content.ts';
import { ResourceEntity, ResourceVersionEntity } from './metadata/resource.entity.ts';
import { ResourcesService } from './metadata/resources.service.ts';
import { SnapshotCache } from './metadata/snapshot-cache.ts';
import { ImportsService } from './promotions/imports.service.ts';
import { importRoutes } from './promotions/imports.routes.ts';
import { PromotionsService } from './promotions/promotions.service.ts';
import { promotionRoutes } from './promotions/promotions.routes.ts';
import { PromotionStreams } from './promotions/promotion-stream.ts';
import { PromotionWorker } from './promotions/promotion-worker.ts';
import { PromotionApprovalEntity, PromotionEntity, PromotionRequestEntity } from './promotions/promotion.entity.ts';
import { ChangeEntity } from './records/change.entity.ts';
import { recordRoutes } from './records/records.routes.ts';
import { RecordsService } from './records/records.service.ts';
import { problemsOfRowRules } from './records/row-rules.ts';
import { TotalsCache } from './records/totals-cache.ts';
import { SharedStore } from './redis/redis.ts';
import { StreamTail } from './redis/stream-tail.ts';
import { StreamWriter } from './streams/stream-writer.ts';
import { Streams } from './streams/streams.ts';
import { TemporalGateway } from './temporal/temporal-gateway.ts';
import { AttemptEntity, DeliveryEntity, RecoveryEntity } from './webhooks/delivery.entity.ts';
import { EndpointEntity, SubscriptionEntity } from './webhooks/subscription.entity.ts';

/** Everything the program is made of, wired up once. */
export interface Container {
  readonly config: Config;
  readonly logger: Logger;
  readonly orm: PlatformOrm;
  readonly database: Database;
  readonly store: SharedStore;
  readonly temporal: TemporalGateway;
  readonly snapshots: SnapshotCache;
  readonly resources: ResourcesService;
  readonly commandRunner: CommandRunner;
  readonly promotionWorker: PromotionWorker;
  readonly sweeper: Sweeper;
  readonly streamWriter: StreamWriter;
  readonly streams: Streams;
  readonly app: Express;
  readonly drain: { draining: boolean };
  /** Connects the shared store, listens for wake-up calls and warms the metadata cache. */
  open(): Promise<void>;
  close(): Promise<void>;
}

const ENTITIES = [
  TenantEntity,
  UserEntity,
  MembershipEntity,
  EnvironmentEntity,
  ResourceEntity,
  ResourceVersionEntity,
  ExecutionEntity,
  EventEntity,
  ChangeEntity,
  AuditEntryEntity,
  PromotionEntity,
  PromotionRequestEntity,
  PromotionApprovalEntity,
  SubscriptionEntity,
  EndpointEntity,
  DeliveryEntity,
  AttemptEntity,
  RecoveryEntity,
];

/** What features have to say about resources before they are saved. */
const RESOURCE_CHECKS: ResourceCheck[] = [
  ({ resourceType, code }, after) => (resourceType === 'MODEL' ? problemsOfRowRules(after.model(code)) : {}),
  ({ resourceType, content }, after) =>
    resourceType === 'DATASOURCE' ? problemsOfDataSource(content as DataSourceContent, after.models) : {},
];

/** The only place that constructs. Nothing is connected before `open`. */
export async function createContainer(config: Config): Promise<Container> {
  const logger = createLogger(config.logLevel);
  const orm = await createOrm(config.databaseUrl, ENTITIES, MIGRATIONS, logger);
  const database = new Database(config.databaseUrl, config.databasePoolSize, logger);
  const store = new SharedStore(config.redisUrl, logger);
  const { namespace, taskQueue } = config.temporal;
  const temporal = new TemporalGateway({ namespace, taskQueue, eager: config.roles.has('worker') }, logger);

  const snapshots = new SnapshotCache(orm, store);
  const changeSets = new ChangeSets(RESOURCE_CHECKS);
  const resources = new ResourcesService(orm, snapshots, changeSets);
  const streamWriter = new StreamWriter(store, config.streams);
  const promotionStreams = new PromotionStreams(orm, streamWriter, logger);
  const promotionWorker = new PromotionWorker(orm, changeSets, snapshots, promotionStreams);
  const sessions = new SessionStore(store);
  const tokens = new Tokens(config.jwtSecret);
  const gate = new Gate(tokens, sessions, store, snapshots, config.environment);
  const tail = new StreamTail(config.redisUrl, store, logger);
  const streams = new Streams(gate, store, tail, config.streams, logger);
  const logins = new LoginService(orm, sessions, tokens);
  const totals = new TotalsCache(store);
  const records = new RecordsService(database);
  const dataSources = new DataSources(database);
  const completions = new Completions(store, logger);
  const platformCommands = designerCommands(resources, snapshots);
  const commandRunner = new CommandRunner(database, orm, platformCommands, snapshots, totals, completions, logger);
  const starter = new CommandStarter(temporal);
  const commands = new CommandsService(database, commandRunner, starter, completions, config, logger);
  const sweeper = new Sweeper(database, starter, temporal, logger);
  const promotions = new PromotionsService(orm, temporal, promotionWorker);
  const drain = { draining: false };

  const routers = [
    healthRoutes(indicators(database, store, snapshots, temporal, config.environment), drain),
    authRoutes(logins),
    recordRoutes(gate, records, totals),
    commandRoutes(gate, commands, platformCommands, streams, new ExecutionStreams(database, completions, streamWriter)),
    dataSourceRoutes(gate, dataSources),
    environmentRoutes(gate, new EnvironmentsService(orm)),
    promotionRoutes(gate, promotions, streams, promotionStreams),
    importRoutes(gate, new ImportsService(orm, promotions)),
    resourceRoutes(gate, orm),
    auditRoutes(gate, new AuditLog(orm)),
  ];
  return {
    config,
    logger,
    orm,
    database,
    store,
    temporal,
    snapshots,
    resources,
    commandRunner,
    promotionWorker,
    sweeper,
    streamWriter,
    streams,
    app: createApp(routers, config.trustProxy, logger),
    drain,
    async open() {
      await store.connect();
      await completions.listen();
      await snapshots.warm();
    },
    async close() {
      temporal.close();
      tail.close();
      await Promise.allSettled([orm.close(), database.close(), store.close()]);
    },
  };
}
