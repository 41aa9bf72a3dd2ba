import { ConfigError, readConfig } from '../../src/foundation/config/config.ts';
import { allVariables } from '../../src/foundation/config/variables.ts';

const problemsOf = (environment: NodeJS.ProcessEnv): readonly string[] => {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('the configuration', () => {
  it('takes name servers with and without a port', () => {
    const servers = '192.0.2.1,192.0.2.2:5353,2001:db8::1,[2001:db8::2]:53';

    expect(readConfig({ WEBHOOK_DNS_SERVERS: servers }).webhookDnsServers).toEqual(servers.split(','));
  });

  it('needs nothing in development', () => {
    expect(readConfig({})).toEqual({
      production: false,
      port: 6443,
      managementPort: null,
      roles: new Set(['api', 'worker']),
      environment: 'dev',
      databaseUrl: 'postgres://postgres@127.0.0.1:5432/keelson',
      databasePoolSize: 10,
      databaseWaitMs: 5_000,
      redisUrl: 'redis://127.0.0.1:6379/0',
      redisWaitMs: 2_000,
      temporal: { address: '127.0.0.1:7233', namespace: 'default', taskQueue: null, uiUrl: null, waitMs: 3_000 },
      jwtSecrets: [expect.any(String)],
      secretsKeys: [expect.any(String)],
      trustProxy: [],
      webhookAllowCidrs: [],
      webhookDnsServers: null,
      rateLimits: { reads: 100, writes: 30, logins: 10, accountLogins: 30, refreshes: 60, refused: 120, im: 60 },
      smtpUrl: null,
      mailFrom: 'Keelson <keelson@localhost>',
      publicUrl: null,
      ai: null,
      bootstrapAdmin: null,
      webhooks: {
        retryScheduleMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 14_400_000, 43_200_000],
        autoDisableAfter: 100,
        circuitFailures: 10,
        maxInFlight: 64,
        circuitCoolDownMs: 30_000,
        logDays: 30,
      },
      retentionDays: { automationRuns: 90, conversations: 365, changeLog: 400, executionPayloads: 30, sessions: 7 },
      streams: { maxEntries: 5_000, expiryMs: 86_400_000, pingMs: 15_000, recheckMs: 5_000, maxPerUser: 10 },
      commandGroupMax: 256,
      commandQueueMax: 1_024,
      commandWaitMs: 25_000,
      duplicateWaitMs: 10_000,
      shutdownGraceMs: 10_000,
      logLevel: 'info',
      maxUploadBytes: 104_857_600,
      files: { maxBytesOfTenant: 10_737_418_240, s3: null },
      health: { outboxMaxAgeSeconds: 900, diskMinFreeMb: 100 },
      buildCommit: null,
    });
  });

  it('is read from the environment variables', () => {
    const config = readConfig({
      PORT: '7000',
      KEELSON_ROLES: 'worker',
      KEELSON_ENVIRONMENT: 'prod',
      DATABASE_URL: 'postgresql://u:p@db/k',
      DATABASE_POOL_SIZE: '50',
      REDIS_URL: 'rediss://cache:6380/2',
      TEMPORAL_ADDRESS: 'temporal.internal:7233',
      TEMPORAL_TASK_QUEUE: 'q',
      JWT_SECRET: 'x'.repeat(32),
      SECRETS_KEY: 'y'.repeat(32),
      BOOTSTRAP_ADMIN_EMAIL: 'root@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: 'a long password',
      LOG_LEVEL: 'debug',
    });

    expect(config).toMatchObject({
      port: 7000,
      roles: new Set(['worker']),
      environment: 'prod',
      databaseUrl: 'postgresql://u:p@db/k',
      databasePoolSize: 50,
      redisUrl: 'rediss://cache:6380/2',
      temporal: { address: 'temporal.internal:7233', namespace: 'default', taskQueue: 'q' },
      jwtSecrets: ['x'.repeat(32)],
      bootstrapAdmin: { email: 'root@example.com', password: 'a long password' },
      logLevel: 'debug',
    });
  });

  it('takes an empty variable for one that is not set, and leaves unknown ones alone', () => {
    const empty = Object.fromEntries(allVariables().map(({ name }) => [name, '']));

    expect(readConfig({ ...empty, HOME: '/root', KEELSON_TYPO: 'x' })).toEqual(readConfig({}));
  });

  it('does not change the environment that it reads', () => {
    const environment = Object.freeze({ PORT: '7000' });

    expect(readConfig(environment).port).toBe(7000);
  });

  it.each<[string, string[]]>([
    ['PORT', ['abc', '-1', '65536', '1.5']],
    ['KEELSON_ROLES', ['web', 'api worker', 'api,', ',api', 'api,worker,api']],
    ['KEELSON_ENVIRONMENT', ['test', 'DEV']],
    ['DATABASE_URL', ['mysql://x', 'localhost']],
    ['DATABASE_POOL_SIZE', ['1', '201', 'many']],
    ['DATABASE_WAIT_MS', ['99', '600001', 'never']],
    ['REDIS_URL', ['http://x', '127.0.0.1:6379']],
    ['REDIS_WAIT_MS', ['0', '600001', '2s']],
    ['TEMPORAL_WAIT_MS', ['99', '600001', '-1']],
    ['TEMPORAL_ADDRESS', ['localhost', 'http://x:7233', ':7233', 'a b:1']],
    ['JWT_SECRET', ['short', 'x'.repeat(31), ',', `${'x'.repeat(32)},short`]],
    ['SECRETS_KEY', ['short', 'x'.repeat(31), ',', `short, ${'x'.repeat(32)}`]],
    ['WEBHOOK_DNS_SERVERS', ['dns.example.com', '127.0.0.1;::1', ',']],
    ['WEBHOOK_RETRY_SCHEDULE_MS', ['soon', '1000;2000', '-1', '1.5']],
    ['WEBHOOK_CIRCUIT_COOL_DOWN_MS', ['99', '3600001']],
    ['WEBHOOK_LOG_DAYS', ['0', '3651']],
    ['AUTOMATION_RUN_RETENTION_DAYS', ['-1', '1.5', '36501']],
    ['CONVERSATION_RETENTION_DAYS', ['-1', 'never', '36501']],
    ['BOOTSTRAP_ADMIN_EMAIL', ['nobody']],
    ['BOOTSTRAP_ADMIN_PASSWORD', ['short']],
    ['COMMAND_WAIT_MS', ['99', '120001', '1s']],
    ['COMMAND_GROUP_MAX', ['0', '257', 'off']],
    ['COMMAND_QUEUE_MAX', ['0', '100001', 'none']],
    ['WEBHOOK_MAX_IN_FLIGHT', ['1', '1001', 'off']],
    ['SHUTDOWN_GRACE_MS', ['-1', '1e9']],
    ['LOG_LEVEL', ['verbose', 'INFO']],
    ['NODE_ENV', ['prod', 'Production']],
    [
      'TRUST_PROXY',
      ['true', '*', '10.0.0.0/33', '10.0.0', 'fe80::/129', '10.0.0.1, proxy.internal', '0.0.0.0/-1', '1'],
    ],
    ['WEBHOOK_ALLOW_CIDRS', ['all', '*', '127.0.0.0/33', 'localhost', '::1/129', '127.0.0.1;::1', 'fe80::1%lo/64']],
  ])('refuses a wrong %s and names it', (name, values) => {
    for (const value of values) {
      const problems = problemsOf({ [name]: value }).filter((problem) => problem.startsWith(`${name} must`));
      expect([value, problems]).toEqual([value, [expect.any(String)]]);
    }
  });

  it('lists all problems at once, one to a line', () => {
    const environment = { PORT: 'abc', LOG_LEVEL: 'loud', JWT_SECRET: 'x', BOOTSTRAP_ADMIN_EMAIL: 'a@example.com' };

    expect(() => readConfig(environment)).toThrow(
      [
        'the configuration is not valid:',
        '  - PORT must be integer',
        '  - LOG_LEVEL must be equal to one of the allowed values: trace, debug, info, warn, error, fatal, silent',
        '  - JWT_SECRET must be a comma list of secrets of at least 32 characters each',
        '  - BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD go together: set both or neither',
      ].join('\n'),
    );
  });

  it('never shows the value of a wrong variable: it may be a secret', () => {
    expect(problemsOf({ JWT_SECRET: 'hunter2', DATABASE_URL: 'hunter3', REDIS_URL: 'hunter4' }).join()).not.toContain(
      'hunter',
    );
  });

  it('takes proxies to trust as addresses and ranges, never as "all"', () => {
    const { trustProxy } = readConfig({ TRUST_PROXY: '10.0.0.0/8, 192.168.1.1,::1,fd00::/8' });

    expect(trustProxy).toEqual(['10.0.0.0/8', '192.168.1.1', '::1', 'fd00::/8']);
  });

  it('takes what tenants may call beside public addresses as addresses and ranges, and by itself allows nothing', () => {
    const { webhookAllowCidrs } = readConfig({ WEBHOOK_ALLOW_CIDRS: ' 127.0.0.0/8,::1/128, 10.1.2.3 ,' });

    expect(webhookAllowCidrs).toEqual(['127.0.0.0/8', '::1/128', '10.1.2.3']);
    expect(readConfig({ NODE_ENV: 'test' }).webhookAllowCidrs).toEqual([]);
  });

  describe('in production', () => {
    it('demands a secret of its own', () => {
      const development = readConfig({});
      const own = { JWT_SECRET: 'x'.repeat(32), SECRETS_KEY: 'y'.repeat(32) };

      expect(problemsOf({ NODE_ENV: 'production' })).toEqual([
        'JWT_SECRET is required in production',
        'SECRETS_KEY is required in production',
      ]);
      expect(
        problemsOf({ NODE_ENV: 'production', ...own, JWT_SECRET: `${own.JWT_SECRET},${development.jwtSecrets[0]}` }),
      ).toEqual(['JWT_SECRET has the one of development, which everybody knows']);
      expect(problemsOf({ NODE_ENV: 'production', ...own, SECRETS_KEY: development.secretsKeys[0] })).toEqual([
        'SECRETS_KEY has the one of development, which everybody knows',
      ]);
      expect(readConfig({ NODE_ENV: 'production', ...own }).production).toBe(true);
    });
  });

  it('takes several secrets, the one that signs and seals first', () => {
    const [newer, older] = ['n'.repeat(32), 'o'.repeat(32)];

    const { jwtSecrets, secretsKeys } = readConfig({
      JWT_SECRET: `${newer},${older}`,
      SECRETS_KEY: `${newer}, ${older}`,
    });

    expect([jwtSecrets, secretsKeys]).toEqual([
      [newer, older],
      [newer, older],
    ]);
  });

  it('takes an endpoint for assistants whole, or none', () => {
    const named = { AI_BASE_URL: 'http://127.0.0.1:11434/v1', AI_MODEL: 'small' };
    expect(readConfig(named).ai).toEqual({
      baseUrl: named.AI_BASE_URL,
      apiKey: 'none',
      model: 'small',
      timeoutMs: 60_000,
    });
    expect(() => readConfig({ AI_BASE_URL: named.AI_BASE_URL })).toThrow('AI_MODEL is required');
    expect(() => readConfig({ ...named, AI_BASE_URL: 'ftp://x' })).toThrow('AI_BASE_URL');
  });

  it('names a bucket of an S3-compatible store by all of its parts, or none', () => {
    const named = {
      FILES_S3_ENDPOINT: 'http://127.0.0.1:9000',
      FILES_S3_BUCKET: 'files',
      FILES_S3_ACCESS_KEY_ID: 'id',
      FILES_S3_SECRET_ACCESS_KEY: 'key',
    };
    expect(readConfig({ ...named, FILES_S3_REGION: 'eu-central-1' }).files.s3).toEqual({
      endpoint: named.FILES_S3_ENDPOINT,
      bucket: 'files',
      region: 'eu-central-1',
      accessKeyId: 'id',
      secretAccessKey: 'key',
    });
    for (const name of Object.keys(named)) {
      expect(() => readConfig({ ...named, [name]: '' })).toThrow('go together: set all or none');
    }
    expect(() => readConfig({ ...named, FILES_S3_ENDPOINT: 'ftp://x' })).toThrow('FILES_S3_ENDPOINT');
  });
});
