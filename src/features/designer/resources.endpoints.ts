import { containing } from '../../foundation/database/containing.ts';
import { presentResource } from './designer-commands.ts';
import { ADMIN_METADATA } from '../../platform/metadata/permissions/permission-codes.ts';
import {
  PID,
  described,
  text,
  nullable,
  TIME,
  named,
  object,
  MAP,
  list,
  BOOLEAN,
  parameters,
  VERSION,
} from '../../foundation/validation/schema.ts';
import { RESOURCE_TYPE } from '../../platform/metadata/resources/resource-type-names.ts';
import { boundedRead } from '../../foundation/database/entity-reads.ts';
import { type PlatformEntityManager, type PlatformOrm } from '../../foundation/database/orm.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { PAGING_QUERY, pageOf } from '../../foundation/http/paging.ts';
import { storable } from '../../foundation/validation/formats.ts';
import { ResourceEntity, ResourceVersionEntity } from '../../platform/metadata/resources/resource.entity.ts';
import { fileSchemaOf } from '../../platform/metadata/resources/file-schema.ts';
import type { ResourceTypes } from '../../platform/metadata/resources/resource-types.ts';
import { usernameOf, usernamesOf } from '../../platform/auth/accounts/usernames.ts';
import { notFound } from '../../foundation/errors/application-error.ts';
import { MAX_LISTED_VERSIONS } from './designer.limits.ts';

const BASE = '/api/meta/resources';
const access = [ADMIN_METADATA];
const tag = 'Configuration';

const ABOUT = {
  resourceType: RESOURCE_TYPE,
  pid: PID,
  code: text(),
  version: VERSION,
  updatedBy: nullable(text()),
  updatedByName: described('Null for a service account, and for the program itself', nullable(text())),
  updatedAt: TIME,
};
const RESOURCE = named('Resource', object({ ...ABOUT, content: MAP }));

/** The configuration of the request's environment, for designers. All need `admin:metadata`. */
export function resourceEndpoints(orm: PlatformOrm, types: ResourceTypes): readonly Endpoint[] {
  return [
    schemaEndpoint(types),
    endpoint({
      method: 'GET',
      path: BASE,
      access,
      tag,
      summary: 'Resources of the environment',
      query: parameters({
        ...PAGING_QUERY,
        resourceType: RESOURCE_TYPE,
        code: storable(),
        app: storable(),
        keyword: described('A part of the code or of the name', storable()),
      }),
      data: pageOf(RESOURCE),
      errors: ['CONFLICT'],
      async handle({ actor, query: { pageNum, pageSize, app, keyword, ...filter } }) {
        const ofApp = app === undefined ? {} : { content: { app } as object };
        const named = keyword === undefined ? {} : { $or: isNamed(keyword) };
        const where = { environment: actor.metadata.environment, ...filter, ...ofApp, ...named };
        const page = { limit: pageSize, offset: (pageNum - 1) * pageSize };
        const [resources, total] = await boundedRead(() =>
          orm.em.fork().findAndCount(ResourceEntity, where, { ...page, orderBy: { resourceType: 'asc', code: 'asc' } }),
        );
        return { records: await withNames(orm.em.fork(), resources), total, pageNum, pageSize };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid`,
      access,
      tag,
      summary: 'One resource',
      data: RESOURCE,
      async handle({ actor, params: { pid } }) {
        const { environment } = actor.metadata;
        const em = orm.em.fork();
        const found = await em.findOne(ResourceEntity, { environment, pid });
        if (!found) throw notFound('There is no such resource');
        return { ...presentResource(found), updatedByName: await usernameOf(em, found.updatedBy) };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid/versions`,
      access,
      tag,
      summary: 'All versions of a resource, the newest first',
      data: list(object({ ...ABOUT, content: nullable(MAP), deleted: BOOLEAN })),
      errors: ['CONFLICT'],
      async handle({ actor, params: { pid } }) {
        const where = { environment: actor.metadata.environment, pid };
        const options = { orderBy: { id: 'desc' }, limit: MAX_LISTED_VERSIONS } as const;
        const versions = await boundedRead(() => orm.em.fork().find(ResourceVersionEntity, where, options));
        if (versions.length === 0) throw notFound('There is no such resource');
        const named = await withNames(orm.em.fork(), versions);
        return named.map((version) => ({ ...version, deleted: version.content === null }));
      },
    }),
  ];
}

/** As they are shown, each with the name of who has saved it. */
async function withNames<One extends Parameters<typeof presentResource>[0]>(
  em: PlatformEntityManager,
  resources: readonly One[],
) {
  const nameOf = await usernamesOf(
    em,
    resources.map(({ updatedBy }) => updatedBy),
  );
  return resources.map((one) => ({ ...presentResource(one), updatedByName: nameOf(one.updatedBy) }));
}

/** By which people look for a resource. */
function isNamed(keyword: string): object[] {
  const contains = containing(keyword);
  return [{ code: contains }, { content: { name: contains } }];
}

function schemaEndpoint(types: ResourceTypes): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/meta/schemas/:type',
    access,
    tag,
    summary: 'JSON Schema of the files of a type, for editors, with the codes of the environment',
    params: { type: RESOURCE_TYPE },
    data: MAP,
    async handle({ actor: { metadata }, params: { type } }) {
      const known = types.find(type);
      if (!known) throw notFound('There is no such type of resources');
      return fileSchemaOf(known, (name) => {
        const named = types.find(name);
        return named ? metadata.all(named).keys() : [];
      });
    },
  });
}
