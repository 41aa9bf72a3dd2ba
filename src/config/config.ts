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
  readonly bootstrapAdmin: { readonly email: string; readonly password: string } | null;
  readonly webhooks: WebhookConfig;
  readonly commandWaitMs: number;
  readonly duplicateWaitMs: number;
  readonly shutdownGraceMs: number;
  readonly logLevel: LogLevel;
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
  TRUST_PROXY: string;
  BOOTSTRAP_ADMIN_EMAIL?: string;
  BOOTSTRAP_ADMIN_PASSWORD?: string;
  COMMAND_WAIT_MS: number;
  DUPLICATE_WAIT_MS: number;
  SHUTDOWN_GRACE_MS: number;
  LOG_LEVEL: LogLevel;
}

/**
 * Reads and validates the environment.
 * @throws ConfigError naming every variable that is wrong or missing, not only the first.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const settings = pickKnown(environment);
  const problems = validate(settings);
  const trustProxy = settings.TRUST_PROXY.split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '');
  const noRange = trustProxy.find((range) => !isAddressRange(range));
  if (noRange !== undefined) problems.push(`TRUST_PROXY must be a comma list of addresses and CIDR ranges: ${noRange}`);
  if (settings.NODE_ENV === 'production') problems.push(...problemsOfSecrets(settings));
  if (!settings.BOOTSTRAP_ADMIN_EMAIL !== !settings.BOOTSTRAP_ADMIN_PASSWORD) {
    problems.push('BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD go together: set both or neither');
  }
  if (problems.length > 0) throw new ConfigError(problems);

  return {
    production: settings.NODE_ENV === 'production',
    port: settings.PORT,
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
    commandWaitMs: settings.COMMAND_WAIT_MS,
    duplicateWaitMs: settings.DUPLICATE_WAIT_MS,
    shutdownGraceMs: settings.SHUTDOWN_GRACE_MS,
    logLevel: settings.LOG_LEVEL,
  };
}

function problemsOfSecrets(settings: Settings): string[] {
  const known = { JWT_SECRET: DEVELOPMENT_JWT_SECRET, SECRETS_KEY: DEVELOPMENT_SECRETS_KEY };
  return (Object.keys(known) as (keyof typeof known)[]).flatMap((name) => {
    if (!settings[name]) return [`${name} is required in production`];
    return settings[name] === known[name] ? [`${name} is the one of development, which everybody knows`] : [];
  });
}

/** Whether a text is an IP address, or one with the length of a prefix. */
function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (bits < 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
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
