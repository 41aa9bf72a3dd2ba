import { Router } from 'express';
import { parseReason } from '../audit/reason.ts';
import { authorise } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { readJsonBody } from '../http/json-body.ts';
import { answer, ok } from '../http/reply.ts';
import { ADMIN_ENVIRONMENTS } from '../metadata/permission-codes.ts';
import type { ImportsService } from './imports.service.ts';
import { parseConsent } from './promotion-requests.ts';
import { present } from './present-promotion.ts';
import * as contracts from './promotions.contracts.ts';

const PATH = '/api/admin/environments/:environment/import';
const { MAX_IMPORT_BYTES: MAX_BYTES } = contracts;

/** Spec: "Endpoints", import. Beside the snapshot's keys the body carries `reason` and `consent`. */
export function importRoutes(gate: Gate, imports: ImportsService): Router {
  const router = Router();
  router.post(
    PATH,
    access(ADMIN_ENVIRONMENTS),
    contract(contracts.importSnapshot),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      authorise(actor, ADMIN_ENVIRONMENTS);
      const { reason, consent, ...snapshot } = await readJsonBody(request, MAX_BYTES);
      const errors: FieldErrors = {};
      const consented = parseConsent(consent, errors) ?? [];
      throwIfInvalid(errors);
      const given = reason === undefined ? undefined : parseReason({ reason });
      const order = { snapshot, reason: given, consent: consented };
      const details = await imports.import(actor, String(request.params.environment), order);
      const waits = details.promotion.status !== 'APPLIED';
      return ok(present(details), waits ? { status: 202, message: 'waiting for a second person' } : {});
    }),
  );
  router.all(PATH, onlyMethods('POST'));
  return router;
}
