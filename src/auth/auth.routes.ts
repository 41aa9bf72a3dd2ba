import { Router, type Request } from 'express';
import { access, PUBLIC, SIGNED_IN } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { languageOf } from '../http/language.ts';
import { readBody } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import type { Gate } from './gate.ts';
import type { LoginService } from './login.service.ts';
import type { RateLimits } from './rate-limits.ts';

import type { MeService } from './me.service.ts';
import type { PasswordService } from './password.service.ts';
import type { Device, SessionsService } from './sessions.service.ts';
import * as contracts from './auth.contracts.ts';

const BASE = '/api/auth';

type Texts<N extends string> = Readonly<Record<N, string>>;

interface Services {
  readonly logins: LoginService;
  readonly sessions: SessionsService;
  readonly passwords: PasswordService;
  readonly me: MeService;
}

/** Spec: "Endpoints", `/api/auth/login`; the others are ours. */
export function authRoutes(gate: Gate, limits: RateLimits, { logins, sessions, passwords, me }: Services): Router {
  const router = Router();

  router.post(
    `${BASE}/login`,
    access(PUBLIC),
    contract(contracts.login),
    answer(async (request) => {
      await limits.admitClient('login', request.ip, request.res);
      const { email, password } = await readBody<Texts<'email' | 'password'>>(request, contracts.login);
      await limits.admitAccount('login', email, request.res);
      return ok(await logins.login(email, password, deviceOf(request)));
    }),
  );
  router.all(`${BASE}/login`, onlyMethods('POST'));

  router.post(
    `${BASE}/refresh`,
    access(PUBLIC),
    contract(contracts.refresh),
    answer(async (request) => {
      const { refreshToken } = await readBody<Texts<'refreshToken'>>(request, contracts.refresh);
      return ok(await sessions.refresh(refreshToken));
    }),
  );
  router.all(`${BASE}/refresh`, onlyMethods('POST'));

  router.post(
    `${BASE}/logout`,
    access(SIGNED_IN),
    contract(contracts.logout),
    answer(async (request) => {
      const { userId, sessionPid } = await gate.identify(request);
      await sessions.end(userId, sessionPid);
      return ok(null);
    }),
  );
  router.all(`${BASE}/logout`, onlyMethods('POST'));

  router.post(
    `${BASE}/logout-all`,
    access(SIGNED_IN),
    contract(contracts.logoutAll),
    answer(async (request) => {
      const { userId } = await gate.identify(request);
      await sessions.endAll(userId);
      return ok(null);
    }),
  );
  router.all(`${BASE}/logout-all`, onlyMethods('POST'));

  router.get(
    `${BASE}/sessions`,
    access(SIGNED_IN),
    contract(contracts.listSessions),
    answer(async (request) => {
      const { userId, sessionPid } = await gate.identify(request);
      const live = await sessions.list(userId);
      return ok(
        live.map(({ pid, userAgent, ip, createdAt, refreshedAt, expiresAt }) => ({
          ...{ pid, current: pid === sessionPid, userAgent, ip, createdAt, refreshedAt, expiresAt },
        })),
      );
    }),
  );
  router.all(`${BASE}/sessions`, onlyMethods('GET'));

  router.delete(
    `${BASE}/sessions/:pid`,
    access(SIGNED_IN),
    contract(contracts.endSession),
    answer(async (request) => {
      const { userId } = await gate.identify(request);
      await sessions.end(userId, String(request.params.pid));
      return ok(null);
    }),
  );
  router.all(`${BASE}/sessions/:pid`, onlyMethods('DELETE'));

  router.get(
    `${BASE}/me`,
    access(SIGNED_IN),
    contract(contracts.me),
    answer(async (request) => ok(await me.describe((await gate.admit(request)).actor))),
  );
  router.all(`${BASE}/me`, onlyMethods('GET'));

  router.post(
    `${BASE}/password`,
    access(SIGNED_IN),
    contract(contracts.changePassword),
    answer(async (request) => {
      const { userId, userPid } = await gate.identify(request);
      await limits.admitAccount('login', userPid, request.res);
      const { currentPassword, newPassword } = await readBody<Texts<'currentPassword' | 'newPassword'>>(
        request,
        contracts.changePassword,
      );
      return ok(await passwords.change(userId, currentPassword, newPassword, deviceOf(request)));
    }),
  );
  router.all(`${BASE}/password`, onlyMethods('POST'));

  router.post(
    `${BASE}/password-reset/request`,
    access(PUBLIC),
    contract(contracts.requestReset),
    answer(async (request) => {
      await limits.admitClient('passwordReset', request.ip, request.res);
      const { email } = await readBody<Texts<'email'>>(request, contracts.requestReset);
      await limits.admitAccount('passwordReset', email, request.res);
      await passwords.requestReset(email, languageOf(request));
      return ok(null, { message: 'if somebody has this e-mail, a message is on its way' });
    }),
  );
  router.all(`${BASE}/password-reset/request`, onlyMethods('POST'));

  router.post(
    `${BASE}/password-reset/confirm`,
    access(PUBLIC),
    contract(contracts.confirmReset),
    answer(async (request) => {
      await limits.admitClient('passwordReset', request.ip, request.res);
      const { token, newPassword } = await readBody<Texts<'token' | 'newPassword'>>(request, contracts.confirmReset);
      await passwords.confirmReset(token, newPassword);
      return ok(null);
    }),
  );
  router.all(`${BASE}/password-reset/confirm`, onlyMethods('POST'));
  return router;
}

function deviceOf(request: Request): Device {
  return { userAgent: request.get('user-agent')?.slice(0, 300) ?? null, ip: request.ip?.slice(0, 64) ?? null };
}
