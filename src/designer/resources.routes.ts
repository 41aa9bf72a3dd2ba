import { Router, type Request } from 'express';
import type { Gate } from '../auth/gate.ts';
import type { PlatformOrm } from '../database/orm.ts';
import { notFound } from '../errors/application-error.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import type { Paging } from '../http/paging.ts';
import { readQuery } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import type { ResourceType } from '../metadata/content.ts';
import { ADMIN_METADATA } from '../metadata/permission-codes.ts';
import { ResourceEntity, ResourceVersionEntity } from '../metadata/resource.entity.ts';
import { presentResource } from './present-resource.ts';
import * as contracts from './resources.contracts.ts';

const BASE = '/api/meta/resources';

interface Filter {
  readonly resourceType?: ResourceType;
  readonly code?: string;
}

/** The configuration of the request's environment, for designers. All need `admin:metadata`. */
export function resourceRoutes(gate: Gate, orm: PlatformOrm): Router {
  const router = Router();
  const environmentOf = async (request: Request): Promise<string> => {
    return (await gate.admitWith(request, ADMIN_METADATA)).metadata.environment;
  };

  router.get(
    BASE,
    access(ADMIN_METADATA),
    contract(contracts.listResources),
    answer(async (request) => {
      const environment = await environmentOf(request);
      const { pageNum, pageSize, ...filter } = readQuery<Paging & Filter>(request, contracts.listResources);
      const where = { environment, ...filter };
      const [resources, total] = await orm.em.fork().findAndCount(ResourceEntity, where, {
        orderBy: { resourceType: 'asc', code: 'asc' },
        limit: pageSize,
        offset: (pageNum - 1) * pageSize,
      });
      return ok({ records: resources.map(presentResource), total, pageNum, pageSize });
    }),
  );
  router.all(BASE, onlyMethods('GET'));

  router.get(
    `${BASE}/:pid`,
    access(ADMIN_METADATA),
    contract(contracts.getResource),
    answer(async (request) => {
      const environment = await environmentOf(request);
      const found = await orm.em.fork().findOne(ResourceEntity, { environment, pid: String(request.params.pid) });
      if (!found) throw notFound('There is no such resource');
      return ok(presentResource(found));
    }),
  );
  router.all(`${BASE}/:pid`, onlyMethods('GET'));

  router.get(
    `${BASE}/:pid/versions`,
    access(ADMIN_METADATA),
    contract(contracts.listVersions),
    answer(async (request) => {
      const environment = await environmentOf(request);
      const where = { environment, pid: String(request.params.pid) };
      const versions = await orm.em.fork().find(ResourceVersionEntity, where, { orderBy: { id: 'desc' }, limit: 500 });
      if (versions.length === 0) throw notFound('There is no such resource');
      return ok(
        versions.map(({ resourceType, pid, code, version, content, updatedBy, updatedAt }) => ({
          resourceType,
          pid,
          code,
          version,
          content,
          deleted: content === null,
          updatedBy,
          updatedAt,
        })),
      );
    }),
  );
  router.all(`${BASE}/:pid/versions`, onlyMethods('GET'));
  return router;
}
