import type { PlatformOrm } from '../../foundation/database/orm.ts';
import { notFound } from '../../foundation/errors/application-error.ts';
import { PAGING_QUERY, pageOf } from '../../foundation/http/paging.ts';
import { fromColumn } from '../../foundation/i18n/text.ts';
import {
  integer,
  named,
  nullable,
  object,
  oneOf,
  PID,
  text,
  TIME,
  parameters,
} from '../../foundation/validation/schema.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { buildProgress } from '../../platform/metadata/builds/build-progress.ts';
import {
  BUILD_STATUSES,
  TableBuildEntity,
  type TableBuild,
} from '../../platform/metadata/models/tables/table-build.entity.ts';
import { BUILD_KINDS } from '../../platform/metadata/models/tables/table-indexes.ts';
import { ADMIN_METADATA } from '../../platform/metadata/permissions/permission-codes.ts';

const BASE = '/api/meta/builds';
const access = [ADMIN_METADATA];
const tag = 'Configuration';

const BUILD = named(
  'TableBuild',
  object({
    pid: PID,
    modelCode: text(),
    fieldCode: text(),
    kind: oneOf(BUILD_KINDS),
    status: oneOf(BUILD_STATUSES),
    progress: nullable(object({ phase: text(), percent: nullable(integer(0, 100)) })),
    failure: nullable(text()),
    attempts: integer(0),
    statement: text(),
    createdAt: TIME,
    startedAt: nullable(TIME),
    finishedAt: nullable(TIME),
  }),
);

/** What is built for the large tables of the request's environment. */
export function buildEndpoints(orm: PlatformOrm): readonly Endpoint[] {
  const present = async (build: TableBuild) => {
    const { pid, modelCode, fieldCode, kind, status, attempts, statement, createdAt, startedAt, finishedAt } = build;
    const progress = status === 'BUILDING' ? await buildProgress(orm, build) : null;
    const failure = fromColumn(build.failure);
    const times = { createdAt, startedAt: startedAt ?? null, finishedAt: finishedAt ?? null };
    return { pid, modelCode, fieldCode, kind, status, progress, failure, attempts, statement, ...times };
  };
  return [
    endpoint({
      method: 'GET',
      path: BASE,
      access,
      tag,
      summary: 'Indexes and constraints of large tables, with the progress of their build',
      query: parameters({ ...PAGING_QUERY, status: oneOf(BUILD_STATUSES), modelCode: text() }),
      data: pageOf(BUILD),
      async handle({ actor, query: { pageNum, pageSize, ...filter } }) {
        const where = { environment: actor.metadata.environment, ...filter };
        const [builds, total] = await orm.em.fork().findAndCount(TableBuildEntity, where, {
          orderBy: { createdAt: 'desc', pid: 'desc' },
          limit: pageSize,
          offset: (pageNum - 1) * pageSize,
        });
        return { records: await Promise.all(builds.map(present)), total, pageNum, pageSize };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/:pid/retry`,
      access,
      tag,
      summary: 'Queue a failed build again',
      data: BUILD,
      async handle({ actor, params: { pid } }) {
        return orm.em.fork().transactional(async (em) => {
          const { environment } = actor.metadata;
          const build = await em.findOne(TableBuildEntity, { pid, environment });
          if (!build) throw notFound('There is no such build');
          if (build.status !== 'FAILED') return present(build);
          em.assign(build, { status: 'QUEUED', attempts: 0, failure: null, startedAt: null, finishedAt: null });
          await em.flush();
          return present(build);
        });
      },
    }),
  ];
}
