import { argon2Sync, randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { afterEachFile } from '../../scripts/testing/jest/after-each-file.cjs';
import { MembershipEntity } from '../../src/platform/auth/accounts/membership.entity.ts';
import { TenantEntity } from '../../src/platform/auth/accounts/tenant.entity.ts';
import { UserEntity } from '../../src/platform/auth/accounts/user.entity.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
import { allVariables } from '../../src/foundation/config/variables.ts';
import { createApplication, type Application } from '../../src/application.ts';
import { call } from './api.ts';
import { removeOwnResources } from './own-codes.ts';

export const PASSWORD = 'a-password-of-the-tests';
/** The least that the algorithm takes: a log-in with a hash of full strength costs 50 ms of a core. */
const PASSWORD_HASH = cheapHash(PASSWORD);

export interface TestTenant {
  readonly id: string;
  readonly name: string;
}

export interface TestUser {
  readonly id: string;
  readonly pid: string;
  readonly email: string;
  readonly token: string;
}

const settings = (): string => JSON.stringify(allVariables().map(({ name }) => process.env[name]));
/** Those of test files that change none. */
const SHARED_SETTINGS = settings();
/** Whether a worker of jest runs this: only such a one ends with something open. */
const isWorker = process.send !== undefined;

/** What files with the shared settings use one after the other: to make one takes longer than many a file. */
let shared: Promise<Application> | null = null;
/** That of a file with settings or a database of its own. */
let own: Promise<Application> | null = null;

/**
 * The program's parts in this process, for arranging and for looking behind the API. The HTTP tests talk to
 * another process: this container serves nothing.
 */
export function container(): Promise<Application> {
  if (own || settings() !== SHARED_SETTINGS) return (own ??= openContainer());
  shared ??= openContainer();
  shared.catch(() => (shared = null));
  return shared;
}

async function openContainer(): Promise<Application> {
  const made = await createApplication(readConfig({ ...process.env, LOG_LEVEL: 'silent' }));
  await made.open();
  return made;
}

afterEachFile(async () => {
  if (shared) await removeOwnResources(await shared);
  await (await own)?.close();
  own = null;
  if (isWorker) return;
  await (await shared)?.close();
  shared = null;
});

/** A tenant of the test's own: nothing another test does can be seen in it. */
export async function newTenant(): Promise<TestTenant> {
  const { orm } = await container();
  const em = orm.em.fork();
  const tenant = em.create(TenantEntity, { pid: ulid(), name: `Tenant ${ulid()}` });
  await em.flush();
  return { id: tenant.id, name: tenant.name };
}

/** A user with these roles in these tenants (the first is the default one), logged in. */
export async function newUser(roles: string[], ...tenants: TestTenant[]): Promise<TestUser> {
  const { orm } = await container();
  const email = `${ulid().toLowerCase()}@test.example`;
  const em = orm.em.fork();
  const [home] = tenants;
  if (!home) throw new Error('a user needs a tenant');
  const user = em.create(UserEntity, {
    pid: ulid(),
    email,
    username: email,
    passwordHash: PASSWORD_HASH,
    defaultTenant: em.getReference(TenantEntity, home.id),
  });
  for (const { id } of tenants) {
    em.create(MembershipEntity, { user, tenant: em.getReference(TenantEntity, id), roles });
  }
  await em.flush();
  const { body } = await call('/api/auth/login', { body: { email, password: PASSWORD } });
  if (body.code !== '0') throw new Error(`cannot log in: ${JSON.stringify(body)}`);
  return { id: user.id, pid: user.pid, email, token: body.data.jwt };
}

interface SignedIn {
  readonly tenant: TestTenant;
  readonly user: TestUser;
}

/** A tenant and a user with these roles, for all tests of the file; both are empty until its hooks run. */
export const signedIn = (...roles: string[]): SignedIn => signIn(beforeAll, roles);

/** As `signedIn`, others for each test. */
export const signedInForEach = (...roles: string[]): SignedIn => signIn(beforeEach, roles);

function signIn(before: typeof beforeAll, roles: string[]): SignedIn {
  const made = { tenant: {} as TestTenant, user: {} as TestUser };
  before(async () => {
    Object.assign(made.tenant, await newTenant());
    Object.assign(made.user, await newUser(roles, made.tenant));
  });
  return made;
}

function cheapHash(message: string): string {
  const nonce = randomBytes(16);
  const hash = argon2Sync('argon2id', { message, nonce, memory: 8, passes: 1, parallelism: 1, tagLength: 32 });
  const [salt, value] = [nonce, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${value}`;
}
