/**
 * Every environment variable the program reads, as one JSON Schema. The names are fixed (clients, compose files and
 * operators rely on them); `.env.example` is tested against this list.
 */

const port = { type: 'integer', minimum: 0, maximum: 65_535 } as const;

export const configSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    NODE_ENV: { type: 'string', enum: ['development', 'test', 'production'], default: 'development' },
    PORT: { ...port, default: 6443 },
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
    BOOTSTRAP_ADMIN_EMAIL: { type: 'string', format: 'email' },
    BOOTSTRAP_ADMIN_PASSWORD: { type: 'string', minLength: 12 },
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
    SHUTDOWN_GRACE_MS: { type: 'integer', minimum: 0, maximum: 600_000, default: 10_000 },
    LOG_LEVEL: {
      type: 'string',
      enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      default: 'info',
    },
  },
} as const;
