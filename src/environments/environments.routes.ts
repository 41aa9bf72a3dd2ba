import { Router, type Request } from 'express';
import { authorise } from '../auth/actor.ts';
import type { Reasoned } from '../audit/reason.ts';
import type { Gate } from '../auth/gate.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { readBody, readQuery } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import { ADMIN_ENVIRONMENTS } from '../metadata/permission-codes.ts';
import { policyOf, type PolicyChange } from './approval-policy.ts';
import type { EnvironmentDetails, EnvironmentsService } from './environments.service.ts';
import * as contracts from './environments.contracts.ts';

const BASE = '/api/admin/environments';

/** Spec: "Endpoints", environments. All need `admin:environments`. */
export function environmentRoutes(gate: Gate, environments: EnvironmentsService): Router {
  const router = Router();

  router.get(
    BASE,
    access(ADMIN_ENVIRONMENTS),
    contract(contracts.listEnvironments),
    answer(async (request) => {
      await gate.admitWith(request, ADMIN_ENVIRONMENTS);
      return ok((await environments.list()).map(present));
    }),
  );
  router.all(BASE, onlyMethods('GET'));

  router.get(
    `${BASE}/diff`,
    access(ADMIN_ENVIRONMENTS),
    contract(contracts.diff),
    answer(async (request) => {
      await gate.admitWith(request, ADMIN_ENVIRONMENTS);
      const { source, target } = readQuery<{ source: string; target: string }>(request, contracts.diff);
      return ok(await environments.diff(source, target));
    }),
  );
  router.all(`${BASE}/diff`, onlyMethods('GET'));

  router.post(
    `${BASE}/:environment/export`,
    access(ADMIN_ENVIRONMENTS),
    contract(contracts.exportSnapshot),
    answer(async (request) => {
      // A POST by the spec, and a read by what it does.
      const { actor } = await gate.admit(request, undefined, 'reads');
      authorise(actor, ADMIN_ENVIRONMENTS);
      return ok(await environments.export(actor, environmentOf(request)));
    }),
  );
  router.all(`${BASE}/:environment/export`, onlyMethods('POST'));

  router.patch(
    `${BASE}/:environment`,
    access(ADMIN_ENVIRONMENTS),
    contract(contracts.changePolicy),
    answer(async (request) => {
      const actor = await gate.admitWith(request, ADMIN_ENVIRONMENTS);
      const change = await readBody<PolicyChange>(request, contracts.changePolicy);
      const outcome = await environments.changePolicy(actor, environmentOf(request), change);
      return ok(present(outcome), outcome.waits ? { status: 202, message: 'waiting for a second person' } : {});
    }),
  );
  router.all(`${BASE}/:environment`, onlyMethods('PATCH'));

  for (const [action, locked] of [['lock', true] as const, ['unlock', false] as const]) {
    router.post(
      `${BASE}/:environment/${action}`,
      access(ADMIN_ENVIRONMENTS),
      contract(contracts.setLock[action]),
      answer(async (request) => {
        const actor = await gate.admitWith(request, ADMIN_ENVIRONMENTS);
        const { reason } = await readBody<Reasoned>(request, contracts.setLock[action]);
        return ok(present(await environments.setLock(actor, environmentOf(request), locked, reason)));
      }),
    );
    router.all(`${BASE}/:environment/${action}`, onlyMethods('POST'));
  }
  return router;
}

function environmentOf(request: Request): string {
  return String(request.params.environment);
}

function present({ environment, resourceCounts }: EnvironmentDetails) {
  const { pid, id, code, name, writePolicy, locked, lockReason, lockedBy, lockedAt, metadataVersion } = environment;
  const lock = { locked, lockReason, lockedBy, lockedAt };
  const approvalPolicy = policyOf(environment);
  const policies = { approvalPolicy, pendingPolicy: environment.pendingPolicy ?? null };
  return { pid, id, code, name, writePolicy, ...lock, metadataVersion, ...policies, resourceCounts };
}
