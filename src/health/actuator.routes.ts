import { Router, type Request, type RequestHandler, type Response } from 'express';
import { authorise } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import type { Config } from '../config/config.ts';
import { access, PUBLIC } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract, type Contract } from '../http/contract.ts';
import { answer, ok, sendJson } from '../http/reply.ts';
import { ADMIN_OPERATIONS } from '../metadata/permission-codes.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { withoutDetails, type Health, type HealthChecks } from './health.ts';
import * as contracts from './health.contracts.ts';
import { nodeInfo, publicInfo } from './node-info.ts';

/** Whether this node has been told to stop: it answers what still comes, but load balancers must look elsewhere. */
export interface Drain {
  readonly draining: boolean;
}

export interface Actuator {
  readonly config: Config;
  readonly checks: HealthChecks;
  readonly drain: Drain;
  readonly metrics: Metrics;
  readonly gate: Gate;
}

/**
 * Spec: "Endpoints", `/actuator`. Whether something is UP is public. Details and metrics need `admin:operations`; on a
 * management port metrics need no token, because scrapers cannot renew one and only operators reach that port.
 */
export function actuatorRoutes({ config, checks, drain, metrics, gate }: Actuator): Router {
  const router = Router();
  const admitOperator = async (request: Request): Promise<void> => {
    authorise((await gate.admit(request, undefined, null)).actor, ADMIN_OPERATIONS);
  };
  // Health has to be answered while nobody can be admitted, too.
  const isOperator = async (request: Request): Promise<boolean> =>
    request.headers.authorization !== undefined &&
    admitOperator(request).then(
      () => true,
      () => false,
    );
  const shown = async (request: Request, health: Health): Promise<Health> =>
    (await isOperator(request)) ? health : withoutDetails(health);

  const get = (path: string, codes: string, promised: Contract, handler: RequestHandler): void => {
    router.get(path, access(codes), contract(promised), handler);
    router.all(path, onlyMethods('GET', 'HEAD'));
  };
  get('/actuator/health', PUBLIC, contracts.health, async (request, response) =>
    sendHealth(response, await shown(request, await checks.health())),
  );
  // Asks nothing outside: a restart would not bring a lost database back. A node whose event loop is stuck does not answer.
  get('/actuator/health/liveness', PUBLIC, contracts.liveness, (_request, response) =>
    sendHealth(response, { status: 'UP', components: {} }),
  );
  get('/actuator/health/readiness', PUBLIC, contracts.readiness, async (request, response) => {
    const health = await shown(request, await checks.readiness());
    sendHealth(response, drain.draining ? { ...health, status: 'DOWN' } : health);
  });
  get(
    '/actuator/info',
    PUBLIC,
    contracts.info,
    answer(async (request) => ok({ ...publicInfo(config), ...((await isOperator(request)) && nodeInfo(config)) })),
  );
  const isOpen = config.managementPort !== null;
  get('/actuator/prometheus', isOpen ? PUBLIC : ADMIN_OPERATIONS, contracts.prometheus, async (request, response) => {
    if (!isOpen) await admitOperator(request);
    const { contentType, text } = await metrics.render();
    response.set('Content-Type', contentType).end(text);
  });
  return router;
}

/** The envelope, and beside it `status` and `components` where monitoring tools look for them. DOWN is a 503. */
function sendHealth(response: Response, health: Health): void {
  const up = health.status === 'UP';
  const envelope = { code: up ? '0' : 'SERVICE_UNAVAILABLE', message: health.status, data: health };
  sendJson(response, up ? 200 : 503, { ...envelope, ...health });
}
