import { Router } from 'express';
import { authorise } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { answer, ok } from '../http/reply.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import type { DataSources } from './datasources.service.ts';
import * as contracts from './datasources.contracts.ts';

const { DEFAULT_MAX_ITEMS, MAX_ITEMS } = contracts;

/** Spec: "Endpoints", `/api/datasource/list`. */
export function dataSourceRoutes(gate: Gate, dataSources: DataSources): Router {
  const router = Router();
  router.get(
    '/api/datasource/list',
    access(permissionCode.dataSourceRead('{datasourceId}')),
    contract(contracts.listRows),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      const errors: FieldErrors = {};
      const code = parseCode(request.query.datasourceId, errors);
      const maxItems = parseMaxItems(request.query.maxItems, errors);
      // Without a code there is no permission to ask for.
      if (code !== null) authorise(actor, permissionCode.dataSourceRead(code));
      throwIfInvalid(errors);
      return ok(await dataSources.rows(actor, String(code), maxItems));
    }),
  );
  router.all('/api/datasource/list', onlyMethods('GET'));
  return router;
}

function parseCode(value: unknown, errors: FieldErrors): string | null {
  if (typeof value === 'string' && value !== '') return value;
  errors.datasourceId = Array.isArray(value) ? 'is given more than once' : 'is required';
  return null;
}

function parseMaxItems(value: unknown, errors: FieldErrors): number {
  if (value === undefined || value === '') return DEFAULT_MAX_ITEMS;
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= 1 && number <= MAX_ITEMS) return number;
  errors.maxItems = `must be a whole number from 1 to ${MAX_ITEMS}`;
  return DEFAULT_MAX_ITEMS;
}
