import { Router } from 'express';
import { access, PUBLIC } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { answer, ok } from '../http/reply.ts';

/** Spec: "Endpoints", `/api/health`. Public. */
export function healthRoutes(): Router {
  const router = Router();
  const path = '/api/health';
  router.get(
    path,
    access(PUBLIC),
    answer(() => ok({ status: 'UP' })),
  );
  router.all(path, onlyMethods('GET', 'HEAD'));
  return router;
}
