import { toRecordset } from '../../../foundation/database/columns.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';

/** One version that a resource has had, with its content. */
export interface StoredVersion {
  readonly resourceType: string;
  readonly pid: string;
  readonly code: string;
  readonly version: number;
  readonly content: object;
}

export interface Deletion {
  readonly deletedAt: Date;
  readonly deletedBy: string | null;
}

/**
 * Versions that resources have had in an environment, by pid; the latest of them where one had it twice.
 * @param isReplaced of the latest: whether the one before it is asked for
 */
export async function versionsOf(
  em: PlatformEntityManager,
  environment: string,
  wanted: readonly { readonly pid: string; readonly version: number }[],
  isReplaced?: (latest: StoredVersion) => boolean,
): Promise<ReadonlyMap<string, StoredVersion>> {
  if (wanted.length === 0) return new Map();
  const found = await sqlRunnerOf(em).query<StoredVersion>(
    `select v.resource_type, v.pid, v.code, v.version, v.content
     from jsonb_to_recordset($1::jsonb) as w (pid text, version int)
     cross join lateral (
       select * from platform.dsl_resource_version v
       where v.environment = $2 and v.pid = w.pid and v.version = w.version and v.content is not null
       order by v.id desc limit $3) v
     order by v.id desc`,
    [JSON.stringify(wanted.map(({ pid, version }) => ({ pid, version }))), environment, isReplaced ? 2 : 1],
  );
  const versions = new Map<string, StoredVersion>();
  for (const version of found) {
    const latest = versions.get(version.pid);
    if (!latest || isReplaced?.(latest)) versions.set(version.pid, version);
  }
  return versions;
}

/** Of these resources, those that an environment had and deleted, by pid. */
export async function deletionsOf(
  em: PlatformEntityManager,
  environment: string,
  pids: readonly string[],
): Promise<ReadonlyMap<string, Deletion>> {
  if (pids.length === 0) return new Map();
  const last = await sqlRunnerOf(em).query<{
    pid: string;
    deleted: boolean;
    updatedAt: string;
    updatedBy: string | null;
  }>(
    `select distinct on (v.pid) v.pid, v.content is null as deleted, v.updated_at, v.updated_by
     from unnest($1::text[]) as w (pid) join platform.dsl_resource_version v on v.pid = w.pid
     where v.environment = $2 order by v.pid, v.id desc`,
    [pids, environment],
  );
  return new Map(
    last
      .filter(({ deleted }) => deleted)
      .map(({ pid, updatedAt, updatedBy }) => [pid, { deletedAt: new Date(updatedAt), deletedBy: updatedBy }]),
  );
}

interface Name {
  readonly resourceType: string;
  readonly code: string;
}

/** A pid that a type and code have had, and its highest version in any environment. */
export interface KnownPid extends Name {
  readonly pid: string;
  readonly version: number;
}

/** The pids of resources: what the environment has or had, else what another one has. At most one by name. */
export async function pidsOf(
  em: PlatformEntityManager,
  environment: string,
  names: readonly Name[],
): Promise<readonly KnownPid[]> {
  if (names.length === 0) return [];
  return sqlRunnerOf(em).query<KnownPid>(
    `select distinct on (resource_type, code) resource_type, code, pid, version from (
       select v.resource_type, v.code, v.pid, max(v.version) as version,
         bool_or(v.environment = $1) as here, max(v.id) as last
       from jsonb_to_recordset($2::jsonb) as w (resource_type text, code text)
       join platform.dsl_resource_version v on v.resource_type = w.resource_type and v.code = w.code
       group by v.resource_type, v.code, v.pid) known
     order by resource_type, code, here desc, last desc`,
    [environment, namesAsJson(names)],
  );
}

/** What was last written of resources, such as their removal: by whom and when. */
export async function lastWritesOf(
  em: PlatformEntityManager,
  environment: string,
  names: readonly Name[],
): Promise<readonly (Name & { version: number; by: string | null; at: Date })[]> {
  if (names.length === 0) return [];
  const last = await sqlRunnerOf(em).query<Name & { version: number; updatedBy: string | null; updatedAt: string }>(
    `select distinct on (v.resource_type, v.code) v.resource_type, v.code, v.version, v.updated_by, v.updated_at
     from jsonb_to_recordset($1::jsonb) as w (resource_type text, code text)
     join platform.dsl_resource_version v on v.resource_type = w.resource_type and v.code = w.code
     where v.environment = $2 order by v.resource_type, v.code, v.id desc`,
    [namesAsJson(names), environment],
  );
  return last.map(({ resourceType, code, version, updatedBy: by, updatedAt }) => {
    return { resourceType, code, version, by, at: new Date(updatedAt) };
  });
}

function namesAsJson(names: readonly Name[]): string {
  return toRecordset(names.map(({ resourceType, code }) => ({ resourceType, code })));
}
