import { Type } from 'typebox';
import { DATABASE_WAIT_MS, REDIS_WAIT_MS, TEMPORAL_WAIT_MS } from '../foundation.limits.ts';
import { integer, oneOf, withDefault, type Schema, type Static } from '../validation/schema.ts';
import { ENVIRONMENTS } from './environments.ts';

/** An environment variable: its name, what its value must be, and what the program makes of it. */
export interface Variable<T> {
  readonly name: string;
  readonly schema: Schema;
  readonly parse: (value: never) => T;
}

/** The program's settings, as a group of variables gives them. */
export type SettingsOf<G> = {
  readonly [K in keyof G]: G[K] extends Variable<infer T> ? T : SettingsOf<G[K]>;
};

function variable<S extends Schema, T = Static<S>>(
  name: string,
  schema: S,
  parse: (value: Static<S>) => T = (value) => value,
): Variable<T> {
  return { name, schema, parse };
}

/** A variable that may be missing: null then. */
function optional<S extends Schema>(name: string, schema: S): Variable<Static<S> | null> {
  return variable(name, schema, (value: Static<S> | undefined) => value ?? null);
}

function whole(name: string, fallback: number, minimum: number, maximum?: number): Variable<number> {
  return variable<Schema, number>(name, withDefault(fallback, integer(minimum, maximum)));
}

function perMinute(name: string, fallback: number): Variable<number> {
  return whole(name, fallback, 0, 1_000_000_000);
}

const commaList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** The first one is used from now on, the others still count. Null: there is none. */
function secrets(name: string): Variable<readonly string[] | null> {
  return variable(name, Type.String(), (list?: string) => (list === undefined ? null : commaList(list)));
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const MB = 1024 * 1024;

/**
 * Every environment variable the program reads, each named once; `docs/operations.md` tells operators about
 * them and `.env.example` is tested against this list. Times are in milliseconds, rates per minute with 0 for
 * no limit.
 */
export const VARIABLES = {
  production: variable(
    'NODE_ENV',
    withDefault('development', oneOf(['development', 'test', 'production'])),
    (mode) => mode === 'production',
  ),
  port: whole('PORT', 6443, 0, 65_535),
  /** Where `/actuator` is served; null: on `port`, with the API. */
  managementPort: optional('MANAGEMENT_PORT', integer(0, 65_535)),
  roles: variable(
    'KEELSON_ROLES',
    withDefault('api,worker', Type.String({ pattern: '^(api|worker)(,(api|worker))?$' })),
    (roles) => new Set(roles.split(',') as ('api' | 'worker')[]),
  ),
  environment: variable('KEELSON_ENVIRONMENT', withDefault('dev', oneOf(ENVIRONMENTS))),
  databaseUrl: variable(
    'DATABASE_URL',
    withDefault('postgres://postgres@127.0.0.1:5432/keelson', Type.String({ pattern: '^postgres(ql)?://' })),
  ),
  databasePoolSize: whole('DATABASE_POOL_SIZE', 10, 2, 200),
  /** How long a request waits for a connection before it is answered 503. */
  databaseWaitMs: whole('DATABASE_WAIT_MS', DATABASE_WAIT_MS, 100, 600_000),
  redisUrl: variable('REDIS_URL', withDefault('redis://127.0.0.1:6379/0', Type.String({ pattern: '^rediss?://' }))),
  redisWaitMs: whole('REDIS_WAIT_MS', REDIS_WAIT_MS, 100, 600_000),
  temporal: {
    address: variable('TEMPORAL_ADDRESS', withDefault('127.0.0.1:7233', Type.String({ pattern: '^[^:/\\s]+:\\d+$' }))),
    namespace: variable('TEMPORAL_NAMESPACE', withDefault('default', Type.String({ minLength: 1 }))),
    /** Where its Web UI is, for links to workflows; null: not known. */
    uiUrl: optional('TEMPORAL_UI_URL', Type.String({ pattern: '^https?://[^\\s?#]+$' })),
    /** Null: one of this installation's own. */
    taskQueue: optional('TEMPORAL_TASK_QUEUE', Type.String({ minLength: 1 })),
    waitMs: whole('TEMPORAL_WAIT_MS', TEMPORAL_WAIT_MS, 100, 600_000),
  },
  jwtSecrets: secrets('JWT_SECRET'),
  /** Encrypts stored secrets. */
  secretsKeys: secrets('SECRETS_KEY'),
  trustProxy: variable('TRUST_PROXY', withDefault('', Type.String()), commaList),
  /** Addresses and CIDR ranges that tenants may have called although they are not public. */
  webhookAllowCidrs: variable('WEBHOOK_ALLOW_CIDRS', withDefault('', Type.String()), commaList),
  /**
   * Resolvers of the names that tenants give, as `address` or `address:port`; null: the machine's name
   * servers.
   */
  webhookDnsServers: variable('WEBHOOK_DNS_SERVERS', Type.String(), (list?: string) => list?.split(',') ?? null),
  rateLimits: {
    reads: perMinute('RATE_LIMIT_READS', 100),
    writes: perMinute('RATE_LIMIT_WRITES', 30),
    logins: perMinute('RATE_LIMIT_LOGINS', 10),
    accountLogins: perMinute('RATE_LIMIT_ACCOUNT_LOGINS', 30),
    refreshes: perMinute('RATE_LIMIT_REFRESHES', 60),
    /** Per client address and node. */
    refused: perMinute('RATE_LIMIT_REFUSED', 120),
    /** Per channel of instant messages. */
    im: perMinute('RATE_LIMIT_IM', 60),
  },
  smtpUrl: optional('SMTP_URL', Type.String({ pattern: '^smtps?://' })),
  /** The sender of e-mails. */
  mailFrom: variable('MAIL_FROM', withDefault('Keelson <keelson@localhost>', Type.String({ minLength: 3 }))),
  /** The address of the console: links in e-mails lead there. */
  publicUrl: optional('PUBLIC_URL', Type.String({ pattern: '^https?://[^\\s#?]+$' })),
  aiEndpoint: {
    baseUrl: optional('AI_BASE_URL', Type.String({ pattern: '^https?://[^\\s]+$' })),
    apiKey: optional('AI_API_KEY', Type.String({ maxLength: 1_000 })),
    /** For assistants that name none. */
    model: optional('AI_MODEL', Type.String({ maxLength: 200 })),
    /** For the first byte, and from one piece of an answer to the next. */
    timeoutMs: whole('AI_TIMEOUT_MS', 60_000, 100, 600_000),
  },
  /** The largest file that may be uploaded. Spec: "Limits". */
  maxUploadBytes: variable('MAX_UPLOAD_MB', withDefault(100, integer(1, 10_000)), (megabytes) => megabytes * MB),
  files: {
    /** All files of a tenant together; 0: no limit. */
    maxBytesOfTenant: variable(
      'FILES_TENANT_MAX_MB',
      withDefault(10_240, integer(0, 1_000_000_000)),
      (megabytes) => megabytes * MB,
    ),
    /** Where new files are kept; Postgres without an endpoint. */
    s3: {
      endpoint: optional('FILES_S3_ENDPOINT', Type.String({ pattern: '^https?://[^\\s?#]+$' })),
      bucket: optional('FILES_S3_BUCKET', Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$' })),
      region: variable('FILES_S3_REGION', withDefault('us-east-1', Type.String({ minLength: 1, maxLength: 64 }))),
      accessKeyId: optional('FILES_S3_ACCESS_KEY_ID', Type.String({ maxLength: 1_000 })),
      secretAccessKey: optional('FILES_S3_SECRET_ACCESS_KEY', Type.String({ maxLength: 1_000 })),
    },
  },
  firstAdmin: {
    email: optional('BOOTSTRAP_ADMIN_EMAIL', Type.String({ format: 'email' })),
    password: optional('BOOTSTRAP_ADMIN_PASSWORD', Type.String({ minLength: 12, maxLength: 128 })),
  },
  webhooks: {
    /** The delay before each retry; the last one goes on for the retries after it. */
    retryScheduleMs: variable(
      'WEBHOOK_RETRY_SCHEDULE_MS',
      withDefault(
        '1000,5000,30000,120000,600000,3600000,14400000,43200000',
        Type.String({ pattern: '^\\d{1,9}(,\\d{1,9}){0,19}$' }),
      ),
      (list) => list.split(',').map(Number) as readonly number[],
    ),
    /** Exhausted deliveries within 24 h that disable a subscription; 0: none do. */
    autoDisableAfter: whole('WEBHOOK_AUTO_DISABLE_AFTER', 100, 0, 1_000_000),
    /** Failures of an endpoint in a row that open its circuit; 0: none do. */
    circuitFailures: whole('WEBHOOK_CIRCUIT_FAILURES', 10, 0, 1_000_000),
    /** The first pause of an open circuit; it doubles with each failed probe, up to ten times as much. */
    circuitCoolDownMs: whole('WEBHOOK_CIRCUIT_COOL_DOWN_MS', 30_000, 100, 3_600_000),
    /** Most deliveries of one subscription in flight, however quickly its endpoint answers. */
    maxInFlight: whole('WEBHOOK_MAX_IN_FLIGHT', 64, 2, 1_000),
    logDays: whole('WEBHOOK_LOG_DAYS', 30, 1, 3_650),
  },
  /**
   * How long runs are kept after they have ended, conversations after the last message, the history of
   * records, what commands were given and answered, and sessions after they have expired; 0: for ever.
   */
  retentionDays: {
    changeLog: whole('CHANGE_LOG_RETENTION_DAYS', 400, 0, 36_500),
    executionPayloads: whole('EXECUTION_PAYLOAD_RETENTION_DAYS', 30, 0, 36_500),
    sessions: whole('SESSION_RETENTION_DAYS', 7, 0, 36_500),
    automationRuns: whole('AUTOMATION_RUN_RETENTION_DAYS', 90, 0, 36_500),
    conversations: whole('CONVERSATION_RETENTION_DAYS', 365, 0, 36_500),
  },
  streams: {
    /** Newest events that are kept of each stream, about. */
    maxEntries: whole('STREAM_MAX_ENTRIES', 5_000, 100, 1_000_000),
    /** A stream without new events is forgotten after this. */
    expiryMs: whole('STREAM_EXPIRY_MS', 86_400_000, 1_000, 2_592_000_000),
    pingMs: whole('STREAM_PING_MS', 15_000, 100, 600_000),
    /** Session and permission of an open stream are checked again this often. */
    recheckMs: whole('STREAM_RECHECK_MS', 5_000, 100, 600_000),
    /** Over all nodes. */
    maxPerUser: whole('MAX_STREAMS_PER_USER', 10, 1, 10_000),
  },
  commandWaitMs: whole('COMMAND_WAIT_MS', 25_000, 100, 120_000),
  /** Most commands that share a workflow; 1: each has its own. */
  commandGroupMax: whole('COMMAND_GROUP_MAX', 256, 1, 256),
  /** Commands that may wait for their start in a process; those above are refused. */
  commandQueueMax: whole('COMMAND_QUEUE_MAX', 1_024, 1, 100_000),
  duplicateWaitMs: whole('DUPLICATE_WAIT_MS', 10_000, 100, 120_000),
  shutdownGraceMs: whole('SHUTDOWN_GRACE_MS', 10_000, 0, 600_000),
  logLevel: variable('LOG_LEVEL', withDefault('info', oneOf(LOG_LEVELS))),
  health: {
    outboxMaxAgeSeconds: whole('OUTBOX_MAX_AGE_SECONDS', 900, 1),
    diskMinFreeMb: whole('DISK_MIN_FREE_MB', 100, 0),
  },
  /** The commit this was built from, where the build says so. */
  buildCommit: optional('BUILD_COMMIT', Type.String({ maxLength: 64 })),
};

export type Settings = SettingsOf<typeof VARIABLES>;

/** All variables, from all groups. */
export function allVariables(group: object = VARIABLES): Variable<unknown>[] {
  return Object.values(group).flatMap((one: Variable<unknown> | object) =>
    isVariable(one) ? [one] : allVariables(one),
  );
}

export function isVariable(one: object): one is Variable<unknown> {
  return 'schema' in one;
}
