import type { Express } from 'express';
import { MIGRATIONS } from '../migrations/index.ts';
import { assistantRoutes } from './assistant/assistant.routes.ts';
import { BuiltinProvider } from './assistant/builtin/builtin-provider.ts';
import { ChatStarter } from './assistant/chat-starter.ts';
import { ConfirmationEntity, ConversationEntity, MessageEntity } from './assistant/conversation.entity.ts';
import { ConversationsService } from './assistant/conversations.service.ts';
import { UserIdentities } from './assistant/identity.ts';
import { OpenAiProvider } from './assistant/openai-provider.ts';
import { ReplyMaker } from './assistant/reply-maker.ts';
import { ReplyStore } from './assistant/reply-store.ts';
import { ToolRunner } from './assistant/tool-runner.ts';
import { AuditEntryEntity } from './audit/audit-entry.entity.ts';
import { AuditLog } from './audit/audit-log.ts';
import { auditRoutes } from './audit/audit.routes.ts';
import { authRoutes } from './auth/auth.routes.ts';
import { Gate } from './auth/gate.ts';
import { LoginService } from './auth/login.service.ts';
import { RateLimits } from './auth/rate-limits.ts';
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
import { ExecutionEntity } from './commands/execution.entity.ts';
import { Sweeper } from './commands/sweeper.ts';
import type { Config } from './config/config.ts';
import { problemsOfDataSource } from './datasources/datasource-problems.ts';
import { dataSourceRoutes } from './datasources/datasources.routes.ts';
import { DataSources } from './datasources/datasources.service.ts';
import { connectionsOf, createOrm, type PlatformOrm } from './database/orm.ts';
import { Database } from './database/pool.ts';
import { EnvironmentEntity } from './metadata/environment.entity.ts';
import { designerCommands } from './designer/designer-commands.ts';
import { resourceRoutes } from './designer/resources.routes.ts';
import { EnvironmentsService } from './environments/environments.service.ts';
import { environmentRoutes } from './environments/environments.routes.ts';
import { EventRelay } from './events/event-relay.ts';
import { EventEntity } from './events/event.entity.ts';
import { actuatorRoutes } from './health/actuator.routes.ts';
import { healthRoutes } from './health/health.routes.ts';
import { HealthChecks } from './health/health.ts';
import { indicators } from './health/indicators.ts';
import { createApp, measureRequests } from './http/app.ts';
import { ChannelBindingEntity } from './im/channel-binding.entity.ts';
import { ChannelBindings } from './im/channel-bindings.service.ts';
import { imRoutes } from './im/im.routes.ts';
import { InstantMessages } from './im/im.service.ts';
import { ReplyDelivery } from './im/reply-delivery.ts';
import { createLogger, type Logger } from './logging/logger.ts';
import { ChangeSets, type ResourceCheck } from './metadata/change-set.ts';
import type { DataSourceContent } from './metadata/content.ts';
import { Metrics } from './metrics/metrics.ts';
import { ResourceEntity, ResourceVersionEntity } from './metadata/resource.entity.ts';
import { ResourcesService } from './metadata/resources.service.ts';
import { SnapshotCache } from './metadata/snapshot-cache.ts';
import { DnsResolver } from './outbound/name-resolver.ts';
import { OutboundHttp } from './outbound/outbound-http.ts';
import { ImportsService } from './promotions/imports.service.ts';
import { importRoutes } from './promotions/imports.routes.ts';
import { PromotionsService } from './promotions/promotions.service.ts';
import { promotionRoutes } from './promotions/promotions.routes.ts';
import { PromotionWorker } from './promotions/promotion-worker.ts';
import { PromotionApprovalEntity, PromotionEntity, PromotionRequestEntity } from './promotions/promotion.entity.ts';
import { ChangeEntity } from './records/change.entity.ts';
import { recordRoutes } from './records/records.routes.ts';
import { RecordsService } from './records/records.service.ts';
import { problemsOfRowRules } from './records/row-rules.ts';
import { TotalsCache } from './records/totals-cache.ts';
import { SecretBox } from './secrets/secret-box.ts';
import { SharedStore } from './redis/redis.ts';
import { StreamTail } from './redis/stream-tail.ts';
import { StreamWriter } from './streams/stream-writer.ts';
import { Streams } from './streams/streams.ts';
import { TemporalGateway } from './temporal/temporal-gateway.ts';
import { AutoDisable } from './webhooks/auto-disable.ts';
import { AttemptEntity, DeliveryEntity, RecoveryEntity } from './webhooks/delivery.entity.ts';
import { Deliverer } from './webhooks/deliverer.ts';
import { DeliveryControl } from './webhooks/delivery-control.ts';
import { Dispatcher } from './webhooks/dispatcher.ts';
import { EventMatcher } from './webhooks/event-matcher.ts';
import { measureQueue } from './webhooks/delivery-queue-metrics.ts';
import { LogRetention } from './webhooks/log-retention.ts';
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
  readonly relay: EventRelay;
  readonly dispatcher: Dispatcher;
  readonly deliverer: Deliverer;
  readonly deliveryControl: DeliveryControl;
  readonly logRetention: LogRetention;
  readonly replyMaker: ReplyMaker;
  readonly bindings: ChannelBindings;
  readonly metrics: Metrics;
  readonly streamWriter: StreamWriter;
  readonly streams: Streams;
  readonly app: Express;
  /** `/actuator` on a port of its own; null: `app` has it. */
  readonly managementApp: Express | null;
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
  ConversationEntity,
  MessageEntity,
  ConfirmationEntity,
  ChannelBindingEntity,
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
  const metrics = new Metrics();
  const orm = await createOrm(config.databaseUrl, ENTITIES, MIGRATIONS, logger);
  const database = new Database(config.databaseUrl, config.databasePoolSize, logger);
  const store = new SharedStore(config.redisUrl, logger);
  const { namespace, taskQueue } = config.temporal;
  const temporal = new TemporalGateway({ namespace, taskQueue, eager: config.roles.has('worker') }, logger);

  const snapshots = new SnapshotCache(orm, store);
  const changeSets = new ChangeSets(RESOURCE_CHECKS);
  const resources = new ResourcesService(orm, snapshots, changeSets);
  const promotionWorker = new PromotionWorker(orm, changeSets, snapshots);
  const sessions = new SessionStore(store);
  const tokens = new Tokens(config.jwtSecret);
  const limits = new RateLimits(store, config.rateLimits, metrics);
  const gate = new Gate(tokens, sessions, store, snapshots, limits, config.environment);
  const tail = new StreamTail(config.redisUrl, store, logger);
  const streams = new Streams(gate, store, tail, config.streams, logger);
  const streamWriter = new StreamWriter(store, config.streams);
  const logins = new LoginService(orm, sessions, tokens);
  const totals = new TotalsCache(store);
  const records = new RecordsService(database);
  const dataSources = new DataSources(database);
  const completions = new Completions(store, logger);
  const platformCommands = designerCommands(resources, snapshots);
  const commandRunner = new CommandRunner(
    database,
    orm,
    platformCommands,
    snapshots,
    totals,
    completions,
    metrics,
    logger,
  );
  const starter = new CommandStarter(temporal);
  const commands = new CommandsService(database, commandRunner, starter, completions, config, logger);
  const sweeper = new Sweeper(database, starter, temporal, logger);
  const promotions = new PromotionsService(orm, temporal, promotionWorker);
  const drain = { draining: false };

  const { retryScheduleMs, circuitFailures, autoDisableAfter, logDays } = config.webhooks;
  const outbound = new OutboundHttp(config.webhookAllowCidrs, new DnsResolver(config.webhookDnsServers ?? undefined));
  const box = new SecretBox(config.secretsKey);
  const dispatcher = new Dispatcher(database, temporal, circuitFailures, logger);
  const autoDisable = new AutoDisable(orm, autoDisableAfter, logger);
  const deliverer = new Deliverer(database, outbound, box, dispatcher, autoDisable, config.webhooks, metrics, logger);
  measureQueue(metrics, database);
  const deliveryControl = new DeliveryControl(database, temporal, dispatcher, retryScheduleMs);
  const relay = new EventRelay(database, [new EventMatcher(snapshots, dispatcher, retryScheduleMs)], logger);
  completions.onEnd((own) => relay.wake(own));

  const chats = new ChatStarter(temporal);
  const users = new UserIdentities(orm);
  const bindings = new ChannelBindings(orm, box, outbound);
  const conversations = new ConversationsService(orm, streamWriter, chats);
  const messages = new InstantMessages(orm, snapshots, bindings, conversations, limits);
  const replyMaker = new ReplyMaker(
    new ReplyStore(orm, [new ReplyDelivery(snapshots, dispatcher, retryScheduleMs)]),
    { of: (conversation) => (conversation.channel === null ? users : bindings).of(conversation) },
    snapshots,
    new ToolRunner(records, commands),
    { configured: config.ai && new OpenAiProvider(config.ai), builtin: new BuiltinProvider() },
    streamWriter,
    logger,
  );

  const isPrivate = config.managementPort !== null;
  const { environment } = config;
  const checks = new HealthChecks(indicators({ database, store, snapshots, temporal, environment }, config.health));
  const actuator = actuatorRoutes({ config, checks, drain, metrics, gate });
  const routers = [
    healthRoutes(),
    authRoutes(logins, limits),
    recordRoutes(gate, records, totals),
    commandRoutes(gate, commands, platformCommands),
    dataSourceRoutes(gate, dataSources),
    environmentRoutes(gate, new EnvironmentsService(orm)),
    promotionRoutes(gate, promotions, streams),
    importRoutes(gate, new ImportsService(orm, promotions)),
    resourceRoutes(gate, orm),
    assistantRoutes(gate, conversations, streams),
    imRoutes(gate, messages, bindings, conversations, streams, config.environment),
    auditRoutes(gate, new AuditLog(orm)),
  ];
  measurePools(metrics, database, orm);
  const appOptions = { trustProxy: config.trustProxy, requestDurations: measureRequests(metrics) };
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
    relay,
    dispatcher,
    deliverer,
    deliveryControl,
    logRetention: new LogRetention(orm, logDays),
    replyMaker,
    bindings,
    metrics,
    app: createApp(isPrivate ? routers : [actuator, ...routers], appOptions, logger),
    managementApp: isPrivate ? createApp([actuator], appOptions, logger) : null,
    streamWriter,
    streams,
    drain,
    async open() {
      await store.connect();
      await completions.listen();
      await snapshots.warm();
    },
    async close() {
      temporal.close();
      outbound.close();
      tail.close();
      await Promise.allSettled([orm.close(), database.close(), store.close()]);
    },
  };
}

function measurePools(metrics: Metrics, database: Database, orm: PlatformOrm): void {
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
