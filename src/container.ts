import { MIGRATIONS } from '../migrations/index.ts';
import { admitTo } from './administration/admitted.ts';
import { mailOutboxRoutes } from './administration/mail-outbox.routes.ts';
import { roleRoutes } from './administration/roles.routes.ts';
import { serviceAccountRoutes } from './administration/service-accounts.routes.ts';
import { ServiceAccountsService } from './administration/service-accounts.service.ts';
import { tenantRoutes } from './administration/tenants.routes.ts';
import { TenantsService } from './administration/tenants.service.ts';
import { userRoutes } from './administration/users.routes.ts';
import { UsersService } from './administration/users.service.ts';
import { apiDocsRoutes } from './api-docs/api-docs.routes.ts';
import { assistantRoutes } from './assistant/assistant.routes.ts';
import { BuiltinProvider } from './assistant/builtin/builtin-provider.ts';
import { ChatStarter } from './assistant/chat-starter.ts';
import { ConversationRetention } from './assistant/conversation-retention.ts';
import { ConversationsService } from './assistant/conversations.service.ts';
import { UserIdentities } from './assistant/identity.ts';
import { OpenAiProvider } from './assistant/openai-provider.ts';
import { Prompter } from './assistant/prompter.ts';
import { ReplyMaker } from './assistant/reply-maker.ts';
import { ReplyStore } from './assistant/reply-store.ts';
import { ToolRunner } from './assistant/tool-runner.ts';
import { AuditLog } from './audit/audit-log.ts';
import { auditRoutes } from './audit/audit.routes.ts';
import { ApiKeys } from './auth/api-keys.ts';
import { AutomationTriggers } from './automations/automation-triggers.ts';
import { automationRoutes } from './automations/automations.routes.ts';
import { AutomationsService } from './automations/automations.service.ts';
import { AwaitedEvents } from './automations/awaited-events.ts';
import { CommandEffect } from './automations/command-effect.ts';
import { HttpEffect } from './automations/http-effect.ts';
import { Definitions } from './automations/definitions.ts';
import { LostRuns } from './automations/lost-runs.ts';
import { RunAdvancer } from './automations/run-advancer.ts';
import { RunRetention } from './automations/run-retention.ts';
import { RunStream } from './automations/run-stream.ts';
import { RunWaker } from './automations/run-waker.ts';
import { ScheduleKeeper } from './automations/schedule-keeper.ts';
import { ScheduledRuns } from './automations/scheduled-runs.ts';
import { StepRunner } from './automations/step-runner.ts';
import { authRoutes } from './auth/auth.routes.ts';
import { Credentials } from './auth/credentials.ts';
import { Gate } from './auth/gate.ts';
import { LoginService } from './auth/login.service.ts';
import { RateLimits } from './auth/rate-limits.ts';
import { MeService } from './auth/me.service.ts';
import { PasswordService } from './auth/password.service.ts';
import { ResetMails } from './auth/reset-mails.ts';
import { createProfiles, createTenantStates } from './auth/profile.ts';
import { SessionStore } from './auth/session-store.ts';
import { SessionsService } from './auth/sessions.service.ts';
import { Tokens } from './auth/token.ts';
import { CommandRunner } from './commands/command-runner.ts';
import { CommandStarter } from './commands/command-starter.ts';
import { commandRoutes } from './commands/commands.routes.ts';
import { CommandsService } from './commands/commands.service.ts';
import { Completions } from './commands/completions.ts';
import { ExecutionStreams } from './commands/execution-stream.ts';
import { Sweeper } from './commands/sweeper.ts';
import type { Container } from './container-parts.ts';
import type { Config } from './config/config.ts';
import { dataSourceRoutes } from './datasources/datasources.routes.ts';
import { RestSources } from './datasources/rest-source.ts';
import { DataSources } from './datasources/datasources.service.ts';
import { createOrm } from './database/orm.ts';
import { Database } from './database/pool.ts';
import { Purge } from './database/retention.ts';
import { measurePools } from './database/pool-metrics.ts';
import { designerCommands } from './designer/designer-commands.ts';
import { resourceRoutes } from './designer/resources.routes.ts';
import { environmentSecretRoutes } from './environments/environment-secrets.routes.ts';
import { EnvironmentSecrets } from './environments/environment-secrets.service.ts';
import { EnvironmentsService } from './environments/environments.service.ts';
import { environmentRoutes } from './environments/environments.routes.ts';
import { ENTITIES } from './entities.ts';
import { EventRelay } from './events/event-relay.ts';
import { actuatorRoutes } from './health/actuator.routes.ts';
import { healthRoutes } from './health/health.routes.ts';
import { HealthChecks } from './health/health.ts';
import { indicators } from './health/indicators.ts';
import { publicInfo } from './health/node-info.ts';
import { createApp, measureRequests } from './http/app.ts';
import { Languages } from './i18n/languages.ts';
import { ChannelBindings } from './im/channel-bindings.service.ts';
import { imRoutes } from './im/im.routes.ts';
import { InstantMessages } from './im/im.service.ts';
import { ReplyDelivery } from './im/reply-delivery.ts';
import { createLogger, type Logger } from './logging/logger.ts';
import type { Mailer } from './mail/mail.ts';
import { MailOutbox, NoMailer } from './mail/mail-outbox.ts';
import { SmtpMailer } from './mail/smtp-mailer.ts';
import { ChangeSets } from './metadata/change-set.ts';
import { Metrics } from './metrics/metrics.ts';
import { ResourcesService } from './metadata/resources.service.ts';
import { SnapshotCache } from './metadata/snapshot-cache.ts';
import { DnsResolver } from './outbound/name-resolver.ts';
import { OutboundHttp } from './outbound/outbound-http.ts';
import { ImportsService } from './promotions/imports.service.ts';
import { importRoutes } from './promotions/imports.routes.ts';
import { PromotionsService } from './promotions/promotions.service.ts';
import { promotionRoutes } from './promotions/promotions.routes.ts';
import { SoakWatch } from './promotions/soak-watch.ts';
import { PromotionStreams } from './promotions/promotion-stream.ts';
import { PromotionWorker } from './promotions/promotion-worker.ts';
import { recordRoutes } from './records/records.routes.ts';
import { RecordsService } from './records/records.service.ts';
import { TotalsCache } from './records/totals-cache.ts';
import { resourceChecks } from './resource-checks.ts';
import { SecretBox } from './secrets/secret-box.ts';
import { SharedStore } from './redis/redis.ts';
import { StreamTail } from './redis/stream-tail.ts';
import { StreamWriter } from './streams/stream-writer.ts';
import { Streams } from './streams/streams.ts';
import { TemporalGateway } from './temporal/temporal-gateway.ts';
import { AutoDisable } from './webhooks/auto-disable.ts';
import { Deliverer } from './webhooks/deliverer.ts';
import { DeliveryControl } from './webhooks/delivery-control.ts';
import { deliveryControlRoutes } from './webhooks/delivery-control.routes.ts';
import { Recoveries } from './webhooks/recoveries.ts';
import { Dispatcher } from './webhooks/dispatcher.ts';
import { DeliveryLog } from './webhooks/delivery-log.ts';
import { deliveryLogRoutes } from './webhooks/delivery-log.routes.ts';
import { EventMatcher } from './webhooks/event-matcher.ts';
import { measureQueue } from './webhooks/delivery-queue-metrics.ts';
import { LogRetention } from './webhooks/log-retention.ts';
import { SubscriptionsService } from './webhooks/subscriptions.service.ts';
import { TestDelivery } from './webhooks/test-delivery.ts';
import { webhookRoutes } from './webhooks/webhooks.routes.ts';

export type { Container } from './container-parts.ts';

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
  const changeSets = new ChangeSets(resourceChecks(database));
  const resources = new ResourcesService(orm, snapshots, changeSets);
  const streamWriter = new StreamWriter(store, config.streams);
  const promotionStreams = new PromotionStreams(orm, streamWriter, logger);
  const promotionWorker = new PromotionWorker(orm, changeSets, snapshots, promotionStreams);
  const liveTokens = new SessionStore(store);
  const tokens = new Tokens(config.jwtSecret);
  const limits = new RateLimits(store, config.rateLimits, metrics);
  const profiles = createProfiles(orm, store);
  const tenantStates = createTenantStates(orm, store);
  const apiKeys = new ApiKeys(orm, store, logger);
  const credentials = new Credentials(tokens, liveTokens, profiles, apiKeys);
  const gate = new Gate(credentials, tenantStates, store, snapshots, limits, config.environment);
  const tail = new StreamTail(config.redisUrl, store, logger);
  const streams = new Streams(gate, store, tail, config.streams, logger);
  const sessions = new SessionsService(orm, liveTokens, tokens);
  const logins = new LoginService(orm, sessions);
  const mailer = createMailer(config, store, logger);
  const { environment } = config;
  const languages = new Languages((code = environment) => snapshots.peek(code)?.messages ?? new Map<string, never>());
  const resetMails = new ResetMails(orm, mailer, temporal, config.publicUrl, languages, logger);
  const passwords = new PasswordService(orm, sessions, resetMails);
  const totals = new TotalsCache(store);
  const records = new RecordsService(database);
  const box = new SecretBox(config.secretsKey);
  const secrets = new EnvironmentSecrets(orm, box);
  const outbound = new OutboundHttp(config.webhookAllowCidrs, new DnsResolver(config.webhookDnsServers ?? undefined));
  const dataSources = new DataSources(database, new RestSources(outbound, secrets));
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
  const checks = new HealthChecks(indicators({ database, store, snapshots, temporal, environment }, config.health));
  const soakWatch = new SoakWatch(orm, snapshots, () => checks.down());
  const promotions = new PromotionsService(orm, temporal, promotionWorker);
  const admit = admitTo(gate, snapshots);
  const drain = { draining: false };

  const { retryScheduleMs, circuitFailures, autoDisableAfter, logDays } = config.webhooks;
  const autoDisable = new AutoDisable(orm, autoDisableAfter, logger);
  const exhausted = autoDisable.consider.bind(autoDisable);
  const dispatcher = new Dispatcher(database, temporal, circuitFailures, exhausted, logger);
  const deliverer = new Deliverer(database, outbound, box, dispatcher, autoDisable, config.webhooks, metrics, logger);
  measureQueue(metrics, database);
  const deliveryControl = new DeliveryControl(database, temporal, dispatcher, retryScheduleMs);
  const definitions = new Definitions(orm);
  const runStream = new RunStream(database, streamWriter);
  const runWaker = new RunWaker(database, temporal, logger);
  const runAdvancer = new RunAdvancer(database, definitions, runStream, metrics, logger);
  const scheduleKeeper = new ScheduleKeeper(orm, store, snapshots, temporal, logger);
  const awaited = new AwaitedEvents(definitions, snapshots, logger);
  const consumers = [
    new EventMatcher(snapshots, dispatcher, retryScheduleMs),
    new AutomationTriggers(snapshots, awaited, runWaker, logger),
  ];
  const relay = new EventRelay(database, consumers, logger);
  const commandEffect = new CommandEffect(database, commands);
  const onEvent = (): void => relay.wake(true);
  const tools = new ToolRunner(records, commands);
  const providers = { configured: config.ai && new OpenAiProvider(config.ai), builtin: new BuiltinProvider() };
  const prompter = new Prompter(tools, providers);
  const http = new HttpEffect(outbound, secrets);
  const stepNeeds = { database, definitions, snapshots, commands: commandEffect, records, http, prompter };
  const stepRunner = new StepRunner({ ...stepNeeds, logger, onEvent });
  completions.onEnd((own) => relay.wake(own));
  const subscriptions = new SubscriptionsService(orm, box, (url) => outbound.problemOfTargetUrl(url));
  const deliveryLog = new DeliveryLog(orm, database);
  const webhookTests = new TestDelivery(database, outbound, box);

  const chats = new ChatStarter(temporal);
  const users = new UserIdentities(orm);
  const bindings = new ChannelBindings(orm, box, outbound);
  const conversations = new ConversationsService(orm, streamWriter, chats);
  const messages = new InstantMessages(orm, snapshots, bindings, conversations, limits);
  const replyMaker = new ReplyMaker(
    new ReplyStore(orm, [new ReplyDelivery(snapshots, dispatcher, retryScheduleMs)]),
    { of: (conversation) => (conversation.channel === null ? users : bindings).of(conversation) },
    snapshots,
    tools,
    providers,
    streamWriter,
    logger,
  );
  const { automationRuns, conversations: conversationDays } = config.retentionDays;
  const purge = new Purge(
    new LogRetention(orm, logDays),
    new RunRetention(orm, streamWriter, automationRuns),
    new ConversationRetention(orm, streamWriter, conversationDays),
  );

  const isPrivate = config.managementPort !== null;
  const actuator = actuatorRoutes({ config, checks, drain, metrics, gate });
  const routers = [
    healthRoutes(),
    apiDocsRoutes(publicInfo(config).version, {
      perMinute: (budget) => limits.perMinute(budget),
      maxUploadBytes: config.maxUploadBytes,
    }),
    authRoutes(gate, limits, { logins, sessions, passwords, me: new MeService(orm) }),
    recordRoutes(gate, records, totals),
    commandRoutes(gate, commands, platformCommands, streams, new ExecutionStreams(database, completions, streamWriter)),
    dataSourceRoutes(gate, dataSources),
    environmentRoutes(gate, new EnvironmentsService(orm)),
    environmentSecretRoutes(gate, secrets),
    promotionRoutes(gate, promotions, streams, promotionStreams),
    importRoutes(gate, new ImportsService(orm, promotions)),
    resourceRoutes(gate, orm),
    assistantRoutes(gate, conversations, streams),
    imRoutes(gate, messages, bindings, conversations, streams, config.environment),
    auditRoutes(gate, new AuditLog(orm)),
    webhookRoutes(gate, subscriptions, webhookTests, box, circuitFailures),
    deliveryLogRoutes(gate, deliveryLog, subscriptions, database),
    deliveryControlRoutes(gate, deliveryControl, deliveryLog, new Recoveries(orm)),
    userRoutes(admit, new UsersService(orm, profiles, sessions, passwords, resetMails)),
    tenantRoutes(admit, new TenantsService(orm, tenantStates)),
    roleRoutes(admit),
    serviceAccountRoutes(admit, new ServiceAccountsService(orm, apiKeys)),
    ...(mailer instanceof MailOutbox ? [mailOutboxRoutes(admit, mailer)] : []),
    automationRoutes(gate, new AutomationsService(database, definitions, runWaker), streams, runStream),
  ];
  measurePools(metrics, database, orm);
  const appOptions = { trustProxy: config.trustProxy, requestDurations: measureRequests(metrics), languages };
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
    soakWatch,
    sweeper,
    relay,
    dispatcher,
    deliverer,
    deliveryControl,
    purge,
    runAdvancer,
    stepRunner,
    scheduledRuns: new ScheduledRuns(orm, database, snapshots, runWaker),
    runWaker,
    lostRuns: new LostRuns(database, temporal, runAdvancer, runWaker, logger),
    scheduleKeeper,
    replyMaker,
    resetMails,
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
      await resetMails.close();
      temporal.close();
      outbound.close();
      tail.close();
      await Promise.allSettled([orm.close(), database.close(), store.close()]);
    },
  };
}

function createMailer({ smtpUrl, mailFrom, production }: Config, store: SharedStore, logger: Logger): Mailer {
  if (smtpUrl !== null) return new SmtpMailer(smtpUrl, mailFrom, logger);
  return production ? new NoMailer(logger) : new MailOutbox(store, logger);
}
