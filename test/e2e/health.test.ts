import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { ulid } from 'ulid';
import { readConfig } from '../../src/foundation/config/config.ts';
import { createApplication, type Application } from '../../src/application.ts';
import { listen, type HttpServer } from '../../src/foundation/http/server.ts';
import { call, type Answered, type CallOptions } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { runSql } from '../support/platform.ts';
import { freePort } from '../support/program.ts';
import { newTenant, newUser } from '../support/world.ts';

const UP = { status: 'UP' };
const DOWN = { status: 'DOWN' };

/** A node whose connections can be taken away, without the shared one noticing. */
async function withNode(
  settings: Record<string, string>,
  work: (url: string, container: Application, server: HttpServer) => Promise<void>,
): Promise<void> {
  const container = await createApplication(readConfig({ ...process.env, LOG_LEVEL: 'silent', ...settings }));
  const server = await listen(container.app, 0);
  try {
    await work(`http://127.0.0.1:${server.port}`, container, server);
  } finally {
    await server.stop(0);
    await container.close();
  }
}

/** Health of the shared node once it is UP: others may keep the machine busy. */
function wellHealth(path = '', options: CallOptions = {}): Promise<Answered> {
  return until('it is UP', async () => {
    const answer = await call(`/actuator/health${path}`, options);
    return answer.status === 200 ? answer : null;
  });
}

describe('GET /api/health', () => {
  it('needs no token and answers the envelope', async () => {
    const { status, headers, body } = await call('/api/health');

    expect({ status, body }).toEqual({ status: 200, body: { code: '0', message: 'ok', data: UP } });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });
});

describe('GET /actuator/health', () => {
  it('gives the aggregate status with its indicators, in the envelope and beside it', async () => {
    const { status, body } = await wellHealth();

    const components = { db: UP, redis: UP, metadataCache: UP, temporal: UP, outbox: UP, disk: UP };
    expect({ status, body }).toEqual({
      status: 200,
      body: { code: '0', message: 'UP', data: { status: 'UP', components }, status: 'UP', components },
    });
  });

  it('is DOWN, 503, when an indicator is', async () => {
    // Nothing connects this node to Temporal.
    await withNode({}, async (baseUrl, container) => {
      await container.open();
      const { status, body } = await call('/actuator/health', { baseUrl });

      expect({ status, body }).toMatchObject({
        status: 503,
        body: {
          code: 'SERVICE_UNAVAILABLE',
          message: 'DOWN',
          data: { status: 'DOWN' },
          status: 'DOWN',
          components: { db: UP, redis: UP, metadataCache: UP, temporal: DOWN, outbox: UP, disk: UP },
        },
      });
    });
  });

  it('shows details of the components to those with admin:operations alone', async () => {
    const tenant = await newTenant();
    const [operator, other] = [await newUser(['PLATFORM_ADMIN'], tenant), await newUser(['ADMIN'], tenant)];

    const { components } = (await wellHealth('', { token: operator.token })).body.data;
    expect(components.db.details).toEqual({
      used: expect.any(Number),
      idle: expect.any(Number),
      waiting: expect.any(Number),
      durationMs: expect.any(Number),
    });
    expect(components.metadataCache.details).toMatchObject({ environment: 'dev', version: expect.any(Number) });
    expect(components.outbox.details).toMatchObject({ outboxMaxAgeSeconds: 900 });
    expect(components.disk.details.freeMb).toBeGreaterThan(components.disk.details.diskMinFreeMb);

    for (const token of [other.token, 'no-token']) {
      const { status, body } = await wellHealth('', { token });
      expect({ status, db: body.data.components.db }).toEqual({ status: 200, db: UP });
    }
  });

  it('is answered, without details, while nobody can be admitted', async () => {
    const operator = await newUser(['PLATFORM_ADMIN'], await newTenant());
    const settings = { DATABASE_URL: `postgres://x@127.0.0.1:${await freePort()}/x` };
    await withNode(settings, async (baseUrl, node) => {
      await node.store.connect();
      const { status, body } = await call('/actuator/health', { baseUrl, token: operator.token });
      expect({ status, db: body.data.components.db }).toEqual({ status: 503, db: DOWN });
    });
  });

  it('has the outbox DOWN when an event has waited too long for its dispatcher', async () => {
    // A database of its own, where nobody dispatches.
    const database = `keelson_health_${ulid().toLowerCase()}`;
    const url = new URL(readConfig().databaseUrl);
    url.pathname = `/${database}`;
    await runSql(`create database ${database}`);
    try {
      await withNode({ DATABASE_URL: url.href, OUTBOX_MAX_AGE_SECONDS: '3600' }, async (baseUrl, { orm, health }) => {
        await orm.migrator.up();
        const outbox = async () => (await call('/actuator/health', { baseUrl })).body.data.components.outbox;
        const event = (pid: string, age: string, dispatched: boolean) =>
          sqlRunnerOf(orm.em.fork()).query(
            `insert into platform.event (pid, environment, tenant_id, event_type, command_code, model_code, execution_pid, body, trace_id, created_at, dispatched_at)
             values ($1, 'dev', 1, 'x', 'x', 'x', $1, '{}', 'x', now() - $2::interval, ${dispatched ? 'now()' : 'null'})`,
            [pid, age],
          );

        expect(await outbox()).toEqual(UP);
        await event('dispatched', '3 hours', true);
        await event('young', '30 minutes', false);
        expect(await outbox()).toEqual(UP);
        await sqlRunnerOf(orm.em.fork()).query('delete from platform.event');
        await event('old', '2 hours', false);
        await event('young', '30 minutes', false);
        expect(await outbox()).toEqual(DOWN);
        await sqlRunnerOf(orm.em.fork()).query("update platform.event set dispatch_failures = 1 where pid = 'old'");
        expect(await outbox()).toEqual(UP);
        const { components } = await health.health();
        expect(components.outbox).toMatchObject({ status: 'UP', details: { postponed: 1 } });
        expect(String(components.outbox?.warning)).toBe('1 events cannot be matched and wait for another try');
      });
    } finally {
      await runSql(`drop database ${database} with (force)`);
    }
  });

  it('has the disk DOWN when less than DISK_MIN_FREE_MB is free', async () => {
    await withNode({ DISK_MIN_FREE_MB: '1000000000' }, async (baseUrl) => {
      const { body } = await call('/actuator/health', { baseUrl });
      expect(body.data.components.disk).toEqual(DOWN);
    });
  });

  it('tells what one node has from what all share', async () => {
    await withNode({ DISK_MIN_FREE_MB: '1000000000' }, async (baseUrl, container) => {
      await container.open();
      const [node, system] = await Promise.all(
        ['node', 'system'].map((part) => call(`/actuator/health/${part}`, { baseUrl })),
      );

      expect([node?.status, node?.body.data]).toEqual([
        503,
        { status: 'DOWN', components: { metadataCache: UP, disk: DOWN } },
      ]);
      expect(system?.body.data.components).toEqual({ db: UP, redis: UP, temporal: DOWN, outbox: UP });
    });
  });

  it('asks each component once for however many ask at the same time', async () => {
    await withNode({}, async (baseUrl, node) => {
      await node.open();
      // Connections that are open already: what follows arrives together.
      await Promise.all(Array.from({ length: 20 }, () => call('/api/health', { baseUrl })));
      const before = node.database.statements;

      await Promise.all(Array.from({ length: 20 }, () => call('/actuator/health', { baseUrl })));

      expect(node.database.statements - before).toBeLessThan(20);
    });
  });
});

describe('GET /actuator/health/liveness', () => {
  it('says that the process is alive', async () => {
    const { status, body } = await call('/actuator/health/liveness');

    const health = { status: 'UP', components: {} };
    expect({ status, body }).toEqual({ status: 200, body: { code: '0', message: 'UP', data: health, ...health } });
  });

  it('asks nothing outside: it stays UP without database and shared store', async () => {
    const port = await freePort();
    const settings = { DATABASE_URL: `postgres://x@127.0.0.1:${port}/x`, REDIS_URL: `redis://127.0.0.1:${port}` };
    await withNode(settings, async (baseUrl) => {
      expect((await call('/actuator/health/liveness', { baseUrl })).status).toBe(200);
      expect((await call('/api/health', { baseUrl })).status).toBe(200);
    });
  });
});

describe('GET /actuator/health/readiness', () => {
  it('is UP when database and shared store are reachable and the metadata cache is warm', async () => {
    const { status, body } = await wellHealth('/readiness');

    const health = { status: 'UP', components: { db: UP, redis: UP, metadataCache: UP } };
    expect({ status, body }).toEqual({ status: 200, body: { code: '0', message: 'UP', data: health, ...health } });
  });

  it('is DOWN, 503, before the metadata cache is warm, and UP after', async () => {
    await withNode({}, async (baseUrl, container) => {
      await container.store.connect();
      const cold = await call('/actuator/health/readiness', { baseUrl });
      const components = { db: UP, redis: UP, metadataCache: DOWN };
      expect({ status: cold.status, body: cold.body }).toEqual({
        status: 503,
        body: {
          code: 'SERVICE_UNAVAILABLE',
          message: 'DOWN',
          data: { status: 'DOWN', components },
          status: 'DOWN',
          components,
        },
      });

      await container.snapshots.warm();

      expect((await call('/actuator/health/readiness', { baseUrl })).status).toBe(200);
    });
  });

  it('is DOWN without the shared store, and without the database', async () => {
    const port = await freePort();
    await withNode({ REDIS_URL: `redis://127.0.0.1:${port}` }, async (baseUrl) => {
      const { status, body } = await call('/actuator/health/readiness', { baseUrl });
      expect({ status, components: body.data.components }).toMatchObject({
        status: 503,
        components: { db: UP, redis: DOWN },
      });
    });
    await withNode({ DATABASE_URL: `postgres://x@127.0.0.1:${port}/x` }, async (baseUrl, container) => {
      await container.store.connect();
      const { status, body } = await call('/actuator/health/readiness', { baseUrl });
      expect({ status, components: body.data.components }).toMatchObject({
        status: 503,
        components: { db: DOWN, redis: UP },
      });
    });
  });

  it('is UP without Temporal: reads keep working', async () => {
    await withNode({ TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` }, async (baseUrl, container) => {
      await container.open();
      expect((await call('/actuator/health/readiness', { baseUrl })).status).toBe(200);
    });
  });

  it('is DOWN from the moment the node is told to stop, while liveness stays UP', async () => {
    await withNode({}, async (baseUrl, container) => {
      await container.open();
      expect((await call('/actuator/health/readiness', { baseUrl })).status).toBe(200);

      container.drain.draining = true;

      const { status, body } = await call('/actuator/health/readiness', { baseUrl });
      expect({ status, body }).toMatchObject({ status: 503, body: { status: 'DOWN', data: { status: 'DOWN' } } });
      expect((await call('/actuator/health/liveness', { baseUrl })).status).toBe(200);
    });
  });
});

describe('GET /actuator/info', () => {
  it('says which program this is; to operators also how it runs', async () => {
    const { status, body } = await call('/actuator/info');
    const known = { name: 'keelson', version: '0.1.0', commit: null, uptimeSeconds: expect.any(Number) };
    expect({ status, body }).toEqual({ status: 200, body: { code: '0', message: 'ok', data: known } });

    const { token } = await newUser(['PLATFORM_ADMIN'], await newTenant());
    const more = await call('/actuator/info', { token });
    expect(more.body.data).toEqual({
      ...known,
      node: process.version,
      host: expect.any(String),
      pid: expect.any(Number),
      roles: ['api', 'worker'],
      environment: 'dev',
    });
  });

  it('names the commit it was built from', async () => {
    await withNode({ BUILD_COMMIT: 'abc1234' }, async (baseUrl) => {
      expect((await call('/actuator/info', { baseUrl })).body.data.commit).toBe('abc1234');
    });
  });
});

describe('health paths', () => {
  it.each([
    '/api/health',
    '/actuator/health',
    '/actuator/health/liveness',
    '/actuator/health/readiness',
    '/actuator/health/node',
    '/actuator/health/system',
    '/actuator/info',
  ])('%s takes GET and HEAD alone', async (path) => {
    expect((await call(path, { method: 'HEAD' })).status).toBe(200);
    const { status, headers, body } = await call(path, { method: 'POST' });
    expect({ status, allow: headers.get('allow'), body }).toEqual({
      status: 405,
      allow: 'GET, HEAD',
      body: { code: 'METHOD_NOT_ALLOWED', message: 'Method not allowed', data: null },
    });
  });
});

describe('GET /api/admin/operations', () => {
  it('shows an operator the parts, the nodes and what waits', async () => {
    const { token } = await newUser(['PLATFORM_ADMIN'], await newTenant());

    const { status, body } = await call('/api/admin/operations', { token });

    expect(status).toBe(200);
    expect(body.data.health.components).toMatchObject({ db: { details: expect.any(Object) }, redis: UP, temporal: UP });
    expect(body.data.nodes).toContainEqual({
      host: expect.any(String),
      pid: expect.any(Number),
      version: expect.stringMatching(/^\d/),
      commit: null,
      roles: expect.arrayContaining(['api']),
      startedAt: expect.stringMatching(/Z$/),
      seenAt: expect.stringMatching(/Z$/),
      minutes: expect.any(Array),
    });
    const names = body.data.gauges.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['webhook_deliveries', 'webhook_circuits_open', 'events_postponed']));
  });

  it('is for operators alone', async () => {
    const { token } = await newUser(['ADMIN'], await newTenant());

    expect((await call('/api/admin/operations', { token })).status).toBe(403);
  });
});
