import { ulid } from 'ulid';
import { bootstrapAdmin } from '../../scripts/database/bootstrap-admin.ts';
import { AuditLog } from '../../src/platform/audit/audit-log.ts';
import { MembershipEntity } from '../../src/platform/auth/accounts/membership.entity.ts';
import { verifyPassword } from '../../src/platform/auth/accounts/password-hash.ts';
import { UserEntity } from '../../src/platform/auth/accounts/user.entity.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
import { createApplication, type Application } from '../../src/application.ts';
import { runSql } from '../support/platform.ts';

const EMAIL = 'Root@Test.example';
const PASSWORD = 'a password of the operator';

describe('the first administrator', () => {
  const database = `keelson_bootstrap_${ulid().toLowerCase()}`;
  let empty: Application;

  beforeAll(async () => {
    await runSql(`create database ${database}`);
    const url = new URL(readConfig().databaseUrl);
    url.pathname = `/${database}`;
    empty = await createApplication(readConfig({ ...process.env, DATABASE_URL: url.href, LOG_LEVEL: 'silent' }));
    await empty.orm.migrator.up();
  });
  afterAll(async () => {
    await empty.close();
    await runSql(`drop database ${database} with (force)`);
  });

  it('is not made with a password that breaks a rule', async () => {
    for (const password of ['short', EMAIL]) {
      await expect(bootstrapAdmin(empty.orm, { email: EMAIL, password })).rejects.toThrow('BOOTSTRAP_ADMIN_PASSWORD');
    }
    expect(await empty.orm.em.fork().count(UserEntity)).toBe(0);
  });

  it('is made once, however many nodes are set up at the same time, and audited', async () => {
    await Promise.all([1, 2, 3].map(() => bootstrapAdmin(empty.orm, { email: EMAIL, password: PASSWORD })));

    const users = await empty.orm.em.fork().findAll(UserEntity);
    expect(users).toMatchObject([{ email: EMAIL.toLowerCase(), username: 'Root', status: 'active' }]);
    expect(await verifyPassword(PASSWORD, users[0]?.passwordHash ?? null)).toBe(true);
    expect(await empty.orm.em.fork().findAll(MembershipEntity)).toMatchObject([{ roles: ['PLATFORM_ADMIN'] }]);
    const { records } = await new AuditLog(empty.orm).list({}, 1, 10);
    expect(records).toMatchObject([{ action: 'user.create', reason: 'the first administrator' }]);
  });

  it('is not made where there is any user: the variables are no way in', async () => {
    await bootstrapAdmin(empty.orm, { email: 'other@test.example', password: PASSWORD });
    await bootstrapAdmin(empty.orm, { email: EMAIL, password: 'quite another password' });

    const [user, ...others] = await empty.orm.em.fork().findAll(UserEntity);
    expect(others).toEqual([]);
    expect(await verifyPassword(PASSWORD, user?.passwordHash ?? null)).toBe(true);
  });
});
