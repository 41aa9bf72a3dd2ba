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
