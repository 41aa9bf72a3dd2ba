import jwt from 'jsonwebtoken';
import { call, list, type Answered } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { anotherNode, nodeInside } from '../support/nodes.ts';
import { isAccepted, logIn, newSession, refresh } from '../support/sessions.ts';
import { runSql } from '../support/platform.ts';
import { redisTrips } from '../support/round-trips.ts';
import { container, PASSWORD } from '../support/world.ts';

const ENDED = { code: 'UNAUTHORIZED', message: 'The session has ended; log in again', data: null };
const DONE = { status: 200, body: { code: '0', message: 'ok', data: null } };

let other: string;
beforeAll(async () => {
  other = await anotherNode();
});

const answered = ({ status, body }: Answered) => ({ status, body });
/** Makes it seem as if the session's tokens had been used this long ago. */
async function usedAgo(refreshToken: string, seconds: number): Promise<void> {
  await runSql(
    `update platform.refresh_token set used_at = used_at - make_interval(secs => $1) where session_pid = $2`,
    [seconds, refreshToken.split('_')[1]],
  );
}

describe('a session', () => {
  it('is validated against the shared store, so any node accepts its token', async () => {
    const { jwt: token } = await newSession();

    expect(await isAccepted(token)).toBe(true);
  });

  it('costs one Redis round trip on a read, together with the tenant, the limit and the metadata version', async () => {
    const { jwt: token } = await newSession();
    const baseUrl = await nodeInside();
    const { store } = await container();
    const read = async (): Promise<number> => {
      const before = redisTrips(store);
      // An exact total would be remembered in a second one, and forgotten with each change of the metadata.
      expect((await list(token, 'leads', { count: 'none' }, { baseUrl })).status).toBe(200);
      return redisTrips(store) - before;
    };
    // What was not in the shared store yet, is now: the user, the tenant.
    await until('the copies are there', async () => (await read()) === 1);

    expect([await read(), await read(), await read()]).toEqual([1, 1, 1]);
  });

  it('is gone when Redis has lost it, and its refresh token brings it back', async () => {
    const { user, jwt: token, refreshToken } = await newSession();
    const { store } = await container();

    await store.pipeline([['del', `keelson:session:${(jwt.decode(token) as jwt.JwtPayload).jti}`]]);
    expect(await isAccepted(token)).toBe(false);

    const { body } = await refresh(refreshToken);
    expect(body.data.userPid).toBe(user.pid);
    expect(await isAccepted(body.data.jwt)).toBe(true);
  });

  it('goes on when Redis has lost what it knew of the user and the tenant', async () => {
    const { user, jwt: token } = await newSession();
    const { store } = await container();
    const { tid } = jwt.decode(token) as { tid: string };

    await store.pipeline([['del', `keelson:user:${user.pid}`, `keelson:tenant:${tid}`]]);

    expect(await isAccepted(token)).toBe(true);
  });

  it("does not count with another user's token id", async () => {
    const [mine, theirs] = [await newSession(), await newSession(['ADMIN'])];
    const { store } = await container();
    const keyOf = (token: string): string => `keelson:session:${(jwt.decode(token) as jwt.JwtPayload).jti}`;
    const [session] = await store.pipeline([['get', keyOf(theirs.jwt)]]);

    await store.pipeline([['set', keyOf(mine.jwt), String(session), 'EX', 60]]);

    expect(await isAccepted(mine.jwt)).toBe(false);
  });
});

describe('POST /api/auth/refresh', () => {
  it('gives a login result with new tokens, on any node', async () => {
    const { user, refreshToken, jwt: first } = await newSession();

    const { status, body } = await refresh(refreshToken, other);

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        code: '0',
        message: 'ok',
        data: {
          jwt: expect.any(String),
          userId: user.id,
          userPid: user.pid,
          username: user.email,
          tenantId: expect.any(String),
          tenantStatus: 'member',
          expiresAt: expect.any(String),
          refreshToken: expect.stringMatching(new RegExp(`^klr_${refreshToken.split('_')[1]}_[0-9a-f]{64}$`)),
          refreshExpiresAt: expect.any(String),
        },
      },
    });
    expect(body.data.refreshToken).not.toBe(refreshToken);
    expect(await isAccepted(body.data.jwt)).toBe(true);
    expect(await isAccepted(first)).toBe(true);
    const days = (Date.parse(body.data.refreshExpiresAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.99);
    expect(days).toBeLessThanOrEqual(7);
  });

  it('stores no token, only its hash', async () => {
    const { refreshToken } = await newSession();

    const found = await runSql<{ hash: string }>('select hash from platform.refresh_token where session_pid = $1', [
      refreshToken.split('_')[1],
    ]);

    expect(found).toEqual([{ hash: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect(refreshToken).not.toContain(found[0]?.hash);
  });

  it('ends the whole family when a rotated token comes again: all tokens of the session, on all nodes', async () => {
    const { user, refreshToken, jwt: first } = await newSession();
    const second = (await refresh(refreshToken)).body.data;
    await usedAgo(refreshToken, 11);

    expect(answered(await refresh(refreshToken, other))).toEqual({ status: 401, body: ENDED });

    expect(await isAccepted(first)).toBe(false);
    expect(await isAccepted(second.jwt)).toBe(false);
    expect(answered(await refresh(second.refreshToken))).toEqual({ status: 401, body: ENDED });
    const audited = await runSql(`select action from platform.audit_entry where target_pid = $1`, [user.pid]);
    expect(audited).toEqual([{ action: 'user.session-reuse' }]);
  });

  it('gives parallel tabs valid answers: the same rotated token works for 10 s', async () => {
    const { refreshToken } = await newSession();

    const tabs = await Promise.all([1, 2, 3].map((tab) => refresh(refreshToken, tab === 2 ? other : undefined)));

    expect(tabs.map(({ status }) => status)).toEqual([200, 200, 200]);
    await usedAgo(refreshToken, 5);
    const late = await refresh(refreshToken);
    expect(late.status).toBe(200);
    for (const { body } of [...tabs, late]) {
      expect(await isAccepted(body.data.jwt)).toBe(true);
      expect((await refresh(body.data.refreshToken)).status).toBe(200);
    }
  });

  it('leaves twenty access tokens of a session live; older ones end', async () => {
    const { refreshToken, jwt: first } = await newSession();
    const tokens = [first];
    for (let next = refreshToken; tokens.length < 21;) {
      const { data } = (await refresh(next)).body;
      next = data.refreshToken;
      tokens.push(data.jwt);
    }

    expect(await isAccepted(first)).toBe(false);
    for (const token of tokens.slice(1)) expect((await list(token, 'leads')).status).toBe(200);
  });

  it('leaves other sessions of the user alone', async () => {
    const { user, refreshToken } = await newSession();
    const elsewhere = await logIn(user.email);
    await refresh(refreshToken);
    await usedAgo(refreshToken, 11);
    await refresh(refreshToken);

    expect(await isAccepted(elsewhere.jwt)).toBe(true);
    expect((await refresh(elsewhere.refreshToken)).status).toBe(200);
  });

  it('answers 401 UNAUTHORIZED to what is no live token, and nothing ends', async () => {
    const { jwt: token, refreshToken } = await newSession();
    const [scheme, pid, secret = ''] = refreshToken.split('_');
    const turned = secret.startsWith('0') ? `1${secret.slice(1)}` : `0${secret.slice(1)}`;

    for (const wrong of [
      token,
      `${scheme}_${pid}_${turned}`,
      `${scheme}_${pid}_${secret.toUpperCase()}X`,
      `${refreshToken} `,
      `klr_01ARZ3NDEKTSV4RRFFQ69G5FAV_${secret}`,
      "' or 1=1 --",
      '%',
    ]) {
      expect({ wrong, ...answered(await refresh(wrong)) }).toEqual({ wrong, status: 401, body: ENDED });
    }
    expect(await isAccepted(token)).toBe(true);
    expect((await refresh(refreshToken)).status).toBe(200);
  });

  it('answers 401 UNAUTHORIZED after 7 days', async () => {
    const { refreshToken } = await newSession();
    await runSql('update platform.session set expires_at = now() where pid = $1', [refreshToken.split('_')[1]]);

    expect(answered(await refresh(refreshToken))).toEqual({ status: 401, body: ENDED });
  });

  it('prolongs no session beyond 30 days', async () => {
    const { refreshToken } = await newSession();
    await runSql(`update platform.session set created_at = now() - interval '29 days' where pid = $1`, [
      refreshToken.split('_')[1],
    ]);

    const { body } = await refresh(refreshToken);

    expect(Date.parse(body.data.refreshExpiresAt) - Date.now()).toBeLessThanOrEqual(86_400_000);

    await runSql(
      `update platform.session set created_at = now() - interval '30 days' + interval '1 minute' where pid = $1`,
      [refreshToken.split('_')[1]],
    );
    const last = (await refresh(body.data.refreshToken)).body.data;
    const { store } = await container();
    const [ttl] = await store.pipeline([['ttl', `keelson:session:${(jwt.decode(last.jwt) as jwt.JwtPayload).jti}`]]);
    expect(ttl).toBeGreaterThan(0);
    expect(ttl).toBeLessThanOrEqual(60);
  });

  it('answers 400 VALIDATION_ERROR without a token', async () => {
    for (const [value, problem] of [
      [undefined, 'is required'],
      ['', 'is not valid'],
      [{ $ne: null }, 'must be a text'],
      ['a\0b', 'must not contain NUL or ill-formed Unicode'],
    ]) {
      const { status, body } = await refresh(value);
      expect({ status, errors: body.data.fieldErrors }).toEqual({ status: 400, errors: { refreshToken: problem } });
    }
  });
});

describe('POST /api/auth/logout', () => {
  it('ends the session on all nodes: its access tokens and its refresh token', async () => {
    const { user, jwt: token, refreshToken } = await newSession();
    const elsewhere = await logIn(user.email);
    const next = (await refresh(refreshToken)).body.data;

    expect(answered(await call('/api/auth/logout', { method: 'POST', token }))).toEqual(DONE);

    expect(await isAccepted(token)).toBe(false);
    expect(await isAccepted(next.jwt)).toBe(false);
    expect((await refresh(next.refreshToken)).status).toBe(401);
    expect(await isAccepted(elsewhere.jwt)).toBe(true);
  });
});

describe('POST /api/auth/logout-all', () => {
  it("ends all of the user's sessions on all nodes, and nobody else's", async () => {
    const { user, jwt: token } = await newSession();
    const [elsewhere, stranger] = [await logIn(user.email), await newSession()];

    expect(answered(await call('/api/auth/logout-all', { method: 'POST', token, baseUrl: other }))).toEqual(DONE);

    for (const ended of [token, user.token, elsewhere.jwt]) expect(await isAccepted(ended)).toBe(false);
    expect((await refresh(elsewhere.refreshToken)).status).toBe(401);
    expect(await isAccepted(stranger.jwt)).toBe(true);
  });
});

describe('GET /api/auth/sessions', () => {
  it("lists the user's own live sessions and marks the one in use", async () => {
    const { user } = await newSession();
    const { body } = await call('/api/auth/login', {
      body: { email: user.email, password: PASSWORD },
      headers: { 'user-agent': 'a browser' },
    });
    const token = body.data.jwt;

    const listed = await call('/api/auth/sessions', { token });

    expect(listed.body.data).toHaveLength(3);
    expect(listed.body.data[0]).toEqual({
      pid: body.data.refreshToken.split('_')[1],
      current: true,
      userAgent: 'a browser',
      ip: expect.stringMatching(/127\.0\.0\.1|::1/),
      createdAt: expect.stringMatching(/Z$/),
      refreshedAt: expect.stringMatching(/Z$/),
      expiresAt: body.data.refreshExpiresAt,
    });
    expect(listed.body.data.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
  });
});

describe('DELETE /api/auth/sessions/{id}', () => {
  it('ends one session on all nodes', async () => {
    const { user, refreshToken, jwt: token } = await newSession();

    const ended = await call(`/api/auth/sessions/${refreshToken.split('_')[1]}`, {
      method: 'DELETE',
      token: user.token,
    });

    expect(answered(ended)).toEqual(DONE);
    expect(await isAccepted(token)).toBe(false);
    expect(await isAccepted(user.token)).toBe(true);
  });

  it("answers 404 NOT_FOUND for another user's session, and leaves it", async () => {
    const [mine, theirs] = [await newSession(), await newSession()];

    const { status, body } = await call(`/api/auth/sessions/${theirs.refreshToken.split('_')[1]}`, {
      method: 'DELETE',
      token: mine.jwt,
    });

    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    expect(await isAccepted(theirs.jwt)).toBe(true);
  });
});
