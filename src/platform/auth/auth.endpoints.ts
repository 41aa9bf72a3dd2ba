import {
  BIG_ID,
  BOOLEAN,
  described,
  list,
  named,
  NOTHING,
  nullable,
  object,
  oneOf,
  openObject,
  PID,
  text,
  TIME,
} from '../../foundation/validation/schema.ts';
import { logIn, type SessionsService, type Device } from './sessions/sessions.service.ts';
import type { PasswordService } from './passwords/password.service.ts';
import type { PlatformOrm, PlatformEntityManager } from '../../foundation/database/orm.ts';
import { type Endpoint, endpoint, PUBLIC, ACCOUNT, SIGNED_IN } from './requests/endpoint.ts';
import { MAX_AUTH_BODY_BYTES } from './auth.limits.ts';
import { languageOf } from '../../foundation/http/language.ts';
import { reply } from '../../foundation/http/reply.ts';
import { endReply, REFRESH_TOKEN_PLACES, refreshTokenIn, sessionReply } from './sessions/session-cookie.ts';
import type { HttpRequest } from '../../foundation/http/route.ts';
import type { Actor } from './requests/actor.ts';
import { statusOf } from './sessions/login-result.ts';
import { MembershipEntity, type Membership } from './accounts/membership.entity.ts';
import { UserEntity } from './accounts/user.entity.ts';

const BASE = '/api/auth';
const tag = 'Authentication';

const LOGIN_RESULT = named(
  'LoginResult',
  object(
    {
      jwt: text({ description: 'The bearer token of other requests' }),
      userId: BIG_ID,
      userPid: PID,
      username: text(),
      tenantId: BIG_ID,
      tenantStatus: oneOf(['member', 'suspended']),
      expiresAt: TIME,
      refreshExpiresAt: TIME,
    },
    { refreshToken: text({ description: 'Works once; absent where a cookie has it' }) },
  ),
);
const SESSION = object({
  pid: PID,
  current: BOOLEAN,
  userAgent: nullable(text()),
  ip: nullable(text()),
  createdAt: TIME,
  refreshedAt: TIME,
  expiresAt: TIME,
});
const ME = object({
  userId: text(),
  userPid: PID,
  username: text(),
  tenantId: BIG_ID,
  environment: text(),
  email: nullable(text()),
  roles: list(text()),
  permissions: list(text()),
  tenants: list(object({ tenantId: BIG_ID, name: text(), tenantStatus: text(), roles: list(text()) })),
});

/** Without NUL, which no e-mail, password or token holds. */
const TEXT = text({ pattern: '^[^\\0]{1,1000}$' });

/** A body that must have these texts; others are ignored. */
function bodyOfTexts<const N extends string>(...names: readonly N[]) {
  return openObject(textsOf(names));
}

/** The same for what answers a login result. */
function bodyOfLogin<const N extends string>(...names: readonly N[]) {
  return openObject(textsOf(names), PLACE);
}

function textsOf<const N extends string>(names: readonly N[]) {
  return Object.fromEntries(names.map((name) => [name, TEXT])) as Record<N, typeof TEXT>;
}

const PLACE = {
  refreshTokenIn: described(
    'Where a refresh token is: `cookie` for pages in a browser, which then cannot read it',
    oneOf(REFRESH_TOKEN_PLACES),
  ),
};

interface Services {
  readonly sessions: SessionsService;
  readonly passwords: PasswordService;
  readonly orm: PlatformOrm;
}

/** Spec: "Endpoints", `/api/auth/login`; the others are ours. */
export function authEndpoints(services: Services): readonly Endpoint[] {
  return [...loginEndpoints(services), ...accountEndpoints(services), ...passwordEndpoints(services)];
}

function loginEndpoints({ orm, sessions }: Services): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: `${BASE}/login`,
      access: PUBLIC,
      tag,
      summary: 'Log in',
      budget: 'login',
      maxBodyBytes: MAX_AUTH_BODY_BYTES,
      body: bodyOfLogin('email', 'password'),
      data: LOGIN_RESULT,
      errors: ['UNAUTHORIZED', 'RATE_LIMITED'],
      account: ({ body }) => body.email,
      async handle({ body: { email, password, refreshTokenIn: place }, request }) {
        const result = await logIn({ orm, sessions }, email, password, deviceOf(request));
        return sessionReply(result, place, request);
      },
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/refresh`,
      access: PUBLIC,
      tag,
      summary: 'Exchange a refresh token for a new login result',
      budget: 'refresh',
      maxBodyBytes: MAX_AUTH_BODY_BYTES,
      description: 'The token is in the body, or in the cookie that `refreshTokenIn: "cookie"` has set.',
      body: openObject({}, { refreshToken: TEXT, ...PLACE }),
      data: LOGIN_RESULT,
      errors: ['UNAUTHORIZED', 'RATE_LIMITED'],
      check({ body }, errors) {
        if (body.refreshTokenIn !== 'cookie' && body.refreshToken === undefined) errors.refreshToken ??= 'is required';
      },
      async handle({ body: { refreshToken, refreshTokenIn: place }, request }) {
        const token = place === 'cookie' ? refreshTokenIn(request) : (refreshToken ?? '');
        return sessionReply(await sessions.refresh(token), place, request);
      },
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/logout`,
      access: ACCOUNT,
      tag,
      summary: 'End this session',
      data: NOTHING,
      errors: ['NOT_FOUND'],
      async handle({ caller: { userId, sessionPid }, request }) {
        await sessions.end(userId, sessionPid);
        return endReply(request);
      },
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/logout-all`,
      access: ACCOUNT,
      tag,
      summary: 'End all sessions of the caller',
      data: NOTHING,
      async handle({ caller, request }) {
        await sessions.endAll(caller.userId);
        return endReply(request);
      },
    }),
  ];
}

function accountEndpoints({ sessions, orm }: Services): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${BASE}/sessions`,
      access: ACCOUNT,
      tag,
      summary: "The caller's sessions",
      data: list(SESSION),
      async handle({ caller: { userId, sessionPid } }) {
        const live = await sessions.list(userId);
        return live.map(({ pid, userAgent, ip, createdAt, refreshedAt, expiresAt }) => {
          return { pid, current: pid === sessionPid, userAgent, ip, createdAt, refreshedAt, expiresAt };
        });
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${BASE}/sessions/:pid`,
      access: ACCOUNT,
      tag,
      summary: 'End one session',
      data: NOTHING,
      async handle({ caller, params }) {
        await sessions.end(caller.userId, params.pid);
        return null;
      },
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/me`,
      access: SIGNED_IN,
      tag,
      summary: 'Who the caller is, and what they may do',
      data: ME,
      handle: ({ actor }) => describeCaller(orm.em.fork(), actor),
    }),
  ];
}

function passwordEndpoints({ passwords }: Services): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: `${BASE}/password`,
      access: ACCOUNT,
      tag,
      summary: 'Change the password; ends all sessions',
      budget: 'login',
      maxBodyBytes: MAX_AUTH_BODY_BYTES,
      body: bodyOfLogin('currentPassword', 'newPassword'),
      data: LOGIN_RESULT,
      errors: ['RATE_LIMITED', 'CONFLICT'],
      account: ({ caller }) => caller.userPid,
      async handle({ caller, body: { currentPassword, newPassword, refreshTokenIn: place }, request }) {
        const result = await passwords.change(caller.userId, currentPassword, newPassword, deviceOf(request));
        return sessionReply(result, place, request);
      },
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/password-reset/request`,
      access: PUBLIC,
      tag,
      summary: 'Ask for a password reset by e-mail',
      budget: 'passwordReset',
      maxBodyBytes: MAX_AUTH_BODY_BYTES,
      body: bodyOfTexts('email'),
      data: NOTHING,
      errors: ['RATE_LIMITED'],
      account: ({ body }) => body.email,
      async handle({ body, request }) {
        await passwords.requestReset(body.email, languageOf(request));
        return reply(null, { message: 'if somebody has this e-mail, a message is on its way' });
      },
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/password-reset/confirm`,
      access: PUBLIC,
      tag,
      summary: 'Set a new password with the token of the e-mail',
      budget: 'passwordReset',
      maxBodyBytes: MAX_AUTH_BODY_BYTES,
      body: bodyOfTexts('token', 'newPassword'),
      data: NOTHING,
      errors: ['UNAUTHORIZED', 'RATE_LIMITED'],
      async handle({ body: { token, newPassword } }) {
        await passwords.confirmReset(token, newPassword);
        return null;
      },
    }),
  ];
}

function deviceOf(request: HttpRequest): Device {
  return { userAgent: request.get('user-agent')?.slice(0, 300) ?? null, ip: request.ip?.slice(0, 64) ?? null };
}

/**
 * The caller, the tenants to choose from, and what the caller may do in the one in use. A program has no
 * e-mail.
 */
async function describeCaller(
  em: PlatformEntityManager,
  { userId, userPid, username, tenantId, roles, metadata, keyMadeBy }: Actor,
) {
  const permissions = metadata.permissionsOf(roles).codes;
  const common = { userId, userPid, username, tenantId, environment: metadata.environment };
  // A key's rights are its permissions; the roles that carry them are internal.
  if (typeof keyMadeBy === 'string') return { ...common, email: null, roles: [], permissions, tenants: [] };
  const user = await em.findOneOrFail(UserEntity, { id: userId });
  const options = { populate: ['tenant'], orderBy: { tenant: 'asc' } } as const;
  const memberships = (await em.find(MembershipEntity, { user: userId }, options)) as Membership[];
  const tenants = memberships.map((membership) => ({
    tenantId: membership.tenant.id,
    name: membership.tenant.name,
    tenantStatus: statusOf(membership),
    roles: membership.roles,
  }));
  return { ...common, email: user.email, roles, permissions, tenants };
}
