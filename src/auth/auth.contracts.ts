import type { Contract } from '../http/contract.ts';
import { BIG_ID, BOOLEAN, list, named, NOTHING, nullable, object, oneOf, PID, text, TIME } from '../http/schema.ts';
import { bodyOfTexts } from './auth-requests.ts';

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

const ofAccount = true;

export const login: Contract = {
  ...{ tag, summary: 'Log in', budget: 'login' },
  ...{ body: bodyOfTexts('email', 'password'), data: LOGIN_RESULT, errors: ['UNAUTHORIZED', 'RATE_LIMITED'] },
};
export const refresh: Contract = {
  ...{ tag, summary: 'Exchange a refresh token for a new login result', budget: 'none' },
  ...{ body: bodyOfTexts('refreshToken'), data: LOGIN_RESULT, errors: ['UNAUTHORIZED'] },
};
export const logout: Contract = { tag, summary: 'End this session', ofAccount, data: NOTHING, errors: ['NOT_FOUND'] };
export const logoutAll: Contract = { tag, summary: 'End all sessions of the caller', ofAccount, data: NOTHING };
export const listSessions: Contract = { tag, summary: "The caller's sessions", ofAccount, data: list(SESSION) };
export const endSession: Contract = { tag, summary: 'End one session', ofAccount, path: { pid: PID }, data: NOTHING };
export const me: Contract = { tag, summary: 'Who the caller is, and what they may do', data: ME };
export const changePassword: Contract = {
  ...{ tag, summary: 'Change the password; ends all sessions', ofAccount },
  ...{ body: bodyOfTexts('currentPassword', 'newPassword'), data: LOGIN_RESULT, errors: ['RATE_LIMITED', 'CONFLICT'] },
};
export const requestReset: Contract = {
  ...{ tag, summary: 'Ask for a password reset by e-mail', budget: 'passwordReset' },
  ...{ body: bodyOfTexts('email'), data: NOTHING, errors: ['RATE_LIMITED'] },
};
export const confirmReset: Contract = {
  ...{ tag, summary: 'Set a new password with the token of the e-mail', budget: 'passwordReset' },
  ...{ body: bodyOfTexts('token', 'newPassword'), data: NOTHING, errors: ['UNAUTHORIZED', 'RATE_LIMITED'] },
};
