import { Router } from 'express';
import { access, PUBLIC } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { answer, ok } from '../http/reply.ts';
import * as contracts from './health.contracts.ts';

/** Spec: "Endpoints", `/api/health`. Public. */
export function healthRoutes(): Router {
  const router = Router();
  const path = '/api/health';
  router.get(
    path,
    access(PUBLIC),
    contract(contracts.alive),
    answer(() => ok({ status: 'UP' })),
  );
  router.all(path, onlyMethods('GET', 'HEAD'));
  return router;
}
