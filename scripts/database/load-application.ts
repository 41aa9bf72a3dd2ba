import { ulid } from 'ulid';
import { formatProblem, problemAt } from '../../cli/app/source-file.ts';
import {
  readApplication,
  requireNoProblems,
  type ApplicationFiles,
  type ResourceFile,
} from '../../cli/app/application-files.ts';
import { Failure } from '../../cli/outcome.mjs';
import type { Application } from '../../src/application.ts';
import { manifestOf, noteManifest } from '../../src/features/promotions/promotion/manifests.ts';
import { insertRecords } from '../../src/platform/records/seeding/insert-records.ts';
import { ApplicationError, type FieldErrors } from '../../src/foundation/errors/application-error.ts';
import type { PlatformOrm } from '../../src/foundation/database/orm.ts';
import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { UTC } from '../../src/foundation/time/time-zones.ts';
import { SYSTEM } from '../../src/platform/audit/audit-log.ts';
import { MembershipEntity } from '../../src/platform/auth/accounts/membership.entity.ts';
import { TenantEntity } from '../../src/platform/auth/accounts/tenant.entity.ts';
import { UserEntity } from '../../src/platform/auth/accounts/user.entity.ts';
import { hashPassword } from '../../src/platform/auth/accounts/password-hash.ts';
import { inApplication } from '../../src/platform/metadata/resources/common-content.ts';
import { ResourceEntity } from '../../src/platform/metadata/resources/resource.entity.ts';
import { PLATFORM_ADMIN } from '../../src/platform/metadata/permissions/permissions.ts';
import type { ResourceDraft } from '../../src/platform/metadata/changes/resources.service.ts';
import { readChecked } from '../../cli/app/checked-application.ts';
import { pidOfUser } from '../../cli/app/data-names.ts';
import type { Channel, InitialUsers, TenantWithId } from '../../cli/app/data-users.ts';

export const DEMO = new URL('../../demo/', import.meta.url).pathname;
const ENVIRONMENT = 'dev';

/**
 * Loads an application into `dev`: resources, tenants and users, records. Once it is there, a further call
 * changes nothing, so changes to its data and configuration stay.
 * @returns a line about what was loaded
 * @throws Failure with the file, line and column of each problem
 */
export async function loadApplication(program: Application, directory: string): Promise<string> {
  const { files, data } = await readChecked(directory);
  const { name } = files.manifest;
  const { users: initial, records } = data;
  if (await isLoaded(program, files, initial)) return `${name} is there already`;
  const drafts = draftsOf(files);
  await program.resources.save(ENVIRONMENT, drafts, null).catch((error: unknown) => {
    throw inFiles(error, files.resources);
  });
  const promoted = { name, manifest: manifestOf(drafts) };
  await program.orm.em.fork().transactional((em) => noteManifest(em, ENVIRONMENT, promoted, SYSTEM));
  const metadata = await program.snapshots.current(ENVIRONMENT);
  const tenants = await withIds(program.orm, initial.tenants);
  let count = 0;
  await program.database.transaction(async (transaction) => {
    for (const { file, tenant, modelCode, records: own } of records) {
      const { id = '0', timeZone } = tenants.find(({ key }) => key === tenant) ?? {};
      await insertRecords(transaction, metadata.model(modelCode), id, name, own, timeZone).catch(refusedIn(file));
      count += own.length;
    }
  });
  // The tenants come last: they mark the application as loaded.
  await createUsers(program, tenants, initial).catch(refusedIn(initial.file));
  await bindChannels(program, tenants, initial.channels).catch(refusedIn(initial.file));
  return `loaded ${name}: ${files.resources.length} resources, ${initial.users.length} users, ${count} records`;
}

/** The resources of an application, as `meta:save` takes them. */
export async function readDrafts(directory = DEMO): Promise<ResourceDraft[]> {
  const files = await readApplication(directory);
  requireNoProblems(files.problems);
  return draftsOf(files);
}

function draftsOf({ resources, manifest }: ApplicationFiles): ResourceDraft[] {
  return resources.map(({ resourceType, code, content }) =>
    inApplication({ resourceType, code, content }, manifest.name),
  );
}

/** Its first tenant marks an application; one without tenants is marked by its first resource. */
async function isLoaded({ orm }: Application, { resources }: ApplicationFiles, { tenants }: InitialUsers) {
  const em = orm.em.fork();
  const [tenant] = tenants;
  if (tenant) return (await em.count(TenantEntity, { name: tenant.name })) > 0;
  const [resource] = resources;
  if (!resource) return false;
  const { resourceType, code } = resource;
  return (await em.count(ResourceEntity, { environment: ENVIRONMENT, resourceType, code })) > 0;
}

/** A refusal of resources, told by file, line and column. */
function inFiles(error: unknown, resources: readonly ResourceFile[]): unknown {
  if (!(error instanceof ApplicationError) || error.code !== 'VALIDATION_ERROR') return error;
  const byName = new Map(resources.map((one) => [`${one.resourceType}/${one.code}`, one]));
  const lines = Object.entries((error.data?.fieldErrors ?? {}) as FieldErrors).map(([place, problem]) => {
    const [name = '', path = ''] = place.split(' ');
    // A single resource is not named.
    const file = byName.get(name) ?? (resources.length === 1 ? resources[0] : undefined);
    return file ? formatProblem(problemAt(file, path || name, `${path || name} ${String(problem)}`)) : place;
  });
  return new Failure(lines.join('\n'));
}

/** SQLSTATEs of values that do not fit: 22 data, 23 constraints. */
const VALUE_STATES = /^2[23]/;

/** For what the database or a service refuses of a file. @throws Failure with the file and the reason */
function refusedIn(file: string): (error: unknown) => never {
  return (error) => {
    const { code, detail, message } = error as { code?: unknown; detail?: unknown; message: string };
    const isOfValues = error instanceof ApplicationError || VALUE_STATES.test(String(code));
    if (!isOfValues) throw error;
    const fields = error instanceof ApplicationError ? ((error.data?.fieldErrors ?? {}) as FieldErrors) : {};
    const problems = Object.entries(fields).map(([field, problem]) => `${field} ${String(problem)}`);
    throw new Failure(`${file}: ${[message, ...(typeof detail === 'string' ? [detail] : []), ...problems].join('; ')}`);
  };
}

/** Ids come from the sequence where the file names none, or some that are taken. */
async function withIds(orm: PlatformOrm, tenants: InitialUsers['tenants']): Promise<TenantWithId[]> {
  const em = orm.em.fork();
  const next = async (): Promise<string> => {
    const [row] = await sqlRunnerOf(em).query<{ id: string }>(
      `select nextval(pg_get_serial_sequence('platform.tenant', 'id'))::text as id`,
    );
    return row?.id ?? '';
  };
  const wanted = tenants.flatMap(({ id }) => id ?? []);
  const areFree = (await em.count(TenantEntity, { id: { $in: wanted } })) === 0;
  const all: TenantWithId[] = [];
  for (const { id, name, timeZone = UTC } of tenants) {
    all.push({ id: id !== undefined && areFree ? id : await next(), name, timeZone, key: id ?? name });
  }
  return all;
}

async function createUsers(
  { orm, snapshots }: Application,
  tenants: readonly TenantWithId[],
  { users, password }: InitialUsers,
) {
  const passwordHash = await hashPassword(password);
  const announce = await orm.em.fork().transactional(async (em) => {
    const byKey = new Map(
      tenants.map(({ id, name, timeZone, key }) => [key, em.create(TenantEntity, { id, name, timeZone, pid: ulid() })]),
    );
    const tenantOf = (key: string) => byKey.get(key) ?? em.getReference(TenantEntity, key);
    for (const { email, username, defaultTenant, memberships } of users) {
      const account = { pid: pidOfUser(email), email, username, passwordHash };
      const user = em.create(UserEntity, { ...account, defaultTenant: tenantOf(defaultTenant) });
      for (const { tenant, roles } of memberships)
        em.create(MembershipEntity, { user, tenant: tenantOf(tenant), roles });
    }
    // Explicit ids do not advance the identity column; later tenants must not collide with these.
    await em.flush();
    await sqlRunnerOf(em).query(
      `select setval(pg_get_serial_sequence('platform.tenant', 'id'), (select max(id) from platform.tenant))`,
    );
    // Snapshots hold the time zones of tenants.
    return tenants.some(({ timeZone }) => timeZone !== UTC) ? snapshots.renewAll(em) : null;
  });
  await announce?.();
}

/** Binds channels of instant messages to their tenants. */
async function bindChannels(
  { orm, snapshots, bindings }: Application,
  tenants: TenantWithId[],
  channels: readonly Channel[],
): Promise<void> {
  const metadata = await snapshots.current(ENVIRONMENT);
  for (const { channel, tenant, user, ...request } of channels) {
    const { id, pid, username } = await orm.em.fork().findOneOrFail(UserEntity, { email: user });
    const tenantId = tenants.find(({ key }) => key === tenant)?.id ?? tenant;
    const roles = [PLATFORM_ADMIN];
    const whose = { userId: id, userPid: pid, username, tenantId, timeZone: metadata.timeZoneOf(tenantId), roles };
    await bindings.bind({ ...whose, permissions: metadata.permissionsOf(roles), metadata }, channel, request);
  }
}
