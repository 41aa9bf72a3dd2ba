import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { printApi, type ApiDocument } from '../../cli/types/print-api.ts';
import { call, expectRefusal } from '../support/api.ts';
import { fetchDocument } from '../support/openapi.ts';
import { newTenant, newUser, PASSWORD } from '../support/world.ts';

const TYPES = new URL('../../web/src/app/api.d.ts', import.meta.url);

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${process.env.KEELSON_TEST_URL}${path}`, { headers });

describe('GET /console', () => {
  it('is a page of this origin alone, at the address of each screen', async () => {
    for (const path of ['/console', '/console/', '/console/pages/leads', '/console/pages/leads/01M8']) {
      const response = await get(path);
      const text = await response.text();

      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(text).not.toMatch(/<script>|<script [^>]*>[^<]|<style|\sstyle=|\son\w+=|https?:\/\//);
    }
  });

  it('is asked for again only when it has changed', async () => {
    const etag = (await get('/console')).headers.get('etag') ?? '';

    expect((await get('/console', { 'if-none-match': etag })).status).toBe(304);
  });

  it('is made of files that browsers keep, compressed for those that can read it', async () => {
    const text = await (await get('/console')).text();
    const parts = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part as string);

    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      const plain = await get(part, { 'accept-encoding': 'identity' });
      const packed = await get(part, { 'accept-encoding': 'gzip' });
      expect([part, plain.status]).toEqual([part, 200]);
      expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect([plain.headers.get('content-encoding'), packed.headers.get('content-encoding')]).toEqual([null, 'gzip']);
      expect(await packed.text()).toBe(await plain.text());
    }
  });

  it('has nothing else, and takes nothing', async () => {
    for (const name of ['manifest.json', 'index.html', '..%2findex.html', 'constructor']) {
      expectRefusal(await call(`/console/assets/${name}`), 'NOT_FOUND');
    }
    expectRefusal(await call('/console/a/b/c/d'), 'NOT_FOUND');
    expectRefusal(await call('/console/pages/leads', { method: 'POST' }), 'METHOD_NOT_ALLOWED');
  });

  it('has the types of this API; UPDATE_API_TYPES=1 writes them anew', async () => {
    const { document } = await fetchDocument();
    const printed = printApi(document as unknown as ApiDocument);
    const [first = '', ...rest] = readFileSync(TYPES, 'utf8').split('\n');
    expect(first).toMatch(/^\/\/ Printed by keelson types from the API/);
    if (process.env.UPDATE_API_TYPES) return writeFileSync(TYPES, `${first}\n${printed}`);

    expect(rest.join('\n').trim()).toBe(printed.trim());
  });
});

describe('docs/console.md', () => {
  const [screens = '', none = ''] = readFileSync(new URL('../../docs/console.md', import.meta.url), 'utf8')
    .replace(/^[^]*## Endpoints and their screens/, '')
    .split('What has no screen');
  const routesIn = (text: string): string[] => [...text.matchAll(/`([A-Z]+ \/[^`]*)`/g)].map(([, route = '']) => route);

  it('says of every endpoint which screen uses it, or why none does', async () => {
    const { paths } = (await fetchDocument()).document as unknown as ApiDocument;
    const all = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );

    expect([...routesIn(screens), ...routesIn(none)].toSorted()).toEqual(all.toSorted());
  });

  it('knows which of them the console asks', () => {
    const web = new URL('../../web/src/', import.meta.url).pathname;
    const sources = globSync('**/*.{ts,tsx}', { cwd: web })
      .filter((file) => file !== 'app/api.d.ts')
      .map((file) => readFileSync(`${web}${file}`, 'utf8'))
      .join('\n');
    const asked = [...sources.matchAll(/ask\('([A-Z]+ [^']+)'/g)].map(([, route = '']) => route);

    expect(asked.length).toBeGreaterThan(40);
    expect(asked.filter((route) => routesIn(none).includes(route))).toEqual([]);
    expect(asked.filter((route) => !routesIn(screens).includes(route))).toEqual([]);
  });
});

describe('a session whose refresh token is in a cookie', () => {
  const cookieOf = (headers: Headers): string => headers.get('set-cookie') ?? '';
  const logIn = async () => {
    const { email } = await newUser(['SALES'], await newTenant());
    return call('/api/auth/login', { body: { email, password: PASSWORD, refreshTokenIn: 'cookie' } });
  };
  const refresh = (cookie: string, body: object = { refreshTokenIn: 'cookie' }) =>
    call('/api/auth/refresh', { body, headers: { cookie: `other=1; ${cookie.split(';')[0]}` } });

  it('is begun by a log-in that asks for it: no script and no other site gets the token', async () => {
    const { body, headers } = await logIn();

    expect(body.data).not.toHaveProperty('refreshToken');
    expect(cookieOf(headers)).toMatch(
      /^keelson_refresh=klr_\w+; Expires=[^;]+; Path=\/api\/auth; HttpOnly; SameSite=Strict$/,
    );
  });

  it('is refreshed by the cookie, which each refresh replaces', async () => {
    const first = cookieOf((await logIn()).headers);
    const { status, body, headers } = await refresh(first);

    expect(status).toBe(200);
    expect(body.data.jwt).toMatch(/^ey/);
    expect(body.data).not.toHaveProperty('refreshToken');
    expect(cookieOf(headers)).not.toBe(first);
    expect((await refresh(cookieOf(headers))).status).toBe(200);
  });

  it('is not refreshed by a request that another site could send', async () => {
    const cookie = cookieOf((await logIn()).headers);

    expectRefusal(await refresh(cookie, {}), 'VALIDATION_ERROR', { fieldErrors: { refreshToken: 'is required' } });
    const asForm = { cookie, 'content-type': 'text/plain' };
    const sent = await call('/api/auth/refresh', { body: '{"refreshTokenIn":"cookie"}', headers: asForm });
    expectRefusal(sent, 'UNSUPPORTED_MEDIA_TYPE');
    const read = await fetch(`${process.env.KEELSON_TEST_URL}/api/auth/me`, { headers: { cookie } });
    expect(read.status).toBe(401);
    expect(read.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('ends with its cookie', async () => {
    const { body, headers } = await logIn();
    const cookie = cookieOf(headers);
    const ended = await call('/api/auth/logout', {
      method: 'POST',
      token: body.data.jwt,
      headers: { cookie: cookie.split(';')[0] ?? '' },
    });

    expect(cookieOf(ended.headers)).toBe('keelson_refresh=; Max-Age=0; Path=/api/auth; HttpOnly; SameSite=Strict');
    expectRefusal(await refresh(cookie), 'UNAUTHORIZED');
  });

  it('is UNAUTHORIZED without a cookie', async () => {
    expectRefusal(await call('/api/auth/refresh', { body: { refreshTokenIn: 'cookie' } }), 'UNAUTHORIZED');
  });
});
