import { Router, type Request } from 'express';
import { isStorable } from '../audit/reason.ts';
import { authorise, type Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { validationError } from '../errors/application-error.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { readJsonBody } from '../http/json-body.ts';
import { answer, ok } from '../http/reply.ts';
import { ADMIN_ENVIRONMENTS } from '../metadata/permission-codes.ts';
import { SECRET_NAME } from '../metadata/secret-references.ts';
import type { EnvironmentSecret } from './environment-secret.entity.ts';
import type { EnvironmentSecrets } from './environment-secrets.service.ts';
import * as contracts from './environments.contracts.ts';

const BASE = '/api/admin/environments/:environment/secrets';
const { MAX_SECRET_LENGTH: MAX_LENGTH } = contracts;

/** The secrets of an environment. No answer ever holds a value. All need `admin:environments`. */
export function environmentSecretRoutes(gate: Gate, secrets: EnvironmentSecrets): Router {
  const router = Router();
  const admitted = async (request: Request): Promise<Actor> => {
    const { actor } = await gate.admit(request);
    authorise(actor, ADMIN_ENVIRONMENTS);
    return actor;
  };
  const environmentOf = (request: Request): string => String(request.params.environment);

  router.get(
    BASE,
    access(ADMIN_ENVIRONMENTS),
    contract(contracts.listSecrets),
    answer(async (request) => {
      await admitted(request);
      return ok((await secrets.list(environmentOf(request))).map(present));
    }),
  );
  router.all(BASE, onlyMethods('GET'));

  router.put(
    `${BASE}/:name`,
    access(ADMIN_ENVIRONMENTS),
    contract(contracts.setSecret),
    answer(async (request) => {
      const actor = await admitted(request);
      const value = parseValue(await readJsonBody(request));
      return ok(present(await secrets.set(actor, environmentOf(request), parseName(request), value)));
    }),
  );
  router.delete(
    `${BASE}/:name`,
    access(ADMIN_ENVIRONMENTS),
    contract(contracts.deleteSecret),
    answer(async (request) => {
      const actor = await admitted(request);
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

/** Nothing of a value stands in the message about it. */
function parseValue({ value }: Record<string, unknown>): string {
  if (typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH && isStorable(value)) return value;
  throw validationError({ value: `must be a text of 1 to ${MAX_LENGTH} characters` });
}

function present({ name, updatedAt, updatedBy }: EnvironmentSecret) {
  return { name, updatedAt, updatedBy };
}
