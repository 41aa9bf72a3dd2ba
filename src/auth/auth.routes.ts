import { Router } from 'express';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { onlyMethods } from '../http/app.ts';
import { readJsonBody } from '../http/json-body.ts';
import { answer, ok } from '../http/reply.ts';
import type { LoginService } from './login.service.ts';
import type { RateLimits } from './rate-limits.ts';

/** Spec: "Endpoints", `/api/auth/login`. Public. */
export function authRoutes(logins: LoginService, limits: RateLimits): Router {
  const router = Router();
  router.post(
    '/api/auth/login',
    answer(async (request) => {
      await limits.admitClient('login', request.ip, request.res);
      const { email, password } = parseCredentials(await readJsonBody(request));
      await limits.admitAccount('login', email, request.res);
      return ok(await logins.login(email, password));
    }),
  );
  router.all('/api/auth/login', onlyMethods('POST'));
  return router;
}

function parseCredentials({ email, password }: Record<string, unknown>): { email: string; password: string } {
  const errors: FieldErrors = {};
  for (const [name, value] of Object.entries({ email, password })) {
    if (value === undefined || value === null || value === '') errors[name] = 'is required';
    else if (typeof value !== 'string') errors[name] = 'must be a text';
    else if (value.length > 1_000 || value.includes('\0')) errors[name] = 'is not valid';
  }
  throwIfInvalid(errors);
  return { email: email as string, password: password as string };
}
