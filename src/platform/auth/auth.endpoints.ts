import {
  named,
  object,
  text,
  BIG_ID,
  PID,
  oneOf,
  TIME,
  BOOLEAN,
  nullable,
  list,
  NOTHING,
} from '../../foundation/validation/schema.ts';
import { type LoginService } from './sessions/login.service.ts';
import { type SessionsService, type Device } from './sessions/sessions.service.ts';
import { type PasswordService } from './passwords/password.service.ts';
import { type MeService } from './me.service.ts';
import { type Endpoint, endpoint, PUBLIC, ACCOUNT, SIGNED_IN } from './requests/endpoint.ts';
import { bodyOfTexts } from './auth-requests.ts';
import { MAX_AUTH_BODY_BYTES } from './auth.limits.ts';
import { languageOf } from '../../foundation/http/language.ts';
import { reply } from '../../foundation/http/reply.ts';
import { type HttpRequest } from '../../foundation/http/route.ts';

const BASE = '/api/auth';
const tag = 'Authentication';

const LOGIN_RESULT = named(
  'LoginResult',
  object({
    jwt: text({ description: 'The bearer token of other requests' }),
    userId: BIG_ID,
    userPid: PID,
    username: text(),
    tenantId: BIG_ID,
    tenantStatus: oneOf(['member', 'suspended']),
    expiresAt: TIME,
    refreshToken: text({ description: 'Works once' }),
    refreshExpiresAt: TIME,
  }),
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

interface Services {
  readonly logins: LoginService;
  readonly sessions: SessionsService;
  readonly passwords: PasswordService;
  readonly me: MeService;
}

/** Spec: "Endpoints", `/api/auth/login`; the others are ours. */
export function authEndpoints(services: Services): readonly Endpoint[] {
  return [...loginEndpoints(services), ...accountEndpoints(services), ...passwordEndpoints(services)];
}

function loginEndpoints({ logins, sessions }: Services): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: `${BASE}/login`,
      access: PUBLIC,
      tag,
      summary: 'Log in',
      budget: 'login',
      maxBodyBytes: MAX_AUTH_BODY_BYTES,
      body: bodyOfTexts('email', 'password'),
      data: LOGIN_RESULT,
      errors: ['UNAUTHORIZED', 'RATE_LIMITED'],
      account: ({ body }) => body.email,
      handle: ({ body: { email, password }, request }) => logins.login(email, password, deviceOf(request)),
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/refresh`,
      access: PUBLIC,
      tag,
      summary: 'Exchange a refresh token for a new login result',
      budget: 'refresh',
      maxBodyBytes: MAX_AUTH_BODY_BYTES,
      body: bodyOfTexts('refreshToken'),
      data: LOGIN_RESULT,
      errors: ['UNAUTHORIZED', 'RATE_LIMITED'],
      handle: ({ body }) => sessions.refresh(body.refreshToken),
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/logout`,
      access: ACCOUNT,
      tag,
      summary: 'End this session',
      data: NOTHING,
      errors: ['NOT_FOUND'],
      async handle({ caller: { userId, sessionPid } }) {
        await sessions.end(userId, sessionPid);
        return null;
      },
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/logout-all`,
      access: ACCOUNT,
      tag,
      summary: 'End all sessions of the caller',
      data: NOTHING,
      async handle({ caller }) {
        await sessions.endAll(caller.userId);
        return null;
      },
    }),
  ];
}

function accountEndpoints({ sessions, me }: Services): readonly Endpoint[] {
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
      handle: ({ actor }) => me.describe(actor),
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
      body: bodyOfTexts('currentPassword', 'newPassword'),
      data: LOGIN_RESULT,
      errors: ['RATE_LIMITED', 'CONFLICT'],
      account: ({ caller }) => caller.userPid,
      handle: ({ caller, body: { currentPassword, newPassword }, request }) =>
        passwords.change(caller.userId, currentPassword, newPassword, deviceOf(request)),
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
