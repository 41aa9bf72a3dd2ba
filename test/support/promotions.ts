import { ulid } from 'ulid';
import type { PageContent } from '../../src/platform/records/pages/page-content.ts';
import type { ModelContent } from '../../src/platform/metadata/models/model-content.ts';
import { ResourceEntity } from '../../src/platform/metadata/resources/resource.entity.ts';
import { lockEnvironment } from '../../src/platform/metadata/changes/resources.service.ts';
import { insertRecords } from '../../src/platform/records/seeding/insert-records.ts';
import { call, dataOf, type Answered } from './api.ts';
import { newModel, pageDraft, save, type TestModel } from './models.ts';
import { runSql } from './platform.ts';
import { container, newTenant, newUser, signedIn, type TestTenant, type TestUser } from './world.ts';
import type { EnvironmentCode } from '../../src/foundation/config/environments.ts';

export const ENVIRONMENT_IDS = { dev: 1, staging: 2, prod: 3 } as const;
/** The pids of the environments: the same in every installation. */
export const ENVIRONMENT_PIDS = {
  dev: '00000000000000000000000DEV',
  staging: '00000000000000000000STAG1N',
  prod: '0000000000000000000000PR0D',
} as const;

export interface Unit {
  resourceType: string;
  resourcePid: string;
  version?: number;
}

/** Somebody with the `admin:` codes, and what they do at the admin endpoints. */
export class Admin {
  readonly user: TestUser;
  readonly tenant: TestTenant;
  /** Another node than the shared one. */
  readonly #baseUrl: string | undefined;

  constructor(user: TestUser, tenant: TestTenant, baseUrl?: string) {
    this.user = user;
    this.tenant = tenant;
    this.#baseUrl = baseUrl;
  }

  at(baseUrl: string): Admin {
    return new Admin(this.user, this.tenant, baseUrl);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answered> {
    return call(`/api${path}`, { token: this.user.token, headers, ...(this.#baseUrl && { baseUrl: this.#baseUrl }) });
  }

  post(path: string, body: unknown = {}): Promise<Answered> {
    return call(`/api${path}`, { token: this.user.token, body, ...(this.#baseUrl && { baseUrl: this.#baseUrl }) });
  }

  patch(path: string, body: unknown): Promise<Answered> {
    return this.#send('PATCH', path, body);
  }

  put(path: string, body: unknown): Promise<Answered> {
    return this.#send('PUT', path, body);
  }

  delete(path: string): Promise<Answered> {
    return this.#send('DELETE', path);
  }

  #send(method: string, path: string, body?: unknown): Promise<Answered> {
    const node = this.#baseUrl && { baseUrl: this.#baseUrl };
    return call(`/api${path}`, { method, token: this.user.token, ...(body !== undefined && { body }), ...node });
  }

  create(units: readonly Unit[] | '*', target: EnvironmentCode = 'staging', source: EnvironmentCode = 'dev') {
    const ends = { sourceEnvId: ENVIRONMENT_IDS[source], targetEnvId: ENVIRONMENT_IDS[target] };
    return this.post('/admin/promotions', { ...ends, units });
  }

  promotion(pid: string): Promise<Answered> {
    return this.get(`/admin/promotions/${pid}`);
  }

  act(pid: string, action: string, body: unknown = {}): Promise<Answered> {
    return this.post(`/admin/promotions/${pid}/${action}`, body);
  }

  validate(pid: string, body: unknown = {}): Promise<Answered> {
    return this.act(pid, 'validate', body);
  }

  apply(pid: string, body: Record<string, unknown> = {}): Promise<Answered> {
    return this.act(pid, 'apply', { reason: 'a test', ...body });
  }

  /** Creates a promotion, and gives its pid. */
  async created(...args: Parameters<Admin['create']>): Promise<string> {
    return dataOf(await this.create(...args)).pid;
  }

  /** A validation that found something: the promotion stays a DRAFT without a plan. */
  async conflicting(pid: string, body: unknown = {}) {
    const promotion = dataOf(await this.validate(pid, body));
    expect(promotion).toMatchObject({ pid, status: 'DRAFT', plan: null });
    return promotion;
  }

  /** A promotion that was created and validated; gives its pid. */
  async validated(units: readonly Unit[], target: EnvironmentCode = 'staging', body: unknown = {}): Promise<string> {
    const pid = await this.created(units, target);
    expect(dataOf(await this.validate(pid, body))).toMatchObject({ status: 'VALIDATED' });
    return pid;
  }

  /**
   * A time for an apply, so far away that some more requests have ended by then: the slower the machine
   * answers now, the further.
   */
  async soon(pid: string): Promise<string> {
    const askedAt = Date.now();
    dataOf(await this.promotion(pid));
    return new Date(Date.now() + Math.max(4_000, 40 * (Date.now() - askedAt))).toISOString();
  }

  /** Create, validate, apply, where nobody else is needed; gives the promotion's pid. */
  async promote(units: readonly Unit[], target: EnvironmentCode = 'staging', body: unknown = {}): Promise<string> {
    const pid = await this.validated(units, target, body);
    expect(dataOf(await this.apply(pid))).toMatchObject({ status: 'APPLIED' });
    return pid;
  }
}

export async function newAdmin(tenant?: TestTenant): Promise<Admin> {
  const home = tenant ?? (await newTenant());
  return new Admin(await newUser(['PLATFORM_ADMIN'], home), home);
}

/** An admin for all tests of the file; empty until its hook runs. */
export function platformAdmin(): Admin {
  const { user, tenant } = signedIn('PLATFORM_ADMIN');
  return new Admin(user, tenant);
}

/** The body of a validate that says what to do about one conflict. */
export function choose(resourcePid: string, type: string, resolution: string) {
  return { resolutions: [{ resourcePid, type, resolution }] };
}

/** The conflicts of a promotion, shortened to what tests compare. */
export function conflictsOf(promotion: { conflicts: Record<string, unknown>[] }) {
  return promotion.conflicts
    .map(({ type, code, details, resolution }) => ({ type, code, details, resolution }))
    .sort((a, b) => (`${String(a.type)} ${String(a.code)}` < `${String(b.type)} ${String(b.code)}` ? -1 : 1));
}

export async function resourceIn(environment: EnvironmentCode, resourceType: string, code: string) {
  const { orm } = await container();
  return orm.em.fork().findOne(ResourceEntity, { environment, resourceType, code });
}

export async function unitOf(resourceType: string, code: string, environment: EnvironmentCode = 'dev'): Promise<Unit> {
  const found = await resourceIn(environment, resourceType, code);
  if (!found) throw new Error(`${environment} has no ${resourceType} ${code}`);
  return { resourceType, resourcePid: found.pid };
}

/** A model of the test's own in dev, with its page and its command, and their units. */
export interface PromotedModel extends TestModel {
  readonly model: Unit;
  readonly page: Unit;
  readonly units: Unit[];
}

export async function newUnits(fields: ModelContent['fields']): Promise<PromotedModel> {
  const made = await newModel({ fields });
  const model = await unitOf('MODEL', made.code);
  const page = await unitOf('PAGE_SCHEMA', made.code);
  return { ...made, model, page, units: [model, page, await unitOf('COMMAND', made.command)] };
}

/** The next version of a model's page: another name. */
export function renamePage(code: string, name: string, environment: EnvironmentCode = 'dev', columns = ['name']) {
  return save(environment, { ...pageDraft(code, code, []), content: { name, modelCode: code, columns } });
}

/** Takes a resource out of an environment, past its write policy. */
export async function removeFrom(environment: EnvironmentCode, resourceType: string, code: string) {
  const { orm, resources, snapshots } = await container();
  await orm.em.fork().transactional(async (em) => {
    const row = await lockEnvironment(em, environment);
    const known = await em.findOneOrFail(ResourceEntity, { environment, resourceType, code });
    await resources.deleteIn(em, row, known, null);
  });
  await snapshots.refresh(environment);
}

/** Puts records into a model's table in any environment, past the commands. */
export async function insertInto(
  environment: EnvironmentCode,
  tenant: TestTenant,
  modelCode: string,
  records: readonly Record<string, unknown>[],
): Promise<string[]> {
  const { database, snapshots } = await container();
  const model = (await snapshots.current(environment)).model(modelCode);
  const seeds = records.map((record) => ({ pid: ulid(), ...record }));
  await database.transaction((transaction) => insertRecords(transaction, model, tenant.id, 'a-test', seeds));
  return seeds.map(({ pid }) => pid);
}

/** The audit entries about something, the oldest first. */
export function auditOf(targetPid: string) {
  return runSql<{
    action: string;
    actor: { userPid: string };
    reason: string | null;
    environment: string;
    after: never;
  }>('select action, actor, reason, environment, after from platform.audit_entry where target_pid = $1 order by id', [
    targetPid,
  ]);
}

export async function actionsOn(targetPid: string): Promise<string[]> {
  return (await auditOf(targetPid)).map(({ action }) => action);
}

/** The contents that tests look into. */
interface Contents {
  readonly MODEL: ModelContent;
  readonly PAGE_SCHEMA: PageContent;
  readonly [resourceType: string]: object;
}

export async function contentIn<T extends string>(environment: EnvironmentCode, type: T, code: string) {
  return (await resourceIn(environment, type, code))?.content as Contents[T] | undefined;
}

/** The columns of a model's table in an environment: name -> type. */
export async function columnsIn(environment: EnvironmentCode, modelCode: string): Promise<Record<string, string>> {
  const columns = await runSql<{ name: string; type: string }>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end as type
     from pg_attribute a where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped`,
    [`${environment}.mt_${modelCode}`],
  );
  return Object.fromEntries(columns.map(({ name, type }) => [name, type]));
}
