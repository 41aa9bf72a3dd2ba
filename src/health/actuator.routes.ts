import { Router, type RequestHandler } from 'express';
import { authorise } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { onlyMethods } from '../http/app.ts';
import { sendJson } from '../http/reply.ts';
import { ADMIN_OPERATIONS } from '../metadata/permission-codes.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { healthOf, type Health, type Indicator } from './indicators.ts';

/** Whether this node has been told to stop: it answers what still comes, but load balancers must look elsewhere. */
export interface Drain {
  readonly draining: boolean;
}

export interface Actuator {
  readonly indicators: readonly Indicator[];
  readonly drain: Drain;
  readonly metrics: Metrics;
  readonly gate: Gate;
  /** Whether only operators reach these routes: then metrics need no token, which scrapers could not renew. */
  readonly isPrivate: boolean;
}

/** Spec: "Endpoints", `/actuator`. Health is public; metrics need `admin:operations`, unless the port is private. */
export function actuatorRoutes({ indicators, drain, metrics, gate, isPrivate }: Actuator): Router {
  const router = Router();
  const needed = indicators.filter(({ neededForReadiness }) => neededForReadiness);
  const routes: Record<string, RequestHandler> = {
    '/actuator/health': actuator(() => healthOf(indicators)),
    // Asks nothing outside: a restart would not bring a lost database back.
    '/actuator/health/liveness': actuator(async () => ({ status: 'UP', components: {} })),
    '/actuator/health/readiness': actuator(async () => {
      const health = await healthOf(needed);
      return drain.draining ? { ...health, status: 'DOWN' } : health;
    }),
    '/actuator/prometheus': async (request, response) => {
      if (!isPrivate) authorise((await gate.admit(request)).actor, ADMIN_OPERATIONS);
      const { contentType, text } = await metrics.render();
      response.set('Content-Type', contentType).end(text);
    },
  };
  for (const [path, handler] of Object.entries(routes)) {
    router.get(path, handler);
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
