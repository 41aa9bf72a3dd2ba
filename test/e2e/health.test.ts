import { readConfig } from '../../src/config/config.ts';
import { createContainer, type Container } from '../../src/container.ts';
import { listen, type HttpServer } from '../../src/http/server.ts';
import { call } from '../support/api.ts';
import { freePort } from '../support/program.ts';

const UP = { status: 'UP' };
const DOWN = { status: 'DOWN' };

/** A node whose connections can be taken away, without the shared one noticing. */
async function withNode(
  settings: Record<string, string>,
  work: (url: string, container: Container, server: HttpServer) => Promise<void>,
): Promise<void> {
  const container = await createContainer(readConfig({ ...process.env, LOG_LEVEL: 'silent', ...settings }));
  const server = await listen(container.app, 0);
  try {
    await work(`http://127.0.0.1:${server.port}`, container, server);
  } finally {
    await server.stop(0);
    await container.close();
  }
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
    const { status, body } = await call('/actuator/health');

    const components = { db: UP, redis: UP, metadataCache: UP, temporal: UP };
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
          components: { db: UP, redis: UP, metadataCache: UP, temporal: DOWN },
        },
      });
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
    const { status, body } = await call('/actuator/health/readiness');

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
          ...{ code: 'SERVICE_UNAVAILABLE', message: 'DOWN', data: { status: 'DOWN', components } },
          ...{ status: 'DOWN', components },
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

describe('health paths', () => {
  it.each(['/api/health', '/actuator/health', '/actuator/health/liveness', '/actuator/health/readiness'])(
    '%s takes GET and HEAD alone',
    async (path) => {
      expect((await call(path, { method: 'HEAD' })).status).toBe(200);
      const { status, headers, body } = await call(path, { method: 'POST' });
      expect({ status, allow: headers.get('allow'), body }).toEqual({
        status: 405,
        allow: 'GET, HEAD',
        body: { code: 'METHOD_NOT_ALLOWED', message: 'Method not allowed', data: null },
      });
    },
  );
});
