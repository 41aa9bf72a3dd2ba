import { Router, type Request } from 'express';
import type { Gate } from '../auth/gate.ts';
import { validationError } from '../errors/application-error.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { readBody } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import { ADMIN_ENVIRONMENTS } from '../metadata/permission-codes.ts';
import { SECRET_NAME } from '../metadata/secret-references.ts';
import type { EnvironmentSecret } from './environment-secret.entity.ts';
import type { EnvironmentSecrets } from './environment-secrets.service.ts';
import * as contracts from './environments.contracts.ts';

const BASE = '/api/admin/environments/:environment/secrets';

/** The secrets of an environment. No answer ever holds a value. All need `admin:environments`. */
export function environmentSecretRoutes(gate: Gate, secrets: EnvironmentSecrets): Router {
  const router = Router();
  const environmentOf = (request: Request): string => String(request.params.environment);

  router.get(
    BASE,
    access(ADMIN_ENVIRONMENTS),
    contract(contracts.listSecrets),
    answer(async (request) => {
      await gate.admitWith(request, ADMIN_ENVIRONMENTS);
      return ok((await secrets.list(environmentOf(request))).map(present));
    }),
  );
  router.all(BASE, onlyMethods('GET'));

  router.put(
    `${BASE}/:name`,
    access(ADMIN_ENVIRONMENTS),
    contract(contracts.setSecret),
    answer(async (request) => {
      const actor = await gate.admitWith(request, ADMIN_ENVIRONMENTS);
      const { value } = await readBody<{ value: string }>(request, contracts.setSecret);
      return ok(present(await secrets.set(actor, environmentOf(request), parseName(request), value)));
    }),
  );
  router.delete(
    `${BASE}/:name`,
    access(ADMIN_ENVIRONMENTS),
    contract(contracts.deleteSecret),
    answer(async (request) => {
      const actor = await gate.admitWith(request, ADMIN_ENVIRONMENTS);
      const name = parseName(request);
      await secrets.remove(actor, environmentOf(request), name);
      return ok({ name });
    }),
  );
  router.all(`${BASE}/:name`, onlyMethods('PUT', 'DELETE'));
  return router;
}

function parseName(request: Request): string {
  const name = String(request.params.name);
  if (SECRET_NAME.test(name)) return name;
  throw validationError({ name: 'must be upper-case letters, digits and _, at most 64, a letter first' });
}

function present({ name, updatedAt, updatedBy }: EnvironmentSecret) {
  return { name, updatedAt, updatedBy };
}
