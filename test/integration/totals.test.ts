import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
import { createApplication, type Application } from '../../src/application.ts';
import { listen, type HttpServer } from '../../src/foundation/http/server.ts';
import { TotalsCache } from '../../src/platform/records/totals-cache.ts';
import { call, execute, list } from '../support/api.ts';
import { holdRecord, proxied, rowsOf, until } from '../support/faults.ts';
import { insert, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { startNodeHere, type OwnNode } from '../support/own-node.ts';
import { startProgram } from '../support/program.ts';
import { redisTrips } from '../support/round-trips.ts';
import { container, newTenant, newUser, type TestTenant } from '../support/world.ts';

const OPEN = { filters: [{ fieldName: 'status', operator: 'eq', value: 'open' }] };
const QUERIES = [{}, OPEN, { keyword: 'lead' }, { ...OPEN, keyword: 'lead' }];

/** The totals of several questions; asked three times, so that the last answers come from the cache. */
async function totals(token: string, baseUrls: string[] = [process.env.KEELSON_TEST_URL ?? '']): Promise<number[]> {
  const rounds: number[][] = [];
  for (let round = 0; round < 3; round += 1) {
    const baseUrl = baseUrls[round % baseUrls.length] ?? '';
    const answers = await Promise.all(QUERIES.map((query) => list(token, 'leads', query, { baseUrl })));
    rounds.push(answers.map(({ body }) => body.data.total as number));
  }
  expect(rounds[1]).toEqual(rounds[0]);
  expect(rounds[2]).toEqual(rounds[0]);
  return rounds[0] ?? [];
}

const create = (token: string, name: string, status: string, baseUrl?: string) =>
  execute(token, 'crm:create_lead', { payload: { name, status } }, baseUrl ? { baseUrl } : {});

const change = (token: string, targetRecordId: string, payload: object, baseUrl?: string) =>
  execute(token, 'crm:update_lead', { operationType: 'UPDATE', targetRecordId, payload }, baseUrl ? { baseUrl } : {});

const remove = (token: string, targetRecordId: string) =>
  execute(token, 'crm:delete_lead', { operationType: 'DELETE', targetRecordId });

describe('the total of a list is exact', () => {
  /*
   * Setup: a node that reaches Redis through a proxy, and a list whose total is cached. Timeline: an inline
   * command waits for a record, Redis goes silent, the command commits, its node is killed before it can tell
   * Redis. What this proves: the total follows the commit, because the event that is part of it is relayed.
   */
  it('after a command whose node died between its commit and its word to Redis', async () => {
    const fields: FieldContent[] = [{ code: 'state', name: 'State', type: 'enum', values: ['open', 'won'] }];
    const model = await newModel({ fields });
    const content = { name: 'M', modelCode: model.code, operations: ['UPDATE'], execution: 'inline' };
    await save('dev', { resourceType: 'COMMAND', code: model.command, content });
    const tenant = await newTenant();
    const { token } = await newUser([await newRole(model.permissions)], tenant);
    const [pid = ''] = await insert(tenant, model.code, [{ state: 'open' }]);
    const open = { filters: [{ fieldName: 'state', operator: 'eq', value: 'open' }] };
    const total = async () => (await list(token, model.code, open)).body.data.total as number;
    for (let round = 0; round < 3; round += 1) expect(await total()).toBe(1);
    const redis = await proxied(readConfig().redisUrl);
    const node = await startProgram({ REDIS_URL: redis.url, KEELSON_ROLES: 'api' });

    const held = await holdRecord(tenant.id, `dev.mt_${model.code}`, pid);
    const body = { operationType: 'UPDATE', targetRecordId: pid, payload: { state: 'won' } };
    execute(token, model.command, body, { baseUrl: node.url }).catch(() => undefined);
    await held.waiting();
    redis.proxy.stall('requests');
    await held.release();
    await until('the command has committed', async () => {
      const [{ version } = { version: 0 }] = await rowsOf(tenant.id, `select version from dev.mt_${model.code}`);
      return version === 2;
    });
    await node.stop('SIGKILL');
    redis.proxy.cut();

    await until('the total follows', async () => (await total()) === 0);
  });

  it('after each write of the one that wrote, cached or not', async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    expect(await totals(token)).toEqual([0, 0, 0, 0]);

    const { pid } = (await create(token, 'Lead 1', 'open')).body.data;
    expect(await totals(token)).toEqual([1, 1, 1, 1]);
    await create(token, 'Lead 2', 'new');
    expect(await totals(token)).toEqual([2, 1, 2, 1]);
    await change(token, pid, { name: 'other' });
    expect(await totals(token)).toEqual([2, 1, 1, 0]);
    await change(token, pid, { status: 'lost' });
    expect(await totals(token)).toEqual([2, 0, 1, 0]);
    await remove(token, pid);
    expect(await totals(token)).toEqual([1, 0, 1, 0]);
  });

  it('after a command that writes several models', async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    const { pid } = (await create(token, 'Lead', 'open')).body.data;
    const count = async () =>
      Promise.all(
        ['accounts', 'contacts', 'deals'].map(async (page) => (await list(token, page)).body.data.total as number),
      );
    for (let round = 0; round < 3; round += 1) expect(await count()).toEqual([0, 0, 0]);

    await execute(token, 'crm:convert_lead', { targetRecordId: pid, payload: {} });

    expect(await count()).toEqual([1, 1, 1]);
  });

  it('and unchanged by a write that failed, or that was repeated with its key', async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    const once = { payload: { name: 'Lead', status: 'open' }, clientRequestId: 'once' };
    await execute(token, 'crm:create_lead', once);
    expect(await totals(token)).toEqual([1, 1, 1, 1]);

    expect((await create(token, 'Lead', 'nonsense')).status).toBe(400);
    expect((await execute(token, 'crm:create_lead', once)).body.code).toBe('IDEMPOTENT_REPLAY');

    expect(await totals(token)).toEqual([1, 1, 1, 1]);
  });

  it('for each tenant by itself', async () => {
    const [one, two] = [await newUser(['SALES'], await newTenant()), await newUser(['SALES'], await newTenant())];
    await create(one.token, 'Lead', 'open');
    expect(await totals(one.token)).toEqual([1, 1, 1, 1]);
    expect(await totals(two.token)).toEqual([0, 0, 0, 0]);

    await create(two.token, 'Lead', 'new');

    expect(await totals(two.token)).toEqual([1, 0, 1, 0]);
    expect(await totals(one.token)).toEqual([1, 1, 1, 1]);
  });

  it('while many write and read at once, and in the end', async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    let created = 0;
    const writer = async (number: number): Promise<void> => {
      for (let round = 0; round < 5; round += 1) {
        expect((await create(token, `Lead ${number}.${round}`, 'open')).status).toBe(200);
        created += 1;
        const seen = (await list(token, 'leads', OPEN)).body.data.total as number;
        // Whatever was answered before the list was asked for is in it.
        expect(seen).toBeGreaterThanOrEqual(round + 1);
      }
    };
    const reader = async (): Promise<void> => {
      while (created < 20) {
        const before = created;
        expect((await list(token, 'leads', OPEN)).body.data.total).toBeGreaterThanOrEqual(before);
      }
    };

    await Promise.all([...[1, 2, 3, 4].map(writer), reader(), reader()]);

    expect(await totals(token)).toEqual([20, 20, 20, 20]);
  });

  it('after Redis has lost everything it knew about it', async () => {
    const tenant = await newTenant();
    const { token } = await newUser(['SALES'], tenant);
    const { pid } = (await create(token, 'Lead', 'open')).body.data;
    expect(await totals(token)).toEqual([1, 1, 1, 1]);
    const { store } = await container();
    const stamp = `keelson:stamp:dev:${tenant.id}:lead`;

    await store.pipeline([['del', stamp]]);
    await remove(token, pid);
    await store.pipeline([['del', stamp]]);

    expect(await totals(token)).toEqual([0, 0, 0, 0]);
  });

  describe('on every node', () => {
    let other: OwnNode;

    beforeAll(async () => {
      other = await startNodeHere({ KEELSON_ROLES: 'api' });
    });

    it('as soon as a write has been answered by any of them', async () => {
      const { token } = await newUser(['SALES'], await newTenant());
      const nodes = [process.env.KEELSON_TEST_URL ?? '', other.url];
      const pids: string[] = [];
      for (let round = 1; round <= 4; round += 1) {
        const [writing, reading] = round % 2 ? nodes : [...nodes].reverse();
        pids.push((await create(token, 'Lead', 'open', writing)).body.data.pid);
        expect((await list(token, 'leads', OPEN, { baseUrl: reading })).body.data.total).toBe(round);
        expect(await totals(token, nodes)).toEqual([round, round, round, round]);
      }

      await change(token, pids[0] ?? '', { status: 'won' }, other.url);

      expect(await totals(token, nodes)).toEqual([4, 3, 4, 3]);
    });

    it('and the token, the page and the record that one made, the other knows', async () => {
      const tenant = await newTenant();
      const model = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }] });
      const { token } = await newUser([await newRole(model.permissions)], tenant);
      const { pid } = (await execute(token, model.command, { payload: { name: 'x' } })).body.data;

      const { status, body } = await call(`/api/dynamic/${model.code}/${pid}`, { token, baseUrl: other.url });

      expect({ status, name: body.data.name }).toEqual({ status: 200, name: 'x' });
    });
  });
});

describe('count', () => {
  it('exact is the default; none leaves the total out; estimate is a whole number', async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    for (const name of ['Lead 1', 'Lead 2']) await create(token, name, 'open');

    for (let round = 0; round < 3; round += 1) {
      expect((await list(token, 'leads', { count: 'exact' })).body.data).toMatchObject({ total: 2, records: [{}, {}] });
      expect((await list(token, 'leads', { count: 'none' })).body.data).toMatchObject({
        total: null,
        records: [{}, {}],
      });
      const { records, total } = (await list(token, 'leads', { ...OPEN, count: 'estimate' })).body.data;
      expect(records).toHaveLength(2);
      expect(Number.isInteger(total) && total >= 0).toBe(true);
    }
  });

  it('judges filters in every mode', async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    for (const count of ['exact', 'none', 'estimate']) {
      const { status } = await list(token, 'leads', {
        count,
        filters: [{ fieldName: 'nope', operator: 'eq', value: 1 }],
      });
      expect({ count, status }).toEqual({ count, status: 400 });
    }
  });
});

describe('a cached total', () => {
  const question = { metadataVersion: 1, page: null, keyword: '', filters: '' };

  it('counts only under the stamp that was read before counting', async () => {
    const { store } = await container();
    const cache = new TotalsCache(store);
    const scope = { environment: 'dev', tenantId: (await newTenant()).id, modelCode: 'lead' };
    const read = async () => {
      const { commands, read: totalOf } = cache.prefetch(scope, question);
      return totalOf(await store.pipeline(commands));
    };
    await store.pipeline(cache.stampCommands('dev', scope.tenantId, ['lead']));

    // A reader counts 7; before it can store that, a writer commits and stamps.
    const stale = await read();
    await store.pipeline(cache.stampCommands('dev', scope.tenantId, ['lead']));
    stale.remember(7);
    expect(await read()).toMatchObject({ total: null });

    const fresh = await read();
    fresh.remember(8);
    await until('the total is stored', async () => (await read()).total === 8);
    await store.pipeline(cache.stampCommands('dev', scope.tenantId, ['account']));
    expect(await read()).toMatchObject({ total: 8 });
  });

  it('is stored under nothing where no stamp was read', async () => {
    const { store } = await container();
    const cache = new TotalsCache(store);
    const scope = { environment: 'dev', tenantId: (await newTenant()).id, modelCode: 'lead' };
    const read = async () => {
      const { commands, read: totalOf } = cache.prefetch(scope, question);
      return totalOf(await store.pipeline(commands));
    };

    expect((await read()).total).toBeNull();
    const [before] = await store.pipeline(cache.prefetch(scope, question).commands);
    (await read()).remember(7);

    expect(before).toBeNull();

    await until('there is a stamp', async () => (await store.pipeline(cache.prefetch(scope, question).commands))[0]);
    expect(await read()).toMatchObject({ total: null });
  });
});

describe('what a read costs', () => {
  let node: Application;
  let server: HttpServer;
  let model: TestModel;
  let token: string;
  let pid: string;

  beforeAll(async () => {
    node = await createApplication(readConfig({ ...process.env, LOG_LEVEL: 'silent' }));
    server = await listen(node.app, 0);
    model = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string', searchable: true }] });
    const tenant: TestTenant = await newTenant();
    ({ token } = await newUser([await newRole(model.permissions)], tenant));
    [pid = ''] = await insert(tenant, model.code, [{ name: 'a' }, { name: 'b' }]);
    await node.open();
    // The first request brings copies of the user and the tenant to the shared store.
    await costOf(`/api/dynamic/${model.code}/${pid}`);
  });
  afterAll(async () => {
    await server.stop(0);
    await node.close();
  });

  /** Round trips to Redis and statements to Postgres of one request. */
  async function costOf(path: string): Promise<{ status: number; redis: number; sql: number }> {
    const before = { redis: redisTrips(node.store), sql: node.database.statements };
    const { status } = await call(path, { token, baseUrl: `http://127.0.0.1:${server.port}` });
    return { status, redis: redisTrips(node.store) - before.redis, sql: node.database.statements - before.sql };
  }

  /**
   * A total belongs to one version of the metadata, which other test files change meanwhile: repeats until
   * none has.
   */
  async function underOneVersion<T>(work: () => Promise<T>): Promise<T> {
    const { store } = await container();
    const version = () => store.pipeline([['get', 'keelson:metadata-version:dev']]);
    for (;;) {
      const [before] = await version();
      const result = await work();
      if ((await version())[0] === before) return result;
    }
  }

  it('a detail: one Redis round trip, one SQL statement', async () => {
    expect(await costOf(`/api/dynamic/${model.code}/${pid}`)).toEqual({ status: 200, redis: 1, sql: 1 });
  });

  it('a list with its total: one SQL statement; session, metadata version and total share one Redis round trip', async () => {
    const path = `/api/dynamic/${model.code}/list?keyword=a`;
    // Nobody waits for what these leave behind: the stamp, then the total.
    for (const round of ['no stamp yet', 'no total yet']) {
      const { redis, ...cost } = await costOf(path);
      expect({ round, ...cost }).toEqual({ round, status: 200, sql: 1 });
      expect(redis).toBeLessThanOrEqual(2);
    }
    const cached = await underOneVersion(async () => {
      // The first may only learn of a new version, the second stores its total.
      await costOf(path);
      await costOf(path);
      return [await costOf(path), await costOf(path)];
    });
    expect(cached).toEqual(Array(2).fill({ status: 200, redis: 1, sql: 1 }));
  });

  it('a list without a total: one of each', async () => {
    expect(await costOf(`/api/dynamic/${model.code}/list?count=none`)).toEqual({ status: 200, redis: 1, sql: 1 });
  });

  it('a request that is refused: one Redis round trip at most, and no SQL', async () => {
    expect(await costOf(`/api/dynamic/${model.code}/list?pageSize=0`)).toEqual({ status: 400, redis: 1, sql: 0 });
    expect(await costOf(`/api/dynamic/leads/list`)).toEqual({ status: 403, redis: 1, sql: 0 });
    expect(await costOf(`/api/dynamic/${model.code}/no-pid`)).toEqual({ status: 404, redis: 1, sql: 0 });
  });
});
