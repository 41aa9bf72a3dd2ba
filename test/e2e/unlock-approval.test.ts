import { name } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import { auditOf, ENVIRONMENT_PIDS, newUnits, type Admin, platformAdmin } from '../support/promotions.ts';
import { newKey } from '../support/keys.ts';
import { call, dataOf, refusal } from '../support/api.ts';

beforeAll(async () => {
  await startOwnNode('unlocks');
});
const [creator, second] = [platformAdmin(), platformAdmin()];
afterEach(async () => {
  await runSql('update platform.environment set locked = false, pending_unlock = null, unlock_approval = (id > 1)');
  await runSql(`update platform.promotion set status = 'CANCELLED' where status <> 'APPLIED'`);
});

const lock = (admin: Admin, environment = 'staging') =>
  admin.post(`/admin/environments/${environment}/lock`, { reason: 'release' });
const unlock = (admin: Admin, environment = 'staging', reason = 'a test') =>
  admin.post(`/admin/environments/${environment}/unlock`, { reason });

describe('POST /api/admin/environments/{pid}/unlock while a promotion into it is open', () => {
  it('takes a second person, who asks for the same', async () => {
    const model = await newUnits([name]);
    dataOf(await lock(creator));
    const pid = await creator.validated(model.units);

    for (const reason of ['first', 'again']) {
      const proposed = await unlock(creator, 'staging', reason);
      expect(proposed).toMatchObject({ status: 202, body: { message: 'waiting for a second person' } });
      expect(dataOf(proposed)).toMatchObject({
        code: 'staging',
        locked: true,
        pendingUnlock: { proposedBy: creator.user.pid, proposedByName: creator.user.email, reason },
      });
    }
    expect(refusal(await creator.apply(pid))).toMatchObject({ code: 'FOUR_EYES_REQUIRED' });

    const agreed = await unlock(second, 'staging', 'I agree');

    expect(agreed.status).toBe(200);
    expect(dataOf(agreed)).toMatchObject({ locked: false, lockReason: null, pendingUnlock: null });
    expect((await auditOf(ENVIRONMENT_PIDS.staging)).slice(-3)).toMatchObject([
      { action: 'environment.unlock.propose', actor: { userPid: creator.user.pid }, reason: 'first' },
      { action: 'environment.unlock.propose', reason: 'again' },
      { action: 'environment.unlock', actor: { userPid: second.user.pid }, after: { proposedBy: creator.user.pid } },
    ]);
    expect(dataOf(await creator.apply(pid))).toMatchObject({ status: 'APPLIED' });
  });

  it('is not agreed to by a program of the same person, nor after a week, nor after it was locked anew', async () => {
    await creator.create((await newUnits([name])).units);
    dataOf(await lock(creator));
    expect((await unlock(creator)).status).toBe(202);
    const { key } = await newKey({ ...creator.user }, ['admin:environments']);
    const byProgram = await call('/api/admin/environments/staging/unlock', { token: key, body: { reason: 'x' } });
    expect(byProgram.status).toBe(202);

    await runSql(
      `update platform.environment set pending_unlock = jsonb_set(pending_unlock::jsonb, '{proposedAt}', to_jsonb(now() - interval '8 days')) where pending_unlock is not null`,
    );
    expect((await unlock(second)).status).toBe(202);
    expect((await unlock(creator)).status).toBe(200);
    dataOf(await lock(second));
    expect((await unlock(creator)).status).toBe(202);
  });

  it('takes one person where none is open, and where the policy says so', async () => {
    dataOf(await lock(creator, 'prod'));
    expect(dataOf(await unlock(creator, 'prod'))).toMatchObject({ locked: false, pendingUnlock: null });

    await creator.create((await newUnits([name])).units, 'prod');
    dataOf(await lock(creator, 'prod'));
    const body = { approvalPolicy: { unlockApproval: false }, reason: 'we are few' };
    expect((await creator.patch('/admin/environments/prod', body)).status).toBe(202);
    expect((await unlock(creator, 'prod')).status).toBe(202);
    expect((await second.patch('/admin/environments/prod', body)).status).toBe(200);
    expect((await unlock(creator, 'prod')).status).toBe(200);
  });

  it('is the policy of staging and prod, not of dev', async () => {
    const environments = dataOf(await creator.get('/admin/environments'));
    expect(
      environments.map(({ code, approvalPolicy }: { code: string; approvalPolicy: { unlockApproval: boolean } }) => [
        code,
        approvalPolicy.unlockApproval,
      ]),
    ).toEqual([
      ['dev', false],
      ['staging', true],
      ['prod', true],
    ]);
  });
});
