import { dataOf, refusal } from '../support/api.ts';
import { name } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import { auditOf, ENVIRONMENT_PIDS, newUnits, Admin, platformAdmin } from '../support/promotions.ts';
import { newUser } from '../support/world.ts';

const DEFAULT = { minApprovals: 1, expiresHours: 168, selfApprove: false, unlockApproval: true };

beforeAll(async () => {
  await startOwnNode('policies');
});
const [creator, second, third] = [platformAdmin(), platformAdmin(), platformAdmin()];
afterEach(async () => {
  await runSql(
    'update platform.environment set min_approvals = 1, expires_hours = 168, self_approve = false, pending_policy = null, locked = false',
  );
});

const change = (admin: Admin, environment: string, approvalPolicy: unknown, reason: unknown = 'a test') =>
  admin.patch(`/admin/environments/${environment}`, { approvalPolicy, reason });
const policyOf = async (code: string) =>
  dataOf(await creator.get('/admin/environments')).find((one: { code: string }) => one.code === code);
const lastAudit = async (code: keyof typeof ENVIRONMENT_PIDS) => (await auditOf(ENVIRONMENT_PIDS[code])).at(-1);

describe('PATCH /api/admin/environments/{pid or code}', () => {
  it.each(['prod', ENVIRONMENT_PIDS.prod])(
    'changes what it names of the approval policy, audited (%s)',
    async (path) => {
      const answer = await change(creator, path, { minApprovals: 2 }, 'two are better');

      expect(dataOf(answer)).toMatchObject({
        code: 'prod',
        approvalPolicy: { ...DEFAULT, minApprovals: 2 },
        pendingPolicy: null,
      });
      expect(await policyOf('prod')).toEqual(dataOf(answer));
      expect(await lastAudit('prod')).toMatchObject({
        action: 'environment.policy',
        actor: { userPid: creator.user.pid },
        reason: 'two are better',
        after: { ...DEFAULT, minApprovals: 2 },
      });
    },
  );

  it('changes nothing, and audits nothing, when it is so already', async () => {
    const before = await auditOf(ENVIRONMENT_PIDS.dev);

    const ofDev = { ...DEFAULT, unlockApproval: false };
    expect(dataOf(await change(creator, 'dev', ofDev))).toMatchObject({ approvalPolicy: ofDev });
    expect(await auditOf(ENVIRONMENT_PIDS.dev)).toEqual(before);
  });

  it.each<[what: string, body: unknown, fields: string[]]>([
    ['no reason', { approvalPolicy: { minApprovals: 2 } }, ['reason']],
    ['nothing', { reason: 'x' }, ['approvalPolicy']],
    ['nothing to change', { approvalPolicy: {}, reason: 'x' }, ['approvalPolicy']],
    ['a list', { approvalPolicy: [1], reason: 'x' }, ['approvalPolicy']],
    ['no approvals at all', { approvalPolicy: { minApprovals: 0 }, reason: 'x' }, ['approvalPolicy.minApprovals']],
    [
      'wrong types and unknown keys',
      { approvalPolicy: { expiresHours: 1.5, selfApprove: 'yes', people: 3 }, reason: 'x' },
      ['approvalPolicy.expiresHours', 'approvalPolicy.people', 'approvalPolicy.selfApprove'],
    ],
    ['the write policy', { approvalPolicy: { minApprovals: 2 }, writePolicy: 'open', reason: 'x' }, ['writePolicy']],
  ])('refuses %s', async (_what, body, fields) => {
    const answer = await creator.patch('/admin/environments/prod', body);

    expect(refusal(answer)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(Object.keys(answer.body.data.fieldErrors).sort()).toEqual(fields);
    expect(await policyOf('prod')).toMatchObject({ approvalPolicy: DEFAULT, pendingPolicy: null });
  });

  it('needs admin:environments, and an environment that is there', async () => {
    const clerk = new Admin(await newUser(['ADMIN'], creator.tenant), creator.tenant);
    expect(refusal(await change(clerk, 'prod', { minApprovals: 2 }))).toMatchObject({
      status: 403,
      data: { permission: 'admin:environments' },
    });
    expect(refusal(await change(creator, 'nowhere', { minApprovals: 2 }))).toMatchObject({ status: 404 });
  });
});

describe('a looser policy where four eyes are needed (prod; a locked environment)', () => {
  const looser = { selfApprove: true };

  it('waits for a second person, who asks for the same', async () => {
    const proposed = await change(creator, 'prod', looser, 'we are few');
    expect(proposed.status).toBe(202);
    expect(dataOf(proposed)).toMatchObject({
      approvalPolicy: DEFAULT,
      pendingPolicy: { approvalPolicy: { ...DEFAULT, ...looser }, proposedBy: creator.user.pid, reason: 'we are few' },
    });
    expect(await lastAudit('prod')).toMatchObject({ action: 'environment.policy.propose', reason: 'we are few' });

    const again = await change(creator, 'prod', looser);
    expect(again.status).toBe(202);
    expect(dataOf(again)).toMatchObject({ approvalPolicy: DEFAULT });

    const agreed = await change(second, 'prod', looser, 'I agree');
    expect(agreed.status).toBe(200);
    expect(dataOf(agreed)).toMatchObject({ approvalPolicy: { ...DEFAULT, ...looser }, pendingPolicy: null });
    expect(await lastAudit('prod')).toMatchObject({
      action: 'environment.policy',
      actor: { userPid: second.user.pid },
      reason: 'I agree',
      after: { ...DEFAULT, ...looser, proposedBy: creator.user.pid },
    });
  });

  it('is not agreed to by asking for another one, nor after a week', async () => {
    await change(creator, 'prod', { minApprovals: 3 });
    expect((await change(creator, 'prod', { minApprovals: 1 })).status).toBe(202);
    expect((await change(second, 'prod', { minApprovals: 2 })).status).toBe(202);
    expect(await policyOf('prod')).toMatchObject({ approvalPolicy: { minApprovals: 3 } });

    await runSql(
      `update platform.environment set pending_policy = jsonb_set(pending_policy::jsonb, '{proposedAt}', to_jsonb(now() - interval '8 days'))`,
    );
    expect((await change(creator, 'prod', { minApprovals: 2 })).status).toBe(202);
    expect((await change(third, 'prod', { minApprovals: 2 })).status).toBe(200);
  });

  it('is withdrawn by asking for the present one', async () => {
    await change(creator, 'prod', looser);

    expect(dataOf(await change(second, 'prod', DEFAULT, 'no'))).toMatchObject({ pendingPolicy: null });
    expect(await lastAudit('prod')).toMatchObject({ action: 'environment.policy.withdraw', reason: 'no' });
    expect((await change(second, 'prod', looser)).status).toBe(202);
  });

  it('needs one person alone where one person may apply', async () => {
    expect((await change(creator, 'staging', looser)).status).toBe(200);
    await change(creator, 'staging', { selfApprove: false });
    dataOf(await creator.post('/admin/environments/staging/lock', { reason: 'release' }));
    expect((await change(creator, 'staging', looser)).status).toBe(202);
  });
});

describe('a changed policy', () => {
  it('holds for promotions that wait to be applied', async () => {
    const model = await newUnits([name]);
    const pid = await creator.validated(model.units, 'prod');
    dataOf(await second.act(pid, 'approve'));
    await change(creator, 'prod', { minApprovals: 2 });

    expect(refusal(await creator.apply(pid))).toMatchObject({
      status: 403,
      code: 'FOUR_EYES_REQUIRED',
      data: { missingApprovals: 1 },
    });
    await change(creator, 'prod', { minApprovals: 1, selfApprove: true });
    expect(refusal(await creator.apply(pid))).toMatchObject({ code: 'FOUR_EYES_REQUIRED' });

    await change(third, 'prod', { minApprovals: 1, selfApprove: true });
    expect(dataOf(await creator.apply(pid))).toMatchObject({ status: 'APPLIED', appliedBy: creator.user.pid });
  });
});
