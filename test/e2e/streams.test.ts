import { readFileSync } from 'node:fs';
import { ulid } from 'ulid';
import { END, streamKey, type StreamKey } from '../../src/platform/streams/stream-entry.ts';
import type { StreamEvent } from '../../src/platform/streams/stream-writer.ts';
import { call, expectRefusal } from '../support/api.ts';
import { proxied, until } from '../support/faults.ts';
import { startNodeHere, type OwnNode } from '../support/own-node.ts';
import { startProgram, type Program } from '../support/program.ts';
import { newAdmin, type Admin } from '../support/promotions.ts';
import { watch, type Watched, type WatchOptions } from '../support/streams.ts';
import { container, newTenant, newUser } from '../support/world.ts';

const SETTINGS = { KEELSON_ROLES: 'api', STREAM_RECHECK_MS: '1000', STREAM_PING_MS: '150' };

let nodes: [Program, OwnNode];
let admin: Admin;
let path: string;
let key: StreamKey;

beforeAll(async () => {
  nodes = await Promise.all([startProgram(SETTINGS), startNodeHere(SETTINGS)]);
});
afterAll(() => nodes[0].stop());

/** Any stream would do; that of a promotion has a permission that can be taken away. */
beforeEach(async () => {
  admin = await newAdmin();
  const { body } = await admin.create('*');
  path = `/api/admin/promotions/${body.data.pid}/stream`;
  key = streamKey('promotion', body.data.pid);
});

const tick = (n: number, more: object = {}): StreamEvent => ({ event: 'tick', data: { n, ...more } });
const ticks = (from: number, to: number): StreamEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => tick(from + index));
const numbers = (client: Watched): number[] => client.named('tick').map(({ data }) => data.n as number);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const open = (node: OwnNode, options: WatchOptions = {}): Promise<Watched> =>
  watch(path, { token: admin.user.token, baseUrl: node.url, ...options });

async function write(...events: StreamEvent[]): Promise<(string | null)[]> {
  const { streamWriter } = await container();
  return streamWriter.append(key, ...events);
}

/** The tokens' sessions are keys in Redis. */
async function endSession(token: string): Promise<void> {
  const { store } = await container();
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string };
  await store.pipeline([['del', `keelson:session:${jti}`]]);
}

describe('a stream', () => {
  it('is server-sent events that no proxy buffers or changes', async () => {
    await write(tick(1));

    const client = await open(nodes[0]);

    await client.get(1, 'tick');
    expect(client.status).toBe(200);
    expect(client.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-trace-id': expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(client.retries).toEqual([2_000]);
    expect(client.named('tick')).toEqual([
      { id: expect.stringMatching(/^\d{13}-\d+$/), event: 'tick', data: { n: 1 } },
    ]);
    await until('two pings', () => client.comments.length >= 2);
    expect(client.comments[0]).toBe(': ping');
  });

  it('gives what was written before it was opened and what comes after, in order and once', async () => {
    await write(...ticks(1, 250));
    const clients = await Promise.all([open(nodes[0]), open(nodes[0]), open(nodes[1])]);
    for (let from = 251; from <= 500; from += 10) await write(...ticks(from, from + 9));

    for (const client of clients) {
      await client.get(500, 'tick');
      expect(numbers(client)).toEqual(upTo(500));
    }
  });

  /**
   * Setup: a writer that never rests, and clients that come at any moment of it: catching up and live meet
   * everywhere.
   */
  it('loses nothing and repeats nothing where catching up meets what is live', async () => {
    let written = 0;
    const writing = (async () => {
      while (written < 2_000) await write(...ticks(written + 1, (written += 1 + (written % 7))));
    })();
    const clients: Watched[] = [];
    while (clients.length < 9) clients.push(await open(nodes[clients.length % 2] as Program));
    await writing;

    for (const client of clients) {
      await client.get(written, 'tick');
      expect(numbers(client)).toEqual(upTo(written));
    }
  });

  it('goes on after Last-Event-ID on another node: nothing is lost, nothing comes twice', async () => {
    await write(...ticks(1, 5));
    const first = await open(nodes[0]);
    await first.get(5, 'tick');
    first.leave();
    await write(...ticks(6, 8));

    const second = await open(nodes[1], { lastEventId: first.lastEventId });
    await second.get(3, 'tick');
    await write(tick(9));

    await second.get(4, 'tick');
    expect(numbers(second)).toEqual([6, 7, 8, 9]);
  });

  it('takes the position from ?lastEventId= where the header cannot be set', async () => {
    const ids = await write(...ticks(1, 3));
    path += `?lastEventId=${ids[1]}`;

    const client = await open(nodes[0]);

    await client.get(1, 'tick');
    expect(numbers(client)).toEqual([3]);
  });

  it('goes on on another node when its own is killed', async () => {
    const doomed = await startProgram(SETTINGS);
    const first = await open(doomed);
    await write(...ticks(1, 5));
    await first.get(5, 'tick');
    await doomed.stop('SIGKILL');
    await first.over();
    await write(tick(6));

    const second = await open(nodes[1], { lastEventId: first.lastEventId });
    await second.get(1, 'tick');
    await write(tick(7));

    await second.get(2, 'tick');
    expect(numbers(second)).toEqual([6, 7]);
  });

  it('ends with `end`, for late comers, too, and takes nothing after that', async () => {
    const client = await open(nodes[0]);
    await write(tick(1));
    await write({ event: END, data: { because: 'done' } });
    await write({ event: END, data: { because: 'twice' } });
    expect(await write(tick(2))).toEqual([null]);

    await client.over();
    expect(numbers(client)).toEqual([1]);
    expect(client.events.at(-1)).toMatchObject({ event: 'end', data: { because: 'done' } });
    const late = await open(nodes[1], { lastEventId: client.lastEventId });
    await late.over();
    expect(late.events).toMatchObject([{ event: 'end', data: { because: 'done' } }]);
  });

  it('has an event once that a producer says twice', async () => {
    const once = (n: number): StreamEvent => ({ ...tick(n), dedupeId: `tick ${n}` });
    const [first] = await write(once(1));
    expect(await write(once(1), once(2))).toEqual([null, expect.any(String)]);
    const client = await open(nodes[0], { lastEventId: first ?? '' });
    await write(once(2), once(1), once(3));

    await client.get(2, 'tick');
    expect(numbers(client)).toEqual([2, 3]);
  });
});

describe('a stream whose events have gone', () => {
  it('says `gap` with what was lost, and goes on with what is there', async () => {
    const [from] = await write(tick(1));
    for (let n = 2; n <= 6_000; n += 500) await write(...ticks(n, Math.min(n + 499, 6_000)));

    const client = await open(nodes[0], { lastEventId: from ?? '' });

    await client.get(1, 'gap');
    await until('the last event', () => numbers(client).at(-1) === 6_000);
    const gap = client.events[0];
    const rest = client.named('tick');
    const lost = rest[0]?.data.n - 2;
    expect(gap).toEqual({ id: null, event: 'gap', data: { from, to: rest[0]?.id, lost } });
    expect(lost).toBeGreaterThan(500);
    expect(rest).toHaveLength(6_000 - 1 - lost);
    expect(client.named('gap')).toHaveLength(1);
  });

  it('says `gap` when it has expired, or begun anew since', async () => {
    const ids = await write(...ticks(1, 3));
    const { store } = await container();
    await store.pipeline([['del', key]]);

    const expired = await open(nodes[0], { lastEventId: ids[2] ?? '' });
    await expired.get(1, 'gap');
    // Whatever has been written anew meanwhile is where it goes on.
    expect(expired.events[0]?.data).toMatchObject({ from: ids[2], lost: null });
    await write(tick(4));
    await expired.get(1, 'tick');
    const begun = await open(nodes[0], { lastEventId: ids[2] ?? '' });
    await begun.get(1, 'tick');

    const to = begun.events[1]?.id;
    expect(begun.events[0]).toEqual({ id: null, event: 'gap', data: { from: ids[2], to, lost: null } });
    expect(numbers(begun)).toEqual([4]);
  });

  it('is kept for a day after it was last written to', async () => {
    await write(tick(1));
    const { store } = await container();
    const [ttlMs] = (await store.pipeline([['pttl', key]])) as number[];
    expect(ttlMs).toBeGreaterThan(86_340_000);
    expect(ttlMs).toBeLessThanOrEqual(86_400_000);
  });
});

describe('before a stream begins', () => {
  it.each(['x', '12', '1-', '-1', '1-1-1', '99999999999999999-1'])(
    'the position %s is a VALIDATION_ERROR',
    async (lastEventId) => {
      const named = (name: string) => ({
        status: 400,
        body: { code: 'VALIDATION_ERROR', data: { fieldErrors: { [name]: expect.any(String) } } },
      });
      const { token } = admin.user;
      expect(await call(path, { token, headers: { 'Last-Event-ID': lastEventId } })).toMatchObject(
        named('Last-Event-ID'),
      );
      expect(await call(`${path}?lastEventId=${lastEventId}`, { token })).toMatchObject(named('lastEventId'));
    },
  );

  it('whoever may not read it is answered an envelope', async () => {
    const { token } = await newUser(['ADMIN'], await newTenant());
    expectRefusal(await call(path), 'UNAUTHORIZED');
    expectRefusal(await call(path, { token }), 'FORBIDDEN');
    const nothing = `/api/admin/promotions/${ulid()}/stream`;
    expectRefusal(await call(nothing, { token: admin.user.token }), 'NOT_FOUND');
    expect(await call(path, { token: admin.user.token, method: 'POST' })).toMatchObject({ status: 405 });
  });

  it('HEAD has the headers alone', async () => {
    const response = await fetch(`${nodes[0].url}${path}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${admin.user.token}` },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(await response.text()).toBe('');
  });
});

describe('an open stream', () => {
  it('is closed with `revoked` when the session ends', async () => {
    const client = await open(nodes[0]);
    await endSession(admin.user.token);

    await client.over();
    expect(client.events.at(-1)).toMatchObject({ id: null, event: 'revoked', data: { code: 'UNAUTHORIZED' } });
  });

  it('is closed with `revoked` when the permission goes', async () => {
    const client = await open(nodes[0]);
    const other = await newAdmin();
    const weaker = { memberships: [{ tenantId: admin.tenant.id, roles: ['ADMIN'] }] };
    const options = { method: 'PATCH', token: other.user.token, body: weaker };
    expect((await call(`/api/admin/users/${admin.user.pid}`, options)).status).toBe(200);

    await client.over();
    expect(client.events.at(-1)).toMatchObject({ event: 'revoked', data: { code: 'FORBIDDEN' } });
  });

  it('is one of ten of its user, over all nodes; the eleventh is RATE_LIMITED until one is closed', async () => {
    const opened = await Promise.all(upTo(10).map((n) => open(nodes[n % 2] as Program)));
    expect(opened.map(({ status }) => status)).toEqual(upTo(10).map(() => 200));

    const refused = await open(nodes[0]);
    await refused.over();
    expect(refused.status).toBe(429);
    const retryAfterSeconds = Number(refused.headers['retry-after']);
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'RATE_LIMITED', data: { limit: 10, retryAfterSeconds } });
    const other = await newAdmin();
    expect(await open(nodes[0], { token: other.user.token })).toMatchObject({ status: 200 });

    opened[0]?.leave();
    await until('a place is free', async () => (await open(nodes[1])).status === 200);
  });

  it('gives its place back when its node is killed', async () => {
    const doomed = await startProgram(SETTINGS);
    await Promise.all(upTo(10).map(() => open(doomed)));
    expect(await open(nodes[0])).toMatchObject({ status: 429 });
    await doomed.stop('SIGKILL');

    await until('a place is free', async () => (await open(nodes[0])).status === 200);
  });

  it('keeps its place for as long as it is open', async () => {
    const opened = await Promise.all(upTo(10).map(() => open(nodes[0])));
    // A lease is three checks long: after four of them only those that were renewed still count.
    await until('four seconds have passed', () => (opened[0]?.comments.length ?? 0) >= 27);
    expect(await open(nodes[1])).toMatchObject({ status: 429 });
  });

  it('is sent elsewhere when its node is stopped', async () => {
    // Longer than a test may take: the node does not wait for its end.
    const stopping = await startProgram({ ...SETTINGS, SHUTDOWN_GRACE_MS: '600000' });
    const client = await open(stopping);
    await write(tick(1));
    await client.get(1, 'tick');

    expect(await stopping.stop('SIGTERM')).toBe(0);

    await client.over();
    expect(client.retries).toHaveLength(2);
    expect(client.retries[1]).toBeLessThanOrEqual(1_000);
    const next = await open(nodes[0], { lastEventId: client.lastEventId });
    await write(tick(2));
    await next.get(1, 'tick');
    expect(numbers(next)).toEqual([2]);
  });
});

/**
 * Setup: a node that reaches Redis through a proxy. What this proves: without Redis a stream waits, and then
 * has everything.
 */
describe('while Redis is away', () => {
  it.each(['cut', 'stall'] as const)('a stream stays open and gets what it missed (%s)', async (fault) => {
    const { proxy, url } = await proxied(process.env.REDIS_URL ?? '');
    const node = await startNodeHere({ ...SETTINGS, REDIS_URL: url, LOG_LEVEL: 'silent' });
    const client = await open(node);
    await write(...ticks(1, 3));
    await client.get(3, 'tick');
    proxy[fault]();
    await write(...ticks(4, 6));
    const pings = client.comments.length;
    await until('it is still open', () => client.comments.length > pings + 3);
    expect(numbers(client)).toEqual([1, 2, 3]);

    await proxy.restore();
    await write(tick(7));
    await client.get(7, 'tick');
    expect(numbers(client)).toEqual(upTo(7));
    expect(client.named('gap')).toEqual([]);
    expect(client.isOver).toBe(false);
  });
});

describe('slow clients', () => {
  const residentMb = ({ pid }: Program): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

  it('cost no memory while 10,000 events pass by, and get them all in the end', async () => {
    const { store } = await container();
    const { StreamWriter } = await import('../../src/platform/streams/stream-writer.ts');
    const writer = new StreamWriter(store, { maxEntries: 20_000, expiryMs: 60_000 });
    const clients = await Promise.all(upTo(10).map(() => open(nodes[0])));
    for (const client of clients) client.pause();
    const reader = await open(nodes[1], { token: (await newAdmin()).user.token });
    const text = 'x'.repeat(4_000);
    const before = residentMb(nodes[0]);
    let most = before;
    for (let n = 1; n <= 10_000; n += 100) {
      await writer.append(key, ...upTo(100).map((more) => tick(n + more - 1, { text })));
      most = Math.max(most, residentMb(nodes[0]));
    }
    await reader.get(10_000, 'tick');
    most = Math.max(most, residentMb(nodes[0]));

    // Ten times 40 MB have gone by. A young heap grows to what parsing takes, less than half of this, and
    // stays there.
    expect(most - before).toBeLessThan(200);
    for (const client of clients) {
      expect(client.named('tick').length).toBeLessThan(9_000);
      client.resume();
      await client.get(10_000, 'tick');
      expect(numbers(client)).toEqual(upTo(10_000));
    }
  });
});
