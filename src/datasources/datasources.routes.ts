import { Router } from 'express';
import { authorise } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { readQuery } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import type { DataSources } from './datasources.service.ts';
import * as contracts from './datasources.contracts.ts';

interface Query {
  readonly datasourceId: string;
  readonly maxItems: number;
}

/** Spec: "Endpoints", `/api/datasource/list`. */
export function dataSourceRoutes(gate: Gate, dataSources: DataSources): Router {
  const router = Router();
  router.get(
    '/api/datasource/list',
    access(permissionCode.dataSourceRead('{datasourceId}')),
    contract(contracts.listRows),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      const { datasourceId, maxItems } = readQuery<Query>(request, contracts.listRows, (good) => {
        // Without a code there is no permission to ask for.
        if (good.datasourceId !== undefined) authorise(actor, permissionCode.dataSourceRead(good.datasourceId));
      });
      return ok(await dataSources.rows(actor, datasourceId, maxItems));
    }),
  );
  router.all('/api/datasource/list', onlyMethods('GET'));
  return router;
}
