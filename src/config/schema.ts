/**
 * Every environment variable the program reads, as one JSON Schema. The names are fixed (clients, compose files and
 * operators rely on them); `.env.example` is tested against this list.
 */

const perMinute = { type: 'integer', minimum: 0, maximum: 1_000_000_000 } as const;
const port = { type: 'integer', minimum: 0, maximum: 65_535 } as const;

export const configSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    NODE_ENV: { type: 'string', enum: ['development', 'test', 'production'], default: 'development' },
    PORT: { ...port, default: 6443 },
    MANAGEMENT_PORT: port,
    KEELSON_ROLES: { type: 'string', pattern: '^(api|worker)(,(api|worker))?$', default: 'api,worker' },
    KEELSON_ENVIRONMENT: { type: 'string', enum: ['dev', 'staging', 'prod'], default: 'dev' },
    DATABASE_URL: {
      type: 'string',
      pattern: '^postgres(ql)?://',
      default: 'postgres://postgres@127.0.0.1:5432/keelson',
    },
    DATABASE_POOL_SIZE: { type: 'integer', minimum: 2, maximum: 200, default: 10 },
    REDIS_URL: { type: 'string', pattern: '^rediss?://', default: 'redis://127.0.0.1:6379/0' },
    TEMPORAL_ADDRESS: { type: 'string', pattern: '^[^:/\\s]+:\\d+$', default: '127.0.0.1:7233' },
    TEMPORAL_NAMESPACE: { type: 'string', minLength: 1, default: 'default' },
    TEMPORAL_TASK_QUEUE: { type: 'string', minLength: 1, default: 'keelson' },
    JWT_SECRET: { type: 'string', minLength: 32 },
    SECRETS_KEY: { type: 'string', minLength: 32 },
    TRUST_PROXY: { type: 'string', default: '' },
    WEBHOOK_ALLOW_CIDRS: { type: 'string', default: '' },
    WEBHOOK_DNS_SERVERS: { type: 'string' },
    RATE_LIMIT_READS: { ...perMinute, default: 100 },
    RATE_LIMIT_WRITES: { ...perMinute, default: 30 },
    RATE_LIMIT_LOGINS: { ...perMinute, default: 10 },
    RATE_LIMIT_ACCOUNT_LOGINS: { ...perMinute, default: 30 },
    SMTP_URL: { type: 'string', pattern: '^smtps?://' },
    MAIL_FROM: { type: 'string', minLength: 3, default: 'Keelson <keelson@localhost>' },
    PUBLIC_URL: { type: 'string', pattern: '^https?://[^\\s#?]+$' },
    RATE_LIMIT_IM: { ...perMinute, default: 60 },
    AI_BASE_URL: { type: 'string', pattern: '^https?://[^\\s]+$' },
    AI_API_KEY: { type: 'string', maxLength: 1_000 },
    AI_MODEL: { type: 'string', maxLength: 200 },
    AI_TIMEOUT_MS: { type: 'integer', minimum: 100, maximum: 600_000, default: 60_000 },
    BOOTSTRAP_ADMIN_EMAIL: { type: 'string', format: 'email' },
    BOOTSTRAP_ADMIN_PASSWORD: { type: 'string', minLength: 12, maxLength: 128 },
    COMMAND_WAIT_MS: { type: 'integer', minimum: 100, maximum: 120_000, default: 25_000 },
    DUPLICATE_WAIT_MS: { type: 'integer', minimum: 100, maximum: 120_000, default: 10_000 },
    WEBHOOK_RETRY_SCHEDULE_MS: {
      type: 'string',
      pattern: '^\\d{1,9}(,\\d{1,9}){0,19}$',
      default: '1000,5000,30000,120000,600000,3600000,14400000,43200000',
    },
    WEBHOOK_AUTO_DISABLE_AFTER: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 100 },
    WEBHOOK_CIRCUIT_FAILURES: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 10 },
    WEBHOOK_CIRCUIT_COOL_DOWN_MS: { type: 'integer', minimum: 100, maximum: 3_600_000, default: 30_000 },
    WEBHOOK_LOG_DAYS: { type: 'integer', minimum: 1, maximum: 3650, default: 30 },
    STREAM_MAX_ENTRIES: { type: 'integer', minimum: 100, maximum: 1_000_000, default: 5_000 },
    STREAM_EXPIRY_MS: { type: 'integer', minimum: 1_000, maximum: 2_592_000_000, default: 86_400_000 },
    STREAM_PING_MS: { type: 'integer', minimum: 100, maximum: 600_000, default: 15_000 },
    STREAM_RECHECK_MS: { type: 'integer', minimum: 100, maximum: 600_000, default: 5_000 },
    MAX_STREAMS_PER_USER: { type: 'integer', minimum: 1, maximum: 10_000, default: 10 },
    SHUTDOWN_GRACE_MS: { type: 'integer', minimum: 0, maximum: 600_000, default: 10_000 },
    LOG_LEVEL: {
      type: 'string',
      enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      default: 'info',
    },
    OUTBOX_MAX_AGE_SECONDS: { type: 'integer', minimum: 1, default: 900 },
    DISK_MIN_FREE_MB: { type: 'integer', minimum: 0, default: 100 },
    BUILD_COMMIT: { type: 'string', maxLength: 64 },
  },
} as const;
