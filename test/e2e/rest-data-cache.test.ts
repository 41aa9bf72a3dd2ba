import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { call, dataOf, refusal } from '../support/api.ts';
import { newCode, save } from '../support/models.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { newAdmin, type Admin } from '../support/promotions.ts';
import { container, newTenant, newUser } from '../support/world.ts';

let own: OwnProgram;
let admin: Admin;
let server: Server;
let url: string;
/** What the other service was asked, and how it answers: with its number, or this status. */
let asked: IncomingMessage[] = [];
let status = 200;
let waits: Promise<void> | null = null;
let text = '';
beforeAll(async () => {
  own = await startOwnProgram('restcache', { WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' });
  admin = await newAdmin();
  server = createServer((request, response) => {
    asked.push(request);
    const answer = { number: asked.length, text };
    void Promise.resolve(waits).then(() =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify([answer])),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rows`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await own.stop();
});
beforeEach(() => {
  [asked, status, waits, text] = [[], 200, null, ''];
});

const CACHE = { ttlSeconds: 600, staleSeconds: 600 };
async function newSource(content: object = {}) {
  const code = newCode();
  const write = (more: object = {}) =>
    save('dev', {
      resourceType: 'DATASOURCE',
      code,
      content: { name: code, kind: 'rest', url, cache: CACHE, ...content, ...more },
    });
  await write();
  const ask = (params: object = {}, token = admin.user.token) =>
    call(`/api/datasource/list?datasourceId=${code}&params=${encodeURIComponent(JSON.stringify(params))}`, { token });
  return { code, write, ask };
}
const seen = ({ body, headers }: Awaited<ReturnType<typeof call>>) => ({
  number: body.data[0].number,
  aged: headers.get('x-data-age') !== null,
});
const secondsToPass = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

describe('a REST data source with a cache', () => {
  it('asks once; later answers carry X-Data-Age in seconds', async () => {
    const { ask } = await newSource();

    const [first, second] = [await ask(), await ask()];

    expect([first, second].map(seen)).toEqual([
      { number: 1, aged: false },
      { number: 1, aged: true },
    ]);
    expect(second.headers.get('x-data-age')).toMatch(/^\d+$/);
    expect(asked).toHaveLength(1);
  });

  it('asks for each tenant and each value of its params', async () => {
    const params = [{ code: 'of', name: 'Of', type: 'string' }];
    const { ask } = await newSource({ params, query: { of: '{{param:of}}' } });
    const { token } = await newUser(['ADMIN'], await newTenant());

    const numbers = [
      await ask({ of: 'a' }),
      await ask({ of: 'b' }),
      await ask({ of: 'a' }),
      await ask({ of: 'a' }, token),
    ];

    expect(numbers.map(seen).map(({ number }) => number)).toEqual([1, 2, 1, 3]);
    expect(asked.map((request) => request.url)).toEqual(['/rows?of=a', '/rows?of=b', '/rows?of=a']);
  });

  it('asks anew when its content or a secret of its request changes', async () => {
    const name = `S_${newCode().toUpperCase()}`;
    const secret = (value: string) => admin.put(`/admin/environments/dev/secrets/${name}`, { value });
    await secret('one-secret-value');
    const { ask, write } = await newSource({ headers: { 'x-key': `{{secret:${name}}}` } });

    expect([await ask(), await ask()].map(seen).map(({ number }) => number)).toEqual([1, 1]);
    await secret('another-secret-value');
    expect(seen(await ask())).toEqual({ number: 2, aged: false });
    await write({ headers: { 'x-key': `{{secret:${name}}}`, 'x-more': '1' } });
    expect(seen(await ask())).toEqual({ number: 3, aged: false });
    expect(asked.map(({ headers }) => headers['x-key'])).toEqual([
      'one-secret-value',
      'another-secret-value',
      'another-secret-value',
    ]);
    expect(own.program.logs()).not.toMatch(/one-secret-value|another-secret-value/);
  });

  it('asks once for all who ask at the same time', async () => {
    const { ask } = await newSource();
    let open = (): void => undefined;
    waits = new Promise((resolve) => (open = resolve));

    const all = Promise.all([ask(), ask(), ask()]);
    while (asked.length === 0) await secondsToPass(0.02);
    await secondsToPass(0.3);
    open();

    expect((await all).map(seen).map(({ number }) => number)).toEqual([1, 1, 1]);
    expect(asked).toHaveLength(1);
  });

  it('gives the last good answer while the service is unavailable, and not where it refuses', async () => {
    const { ask } = await newSource({ cache: { ttlSeconds: 1, staleSeconds: 600 } });
    expect(seen(await ask())).toEqual({ number: 1, aged: false });
    await secondsToPass(1.1);

    status = 401;
    expect(refusal(await ask())).toMatchObject({ status: 502, code: 'BAD_GATEWAY' });
    status = 503;
    expect(seen(await ask())).toEqual({ number: 1, aged: true });
    const before = asked.length;
    expect(seen(await ask())).toEqual({ number: 1, aged: true });
    expect(asked).toHaveLength(before);
  });

  it('has no answer to give once that is too old, or where there never was one', async () => {
    const { ask } = await newSource({ cache: { ttlSeconds: 1 } });
    dataOf(await ask());
    await secondsToPass(1.1);
    status = 503;

    expect(refusal(await ask())).toMatchObject({ status: 503, data: { dependency: 'datasource' } });
  });

  it('keeps no answer that is large', async () => {
    const { ask } = await newSource();
    text = 'x'.repeat(300 * 1024);

    expect([await ask(), await ask()].map(seen).map(({ number }) => number)).toEqual([1, 2]);
  });

  it('keeps nothing of an answer readable in Redis', async () => {
    const { ask } = await newSource();
    text = 'known-to-the-tenant';
    dataOf(await ask());
    expect(seen(await ask())).toEqual({ number: 1, aged: true });
    const { store } = await container();

    const [[, keys]] = (await store.pipeline([
      ['scan', 0, 'MATCH', `*keelson:datasource:dev:${admin.tenant.id}:*`, 'COUNT', 100_000],
    ])) as [[string, string[]]];
    const bare = keys
      .map((key) => key.slice(key.indexOf('keelson:datasource')))
      .filter((key) => !key.endsWith(':index'));
    const kept = await store.pipeline(bare.map((key) => ['get', key]));

    expect(kept.length).toBeGreaterThan(0);
    expect(JSON.stringify([keys, kept])).not.toContain(text);
  });
});
