import { call, execute, list } from '../support/api.ts';
import { scrape, valueOf } from '../support/metrics.ts';
import { until } from '../support/faults.ts';
import { anotherNode } from '../support/nodes.ts';
import { startNodeHere } from '../support/own-node.ts';
import { freePort } from '../support/program.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

let operator: TestUser;

beforeAll(async () => {
  operator = await newUser(['PLATFORM_ADMIN'], await newTenant());
});

describe('GET /actuator/prometheus', () => {
  it("answers Prometheus' text format, Node's own metrics included", async () => {
    const response = await scrape(operator.token);

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    for (const name of [
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_heap_size_used_bytes',
    ]) {
      expect(text).toContain(`\n${name}`);
    }
    expect(text).toMatch(/^keelson_database_connections\{pool="tenant",state="(used|idle)"\} [1-9]/m);
  });

  it('measures requests by the pattern of their route, not by their path', async () => {
    // Other tests send requests to the shared node meanwhile.
    const baseUrl = await anotherNode();
    const count = (route: string, status: string) => {
      const labels = { method: 'GET', route, status };
      return valueOf('keelson_http_request_duration_seconds_count', labels, operator.token, baseUrl);
    };
    const before = await count('/api/dynamic/:pageKey/list', '2xx');
    const [notFound, unmatched] = [await count('/api/dynamic/:pageKey/list', '4xx'), await count('none', '4xx')];

    await list(operator.token, 'leads', {}, { baseUrl });
    await list(operator.token, 'accounts', {}, { baseUrl });
    await list(operator.token, 'no_such_page', {}, { baseUrl });
    await call('/no/such/path', { token: operator.token, baseUrl });

    expect(await count('/api/dynamic/:pageKey/list', '2xx')).toBe(before + 2);
    expect(await count('/api/dynamic/:pageKey/list', '4xx')).toBe(notFound + 1);
    expect(await count('none', '4xx')).toBe(unmatched + 1);
  });

  it('counts commands by their outcome', async () => {
    const count = (outcome: string) =>
      valueOf('keelson_command_executions_total', { command: 'crm:update_task', outcome }, operator.token);
    const [succeeded, refused] = [await count('succeeded'), await count('refused')];
    const { pid } = (await execute(operator.token, 'crm:create_task', { payload: { subject: 'Call' } })).body.data;

    const update = { operationType: 'UPDATE', payload: { subject: 'Call back' } };
    expect((await execute(operator.token, 'crm:update_task', { ...update, targetRecordId: pid })).status).toBe(200);
    const missing = { ...update, targetRecordId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };
    expect((await execute(operator.token, 'crm:update_task', missing)).status).toBe(404);

    expect([await count('succeeded'), await count('refused')]).toEqual([succeeded + 1, refused + 1]);
  });

  it('says how large the groups of commands are, and how long commands wait for their start', async () => {
    const baseUrl = await anotherNode();
    const value = (name: string) => valueOf(`keelson_command_${name}`, {}, operator.token, baseUrl);
    const names = ['group_size_sum', 'group_size_count', 'lane_wait_seconds_count', 'start_seconds_count'];
    const read = () => Promise.all(names.map(value));
    const before = await read();
    const create = () => execute(operator.token, 'crm:create_task', { payload: { subject: 'Call' } }, { baseUrl });

    await Promise.all(Array.from({ length: 20 }, create));

    const [commands = 0, groups = 0, waits, starts] = (await read()).map((now, index) => now - (before[index] ?? 0));
    expect({ commands, waits, starts }).toEqual({ commands: 20, waits: 20, starts: groups });
    expect(groups).toBeLessThan(20);
    expect(await value('lane_waiting')).toBe(0);
  });

  it('needs admin:operations', async () => {
    const { token } = await newUser(['ADMIN'], await newTenant());

    const anonymous = await scrape();
    expect([anonymous.status, await anonymous.json()]).toMatchObject([401, { code: 'UNAUTHORIZED', data: null }]);
    const other = await scrape(token);
    expect([other.status, await other.json()]).toMatchObject([
      403,
      { code: 'FORBIDDEN', data: { permission: 'admin:operations' } },
    ]);
  });
});

describe('MANAGEMENT_PORT', () => {
  const PATHS = ['health', 'health/liveness', 'health/readiness', 'prometheus'];

  it('has all of /actuator, and the API is left without it', async () => {
    const port = String(await freePort());
    const node = await startNodeHere({ MANAGEMENT_PORT: port, TEMPORAL_TASK_QUEUE: `management-${port}` });

    for (const path of PATHS) {
      await until(`${path} is 200`, async () => (await fetch(`http://127.0.0.1:${port}/actuator/${path}`)).ok);
      const { status, body } = await call(`/actuator/${path}`, { baseUrl: node.url, token: operator.token });
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'NOT_FOUND' });
    }
    expect((await call('/api/health', { baseUrl: node.url })).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/api/health`)).status).toBe(404);
  });

  it('is served by a worker that serves nothing else', async () => {
    const port = String(await freePort());
    const settings = { KEELSON_ROLES: 'worker', MANAGEMENT_PORT: port, TEMPORAL_TASK_QUEUE: `management-${port}` };
    const worker = await startNodeHere(settings);

    await until('it is well', async () => (await fetch(`http://127.0.0.1:${port}/actuator/health`)).ok);
    await expect(fetch(`${worker.url}/api/health`)).rejects.toThrow();
  });
});
