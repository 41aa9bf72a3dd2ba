import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { LockMode } from '@mikro-orm/core';
import { createProfiles } from '../../src/platform/auth/accounts/profile.ts';
import { UserEntity } from '../../src/platform/auth/accounts/user.entity.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
import { createApplication } from '../../src/application.ts';
import { proxied, until } from '../support/faults.ts';
import { failureOf, runSql } from '../support/platform.ts';
import { container, newTenant, newUser } from '../support/world.ts';

/** How many connections wait for the lock that this one holds. */
async function waitingFor(backend: number): Promise<number> {
  const [row] = await runSql<{ count: number }>(
    'select count(*)::int as count from pg_stat_activity where $1 = any (pg_blocking_pids(pid))',
    [backend],
  );
  return row?.count ?? 0;
}

describe('a copy of a row in the shared store', () => {
  /**
   * Setup: a user whose copy is not there.
   * Timeline: a change locks the row, writes and removes the copy; a request asks for it; the change commits.
   * What this proves: who fills a copy in waits for the change, so no stale copy can come after it.
   */
  it('is filled in after a change that is under way, not before', async () => {
    const { orm, store } = await container();
    const profiles = createProfiles(orm, store);
    const user = await newUser(['SALES'], await newTenant());

    let asked: Promise<unknown> = Promise.resolve();
    await orm.em.fork().transactional(async (em) => {
      const row = await em.findOneOrFail(UserEntity, { id: user.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const [{ backend } = { backend: 0 }] = await sqlRunnerOf(em).query<{ backend: number }>(
        'select pg_backend_pid() as backend',
      );
      row.username = 'changed';
      await em.flush();
      await profiles.remove(user.pid);
      asked = profiles.resolve(user.pid, null);
      await until('the request waits', async () => (await waitingFor(backend)) === 1);
      expect(await store.pipeline([profiles.readCommand(user.pid)])).toEqual([null]);
    });

    expect(await asked).toMatchObject({ username: 'changed' });
    const [copy] = await store.pipeline([profiles.readCommand(user.pid)]);
    expect(JSON.parse(String(copy))).toMatchObject({ username: 'changed' });
  });

  it('is gone, and nothing is changed, when the change is undone', async () => {
    const { orm, store } = await container();
    const profiles = createProfiles(orm, store);
    const user = await newUser(['SALES'], await newTenant());
    await profiles.resolve(user.pid, null);

    const undone = orm.em.fork().transactional(async (em) => {
      const row = await em.findOneOrFail(UserEntity, { id: user.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      row.status = 'disabled';
      await em.flush();
      await profiles.remove(user.pid);
      throw new Error('undone');
    });

    await expect(undone).rejects.toThrow('undone');
    expect(await store.pipeline([profiles.readCommand(user.pid)])).toEqual([null]);
    expect(await profiles.resolve(user.pid, null)).toMatchObject({ active: true });
  });

  it('does not keep a request waiting for a Postgres that is silent: SERVICE_UNAVAILABLE', async () => {
    const { store } = await container();
    const user = await newUser(['SALES'], await newTenant());
    const { proxy, url } = await proxied(readConfig().databaseUrl);
    const behind = await createApplication(readConfig({ ...process.env, DATABASE_URL: url, LOG_LEVEL: 'silent' }));
    const profiles = createProfiles(behind.orm, store, 1_000);
    expect(await profiles.resolve(user.pid, null)).toMatchObject({ active: true });

    proxy.stall();

    expect(await failureOf(profiles.resolve(user.pid, null))).toEqual({
      code: 'SERVICE_UNAVAILABLE',
      data: { dependency: 'postgres' },
    });
    await proxy.restore();
    await until('it goes on', () => profiles.resolve(user.pid, null));
    await behind.close();
  });

  it('is never made of a row that is not there', async () => {
    const { orm, store } = await container();
    const profiles = createProfiles(orm, store);

    expect(await profiles.resolve('NOBODY', null)).toBeNull();

    expect(await store.pipeline([profiles.readCommand('NOBODY')])).toEqual([null]);
  });
});
