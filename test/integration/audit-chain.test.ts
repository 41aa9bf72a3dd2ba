import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { appendAudit } from '../../src/platform/audit/audit-log.ts';
import { dataOf } from '../support/api.ts';
import { startOwnNode } from '../support/own-node.ts';
import { failureOf, runSql } from '../support/platform.ts';
import { platformAdmin } from '../support/promotions.ts';
import { container } from '../support/world.ts';

beforeAll(async () => {
  await startOwnNode('audit');
});
const admin = platformAdmin();

/** Appends an entry, in a transaction of its own. */
async function append(reason: string, after: unknown = null): Promise<void> {
  const { orm } = await container();
  const actor = { userPid: 'u', username: 'u' };
  const target = { targetType: 'environment', targetPid: 'chain', environment: 'dev' } as const;
  await orm.em
    .fork()
    .transactional((em) => appendAudit(em, { actor, action: 'environment.export', ...target, reason, after }));
}

const verify = async () => dataOf(await admin.get('/admin/audit/verify'));
const entries = () =>
  runSql<{ id: string; pid: string }>('select e.id, e.pid from platform.audit_entry e order by e.id');

/** What somebody with the superuser's rights does behind the trigger's back. */
async function behindTheTrigger(sql: string, values: unknown[] = []): Promise<void> {
  const { orm } = await container();
  await orm.em.fork().transactional(async (em) => {
    const runner = sqlRunnerOf(em);
    await runner.query('alter table platform.audit_entry disable trigger all');
    await runner.query(sql, values);
    await runner.query('alter table platform.audit_entry enable trigger all');
  });
}

describe('the audit trail', () => {
  it.each([
    'update platform.audit_entry set reason = null',
    'delete from platform.audit_entry',
    'truncate platform.audit_entry',
  ])('is append-only: %s is refused', async (sql) => {
    await append('kept');

    expect(await failureOf(runSql(sql))).toMatchObject({ code: '42501' });
  });

  it('is one chain, however many write at once', async () => {
    const before = (await entries()).length;

    await Promise.all(Array.from({ length: 20 }, (_, n) => append(`at once ${n}`)));

    expect((await entries()).length).toBe(before + 20);
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('has no entry of a transaction that was rolled back, and no gap either', async () => {
    const { orm } = await container();
    const undone = orm.em.fork().transactional(async (em) => {
      const actor = { userPid: 'u', username: 'u' };
      const target = { targetType: 'environment', targetPid: 'undone', environment: null } as const;
      await appendAudit(em, { actor, action: 'environment.export', ...target });
      throw new Error('rolled back');
    });
    await expect(undone).rejects.toThrow('rolled back');
    await append('next');

    expect(await runSql(`select 1 from platform.audit_entry where target_pid = 'undone'`)).toEqual([]);
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('verifies whatever JSON it holds', async () => {
    await append("it's \\ \u2028 ä 😀 \t", {
      b: [1.5, -0, 1e21, 1e-7, null, true, ''],
      a: { z: {}, ä: [], 10: 1, 9: 2 },
      at: new Date(),
      gone: undefined,
      text: '\ud83d\ude00 \\u0000',
    });

    expect(await verify()).toMatchObject({ ok: true });
  });

  it.each([
    ['a changed reason', `update platform.audit_entry set reason = 'never said' where id = $1`, 0],
    ['another actor', `update platform.audit_entry set actor = '{"userPid":"x","username":"x"}' where id = $1`, 0],
    ['another time', `update platform.audit_entry set at = at + interval '1 ms' where id = $1`, 0],
    ['changed details', `update platform.audit_entry set after = '{"a":2}' where id = $1`, 0],
    ['an entry that is gone', 'delete from platform.audit_entry where id = $1', 1],
  ])('tells of %s, even if done behind the trigger: verify says where', async (_what, sql, brokenAfter) => {
    for (const reason of ['one', 'two', 'three']) await append(reason, { a: 1 });
    const all = await entries();
    const victim = all.at(-2);
    await behindTheTrigger('create table platform.kept as select * from platform.audit_entry');

    await behindTheTrigger(sql, [victim?.id]);

    const expected = all.at(-2 + brokenAfter)?.pid;
    expect(await verify()).toEqual({ ok: false, entries: all.length - 2, brokenAt: expected });
    await behindTheTrigger('delete from platform.audit_entry');
    await behindTheTrigger('insert into platform.audit_entry select * from platform.kept order by id');
    await behindTheTrigger('drop table platform.kept');
    expect(await verify()).toMatchObject({ ok: true, entries: all.length });
  });
});
