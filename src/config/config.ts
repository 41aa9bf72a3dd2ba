import { isIP } from 'node:net';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { configSchema } from './schema.ts';

export type Role = 'api' | 'worker';
export type EnvironmentCode = 'dev' | 'staging' | 'prod';
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** The program's settings, read once at start. Times are in milliseconds. */
export interface Config {
  readonly production: boolean;
  readonly port: number;
  /** Where `/actuator` is served; null: on `port`, with the API. */
  readonly managementPort: number | null;
  readonly roles: ReadonlySet<Role>;
  readonly environment: EnvironmentCode;
  readonly databaseUrl: string;
  readonly databasePoolSize: number;
  readonly redisUrl: string;
  readonly temporal: { readonly address: string; readonly namespace: string; readonly taskQueue: string };
  readonly jwtSecret: string;
  /** What stored secrets are encrypted under. */
  readonly secretsKey: string;
  readonly trustProxy: readonly string[];
  /** What tenants may have called although it is not public: addresses and CIDR ranges. */
  readonly webhookAllowCidrs: readonly string[];
  /** Who resolves the names that tenants give, as `address` or `address:port`; null: the machine's name servers. */
  readonly webhookDnsServers: readonly string[] | null;
  /** Requests per minute; 0 is no limit. */
  readonly rateLimits: {
    readonly reads: number;
    readonly writes: number;
    readonly logins: number;
    readonly accountLogins: number;
    /** Per channel of instant messages. */
    readonly im: number;
  };
  readonly smtpUrl: string | null;
  /** The sender of e-mails. */
  readonly mailFrom: string;
  /** Where people reach the console: links in e-mails lead there. */
  readonly publicUrl: string | null;
  /** Where assistants find their words; null: in themselves. */
  readonly ai: AiConfig | null;
  /** The largest file that may be uploaded. Spec: "Limits". */
  readonly maxUploadBytes: number;
  readonly bootstrapAdmin: { readonly email: string; readonly password: string } | null;
  readonly webhooks: WebhookConfig;
  /** How long runs are kept after they have ended, and conversations after what was said last; 0: for ever. */
  readonly retentionDays: { readonly automationRuns: number; readonly conversations: number };
  readonly streams: StreamConfig;
  readonly commandWaitMs: number;
  readonly duplicateWaitMs: number;
  readonly shutdownGraceMs: number;
  readonly logLevel: LogLevel;
  readonly health: { readonly outboxMaxAgeSeconds: number; readonly diskMinFreeMb: number };
  /** The commit this was built from, where the build says so. */
  readonly buildCommit: string | null;
}

/** An endpoint that speaks OpenAI's chat completions. */
export interface AiConfig {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** For assistants that name none. */
  readonly model: string;
  /** For the first byte, and from one piece of an answer to the next. */
  readonly timeoutMs: number;
}

/** How deliveries are tried, and for how long they are remembered. */
export interface WebhookConfig {
  /** The delay before each retry; the last one goes on for the retries after it. */
  readonly retryScheduleMs: readonly number[];
  /** So many exhausted deliveries within 24 h disable a subscription; 0: none do. */
  readonly autoDisableAfter: number;
  /** So many failures of an endpoint in a row open its circuit; 0: none do. */
  readonly circuitFailures: number;
  /** The first pause of an open circuit; it doubles with each failed probe, up to ten times as much. */
  readonly circuitCoolDownMs: number;
  readonly logDays: number;
}

/** How much of a live stream is kept, for how long, and how open ones are looked after. */
export interface StreamConfig {
  /** About so many of the newest events are kept of each stream. */
  readonly maxEntries: number;
  /** A stream that nobody has written to for so long is forgotten. */
  readonly expiryMs: number;
  readonly pingMs: number;
  /** So often session and permission of an open stream are checked again. */
  readonly recheckMs: number;
  /** Over all nodes. */
  readonly maxPerUser: number;
}

/** All problems of a configuration at once, one per line, each named after its variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Signs tokens where nobody set a secret. Production refuses to start without a secret of its own. */
const DEVELOPMENT_JWT_SECRET = 'keelson-development-only-jwt-secret';
/** The same for stored secrets. */
const DEVELOPMENT_SECRETS_KEY = 'keelson-development-only-secrets-key';

interface Settings {
  NODE_ENV: 'development' | 'test' | 'production';
  PORT: number;
  MANAGEMENT_PORT?: number;
  KEELSON_ROLES: string;
  KEELSON_ENVIRONMENT: EnvironmentCode;
  DATABASE_URL: string;
  DATABASE_POOL_SIZE: number;
  REDIS_URL: string;
  TEMPORAL_ADDRESS: string;
  TEMPORAL_NAMESPACE: string;
  TEMPORAL_TASK_QUEUE: string;
  JWT_SECRET?: string;
  SECRETS_KEY?: string;
  WEBHOOK_RETRY_SCHEDULE_MS: string;
  WEBHOOK_AUTO_DISABLE_AFTER: number;
  WEBHOOK_CIRCUIT_FAILURES: number;
  WEBHOOK_CIRCUIT_COOL_DOWN_MS: number;
  WEBHOOK_LOG_DAYS: number;
  AUTOMATION_RUN_RETENTION_DAYS: number;
  CONVERSATION_RETENTION_DAYS: number;
  STREAM_MAX_ENTRIES: number;
  STREAM_EXPIRY_MS: number;
  STREAM_PING_MS: number;
  STREAM_RECHECK_MS: number;
  MAX_STREAMS_PER_USER: number;
  TRUST_PROXY: string;
  WEBHOOK_ALLOW_CIDRS: string;
  WEBHOOK_DNS_SERVERS?: string;
  RATE_LIMIT_READS: number;
  RATE_LIMIT_WRITES: number;
  RATE_LIMIT_LOGINS: number;
  RATE_LIMIT_ACCOUNT_LOGINS: number;
  SMTP_URL?: string;
  MAIL_FROM: string;
  PUBLIC_URL?: string;
  RATE_LIMIT_IM: number;
  AI_BASE_URL?: string;
  AI_API_KEY?: string;
  AI_MODEL?: string;
  AI_TIMEOUT_MS: number;
  BOOTSTRAP_ADMIN_EMAIL?: string;
  BOOTSTRAP_ADMIN_PASSWORD?: string;
  COMMAND_WAIT_MS: number;
  DUPLICATE_WAIT_MS: number;
  SHUTDOWN_GRACE_MS: number;
  LOG_LEVEL: LogLevel;
  OUTBOX_MAX_AGE_SECONDS: number;
  DISK_MIN_FREE_MB: number;
  MAX_UPLOAD_MB: number;
  BUILD_COMMIT?: string;
}

/**
 * Reads and validates the environment.
 * @throws ConfigError naming every variable that is wrong or missing, not only the first.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const settings = pickKnown(environment);
  const problems = validate(settings);
  const trustProxy = addressRanges('TRUST_PROXY', settings, problems);
  const webhookAllowCidrs = addressRanges('WEBHOOK_ALLOW_CIDRS', settings, problems);
  const webhookDnsServers = settings.WEBHOOK_DNS_SERVERS?.split(',') ?? null;
  const noServer = webhookDnsServers?.find((server) => !isServerAddress(server));
  if (noServer !== undefined) problems.push(`WEBHOOK_DNS_SERVERS must be a comma list of addresses: ${noServer}`);
  if (settings.NODE_ENV === 'production') problems.push(...problemsOfSecrets(settings));
  if (!settings.BOOTSTRAP_ADMIN_EMAIL !== !settings.BOOTSTRAP_ADMIN_PASSWORD) {
    problems.push('BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD go together: set both or neither');
  }
  if (settings.MANAGEMENT_PORT && settings.MANAGEMENT_PORT === settings.PORT) {
    problems.push('MANAGEMENT_PORT is the same as PORT: leave it empty to share that one');
  }
  if (settings.AI_BASE_URL && !settings.AI_MODEL) problems.push('AI_MODEL is required with AI_BASE_URL');
  if (settings.AI_BASE_URL && !URL.canParse(settings.AI_BASE_URL)) problems.push('AI_BASE_URL must be a URL');
  if (problems.length > 0) throw new ConfigError(problems);

  return {
    production: settings.NODE_ENV === 'production',
    port: settings.PORT,
    managementPort: settings.MANAGEMENT_PORT ?? null,
    roles: new Set(settings.KEELSON_ROLES.split(',') as Role[]),
    environment: settings.KEELSON_ENVIRONMENT,
    databaseUrl: settings.DATABASE_URL,
    databasePoolSize: settings.DATABASE_POOL_SIZE,
    redisUrl: settings.REDIS_URL,
    temporal: {
      address: settings.TEMPORAL_ADDRESS,
      namespace: settings.TEMPORAL_NAMESPACE,
      taskQueue: settings.TEMPORAL_TASK_QUEUE,
    },
    jwtSecret: settings.JWT_SECRET ?? DEVELOPMENT_JWT_SECRET,
    secretsKey: settings.SECRETS_KEY ?? DEVELOPMENT_SECRETS_KEY,
    trustProxy,
    webhookAllowCidrs,
    webhookDnsServers,
    rateLimits: {
      reads: settings.RATE_LIMIT_READS,
      writes: settings.RATE_LIMIT_WRITES,
      logins: settings.RATE_LIMIT_LOGINS,
      accountLogins: settings.RATE_LIMIT_ACCOUNT_LOGINS,
      im: settings.RATE_LIMIT_IM,
    },
    smtpUrl: settings.SMTP_URL ?? null,
    mailFrom: settings.MAIL_FROM,
    publicUrl: settings.PUBLIC_URL ?? null,
    ai: aiOf(settings),
    bootstrapAdmin:
      settings.BOOTSTRAP_ADMIN_EMAIL && settings.BOOTSTRAP_ADMIN_PASSWORD
        ? { email: settings.BOOTSTRAP_ADMIN_EMAIL, password: settings.BOOTSTRAP_ADMIN_PASSWORD }
        : null,
    webhooks: {
      retryScheduleMs: settings.WEBHOOK_RETRY_SCHEDULE_MS.split(',').map(Number),
      autoDisableAfter: settings.WEBHOOK_AUTO_DISABLE_AFTER,
      circuitFailures: settings.WEBHOOK_CIRCUIT_FAILURES,
      circuitCoolDownMs: settings.WEBHOOK_CIRCUIT_COOL_DOWN_MS,
      logDays: settings.WEBHOOK_LOG_DAYS,
    },
    retentionDays: {
      automationRuns: settings.AUTOMATION_RUN_RETENTION_DAYS,
      conversations: settings.CONVERSATION_RETENTION_DAYS,
    },
    streams: {
      maxEntries: settings.STREAM_MAX_ENTRIES,
      expiryMs: settings.STREAM_EXPIRY_MS,
      pingMs: settings.STREAM_PING_MS,
      recheckMs: settings.STREAM_RECHECK_MS,
      maxPerUser: settings.MAX_STREAMS_PER_USER,
    },
    commandWaitMs: settings.COMMAND_WAIT_MS,
    duplicateWaitMs: settings.DUPLICATE_WAIT_MS,
    shutdownGraceMs: settings.SHUTDOWN_GRACE_MS,
    logLevel: settings.LOG_LEVEL,
    maxUploadBytes: settings.MAX_UPLOAD_MB * 1024 * 1024,
    health: { outboxMaxAgeSeconds: settings.OUTBOX_MAX_AGE_SECONDS, diskMinFreeMb: settings.DISK_MIN_FREE_MB },
    buildCommit: settings.BUILD_COMMIT ?? null,
  };
}

/** Endpoints on one's own machine often want no key; the protocol wants something in its place. */
function aiOf({ AI_BASE_URL: baseUrl, AI_API_KEY: apiKey, AI_MODEL: model, AI_TIMEOUT_MS: timeoutMs }: Settings) {
  return baseUrl && model ? { baseUrl, apiKey: apiKey ?? 'none', model, timeoutMs } : null;
}

function problemsOfSecrets(settings: Settings): string[] {
  const known = { JWT_SECRET: DEVELOPMENT_JWT_SECRET, SECRETS_KEY: DEVELOPMENT_SECRETS_KEY };
  return (Object.keys(known) as (keyof typeof known)[]).flatMap((name) => {
    if (!settings[name]) return [`${name} is required in production`];
    return settings[name] === known[name] ? [`${name} is the one of development, which everybody knows`] : [];
  });
}

/** A comma list of addresses and CIDR ranges. */
function addressRanges(name: 'TRUST_PROXY' | 'WEBHOOK_ALLOW_CIDRS', settings: Settings, problems: string[]): string[] {
  const ranges = settings[name]
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '');
  const noRange = ranges.find((range) => !isAddressRange(range));
  if (noRange !== undefined) problems.push(`${name} must be a comma list of addresses and CIDR ranges: ${noRange}`);
  return ranges;
}

/** Whether a text is an IP address, or one with the length of a prefix. */
function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (bits < 0 || rest.length > 0 || address.includes('%')) return false; // a zone names an interface
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
}

/** Whether a text is an IP address, or one with a port: `192.0.2.1:53`, `[2001:db8::1]:53`. */
function isServerAddress(text: string): boolean {
  const [, bracketed, plain] = /^(?:\[(.+)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? [];
  return isIP(bracketed ?? plain ?? text) !== 0;
}

/** An empty variable counts as unset: compose files and shells pass those on for what nobody filled in. */
function pickKnown(environment: NodeJS.ProcessEnv): Settings {
  const names = Object.keys(configSchema.properties);
  const known = names.filter((name) => environment[name]).map((name) => [name, environment[name]]);
  return Object.fromEntries(known) as Settings;
}

function validate(settings: Settings): string[] {
  const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true });
  addFormats.default(ajv);
  const check = ajv.compile(configSchema);
  check(settings);
  return (check.errors ?? []).map(({ instancePath, message, params }) => {
    const allowed = 'allowedValues' in params ? `: ${(params.allowedValues as string[]).join(', ')}` : '';
    return `${instancePath.slice(1)} ${message}${allowed}`;
  });
}
