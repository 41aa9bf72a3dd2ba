import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';

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

/** Versions that resources have had in an environment, by pid; the latest of them where one had it twice. */
export async function versionsOf(
  em: PlatformEntityManager,
  environment: string,
  wanted: readonly { readonly pid: string; readonly version: number }[],
): Promise<ReadonlyMap<string, StoredVersion>> {
  if (wanted.length === 0) return new Map();
  const found = await em.execute<(Omit<StoredVersion, 'resourceType'> & { resource_type: string })[]>(
    `select distinct on (v.pid) v.resource_type, v.pid, v.code, v.version, v.content
     from jsonb_to_recordset(?::jsonb) as w (pid text, version int)
     join platform.dsl_resource_version v on v.pid = w.pid and v.version = w.version
     where v.environment = ? and v.content is not null order by v.pid, v.id desc`,
    [JSON.stringify(wanted.map(({ pid, version }) => ({ pid, version }))), environment],
  );
  return new Map(found.map(({ resource_type: resourceType, ...rest }) => [rest.pid, { resourceType, ...rest }]));
}

/** Of these resources, those that an environment had and deleted, by pid. */
export async function deletionsOf(
  em: PlatformEntityManager,
  environment: string,
  pids: readonly string[],
): Promise<ReadonlyMap<string, Deletion>> {
  if (pids.length === 0) return new Map();
  const last = await em.execute<{ pid: string; deleted: boolean; updated_at: Date; updated_by: string | null }[]>(
    `select distinct on (v.pid) v.pid, v.content is null as deleted, v.updated_at, v.updated_by
     from jsonb_array_elements_text(?::jsonb) as w (pid) join platform.dsl_resource_version v on v.pid = w.pid
     where v.environment = ? order by v.pid, v.id desc`,
    [JSON.stringify(pids), environment],
  );
  return new Map(
    last
      .filter(({ deleted }) => deleted)
      .map(({ pid, updated_at: at, updated_by: deletedBy }) => [pid, { deletedAt: new Date(at), deletedBy }]),
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
  const found = await em.execute<(Omit<KnownPid, 'resourceType'> & { resource_type: string })[]>(
    `select distinct on (resource_type, code) resource_type, code, pid, version from (
       select v.resource_type, v.code, v.pid, max(v.version) as version,
         bool_or(v.environment = ?) as here, max(v.id) as last
       from jsonb_to_recordset(?::jsonb) as w (resource_type text, code text)
       join platform.dsl_resource_version v on v.resource_type = w.resource_type and v.code = w.code
       group by v.resource_type, v.code, v.pid) known
     order by resource_type, code, here desc, last desc`,
    [environment, namesAsJson(names)],
  );
  return found.map(({ resource_type: resourceType, ...rest }) => ({ resourceType, ...rest }));
}

/** What was last written of resources, such as their removal: by whom and when. */
export async function lastWritesOf(
  em: PlatformEntityManager,
  environment: string,
  names: readonly Name[],
): Promise<readonly (Name & { version: number; by: string | null; at: Date })[]> {
  if (names.length === 0) return [];
  const last = await em.execute<
    { resource_type: string; code: string; version: number; updated_by: string | null; updated_at: Date }[]
  >(
    `select distinct on (v.resource_type, v.code) v.resource_type, v.code, v.version, v.updated_by, v.updated_at
     from jsonb_to_recordset(?::jsonb) as w (resource_type text, code text)
     join platform.dsl_resource_version v on v.resource_type = w.resource_type and v.code = w.code
     where v.environment = ? order by v.resource_type, v.code, v.id desc`,
    [namesAsJson(names), environment],
  );
  return last.map(({ resource_type: resourceType, code, version, updated_by: by, updated_at: at }) => {
    return { resourceType, code, version, by, at: new Date(at) };
  });
}

function namesAsJson(names: readonly Name[]): string {
  return JSON.stringify(names.map(({ resourceType, code }) => ({ resource_type: resourceType, code })));
}
