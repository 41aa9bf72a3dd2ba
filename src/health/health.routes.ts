import { Router, type RequestHandler } from 'express';
import { access, PUBLIC } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { answer, ok, sendJson } from '../http/reply.ts';
import { healthOf, type Health, type Indicator } from './indicators.ts';

/** Whether this node has been told to stop: it answers what still comes, but load balancers must look elsewhere. */
export interface Drain {
  readonly draining: boolean;
}

/** Spec: "Endpoints", health. All public. */
export function healthRoutes(indicators: readonly Indicator[], drain: Drain): Router {
  const router = Router();
  const needed = indicators.filter(({ neededForReadiness }) => neededForReadiness);
  const routes: Record<string, RequestHandler> = {
    '/api/health': answer(() => ok({ status: 'UP' })),
    '/actuator/health': actuator(() => healthOf(indicators)),
    // Asks nothing outside: a restart would not bring a lost database back.
    '/actuator/health/liveness': actuator(async () => ({ status: 'UP', components: {} })),
    '/actuator/health/readiness': actuator(async () => {
      const health = await healthOf(needed);
      return drain.draining ? { ...health, status: 'DOWN' } : health;
    }),
  };
  for (const [path, handler] of Object.entries(routes)) {
    router.get(path, access(PUBLIC), handler);
    router.all(path, onlyMethods('GET', 'HEAD'));
  }
  return router;
}

/** The envelope, and beside it `status` and `components` where monitoring tools look for them. DOWN is a 503. */
function actuator(check: () => Promise<Health>): RequestHandler {
  return async (_request, response) => {
    const health = await check();
    const up = health.status === 'UP';
    const envelope = { code: up ? '0' : 'SERVICE_UNAVAILABLE', message: health.status, data: health };
    sendJson(response, up ? 200 : 503, { ...envelope, ...health });
  };
}
