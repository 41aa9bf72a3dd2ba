import { Router, type Request } from 'express';
import { access, PUBLIC, SIGNED_IN } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { jsonBody } from '../http/json-body.ts';
import { answer, ok } from '../http/reply.ts';
import { requiredTexts } from './auth-requests.ts';
import type { Gate } from './gate.ts';
import type { LoginService } from './login.service.ts';
import type { MeService } from './me.service.ts';
import type { PasswordService } from './password.service.ts';
import type { Device, SessionsService } from './sessions.service.ts';

const BASE = '/api/auth';

interface Services {
  readonly logins: LoginService;
  readonly sessions: SessionsService;
  readonly passwords: PasswordService;
  readonly me: MeService;
}

/** Spec: "Endpoints", `/api/auth/login`; the others are ours. */
export function authRoutes(gate: Gate, { logins, sessions, passwords, me }: Services): Router {
  const router = Router();

  router.post(
    `${BASE}/login`,
    access(PUBLIC),
    jsonBody,
    answer(async (request) => {
      const { email, password } = requiredTexts(request.body, 'email', 'password');
      return ok(await logins.login(email, password, deviceOf(request)));
    }),
  );
  router.all(`${BASE}/login`, onlyMethods('POST'));

  router.post(
    `${BASE}/refresh`,
    access(PUBLIC),
    jsonBody,
    answer(async (request) => {
      const { refreshToken } = requiredTexts(request.body, 'refreshToken');
      return ok(await sessions.refresh(refreshToken));
    }),
  );
  router.all(`${BASE}/refresh`, onlyMethods('POST'));

  router.post(
    `${BASE}/logout`,
    access(SIGNED_IN),
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
    answer(async (request) => ok(await me.describe((await gate.admit(request)).actor))),
  );
  router.all(`${BASE}/me`, onlyMethods('GET'));

  router.post(
    `${BASE}/password`,
    access(SIGNED_IN),
    jsonBody,
    answer(async (request) => {
      const { userId } = await gate.identify(request);
      const { currentPassword, newPassword } = requiredTexts(request.body, 'currentPassword', 'newPassword');
      return ok(await passwords.change(userId, currentPassword, newPassword, deviceOf(request)));
    }),
  );
  router.all(`${BASE}/password`, onlyMethods('POST'));

  router.post(
    `${BASE}/password-reset/request`,
    access(PUBLIC),
    jsonBody,
    answer(async (request) => {
      const { email } = requiredTexts(request.body, 'email');
      await passwords.requestReset(email);
      return ok(null, { message: 'if somebody has this e-mail, a message is on its way' });
    }),
  );
  router.all(`${BASE}/password-reset/request`, onlyMethods('POST'));

  router.post(
    `${BASE}/password-reset/confirm`,
    access(PUBLIC),
    jsonBody,
    answer(async (request) => {
      const { token, newPassword } = requiredTexts(request.body, 'token', 'newPassword');
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
