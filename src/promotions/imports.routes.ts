import { Router } from 'express';
import type { Gate } from '../auth/gate.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { readBody } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import { ADMIN_ENVIRONMENTS } from '../metadata/permission-codes.ts';
import type { ImportOrder, ImportsService } from './imports.service.ts';
import { present } from './present-promotion.ts';
import * as contracts from './promotions.contracts.ts';

const PATH = '/api/admin/environments/:environment/import';

/** Spec: "Endpoints", import. Beside the snapshot's keys the body carries `reason` and `consent`. */
export function importRoutes(gate: Gate, imports: ImportsService): Router {
  const router = Router();
  router.post(
    PATH,
    access(ADMIN_ENVIRONMENTS),
    contract(contracts.importSnapshot),
    answer(async (request) => {
      const actor = await gate.admitWith(request, ADMIN_ENVIRONMENTS);
      const environment = String(request.params.environment);
      const order = await readBody<ImportOrder>(request, contracts.importSnapshot, (good, errors) =>
        imports.check(environment, good, errors),
      );
      const details = await imports.import(actor, environment, order);
      const waits = details.promotion.status !== 'APPLIED';
      return ok(present(details), waits ? { status: 202, message: 'waiting for a second person' } : {});
    }),
  );
  router.all(PATH, onlyMethods('POST'));
  return router;
}
