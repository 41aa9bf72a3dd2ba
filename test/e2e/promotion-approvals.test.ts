import { setTimeout as sleep } from 'node:timers/promises';
import { dataOf, refusal } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { changeModel, name, size } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import {
  actionsOn,
  auditOf,
  newUnits,
  renamePage,
  type PromotedModel,
  type Unit,
  platformAdmin,
} from '../support/promotions.ts';
import { pageName, renamedBy } from '../support/renamed-page.ts';

const [creator, second] = [platformAdmin(), platformAdmin()];

const statusOf = async (pid: string): Promise<string> => dataOf(await creator.promotion(pid)).status;
const renamed = (target?: 'staging' | 'prod') => renamedBy(creator, second, target);

describe('applyAt', () => {
  it('applies when it is due, also where others approve in between', async () => {
    const { code, page } = await renamed('prod');
    const pid = await creator.validated([page], 'prod');
    const applyAt = await creator.soon(pid);

    expect(dataOf(await creator.apply(pid, { applyAt }))).toMatchObject({ status: 'VALIDATED', applyAt });
    dataOf(await second.act(pid, 'approve'));
    expect(await pageName(code, 'prod')).toBe(code);

    await until('the promotion is applied', async () => (await statusOf(pid)) === 'APPLIED');
    const { appliedAt, appliedBy } = dataOf(await creator.promotion(pid));
    expect(appliedBy).toBe(creator.user.pid);
    expect(Date.parse(appliedAt)).toBeGreaterThanOrEqual(Date.parse(applyAt));
    expect(await pageName(code, 'prod')).toBe('renamed');
  });

  it('that is past applies now', async () => {
    const pid = await creator.validated([(await renamed()).page]);

    expect(dataOf(await creator.apply(pid, { applyAt: '2020-01-01T00:00:00Z' }))).toMatchObject({ status: 'APPLIED' });
  });

  it('is refused when it is due and nobody has agreed; the promotion says why and waits', async () => {
    const { code, page } = await renamed('prod');
    const pid = await creator.validated([page], 'prod');
    dataOf(await creator.apply(pid, { applyAt: await creator.soon(pid) }));

    const after = await until('the schedule is gone', async () => {
      const promotion = dataOf(await creator.promotion(pid));
      return promotion.applyAt === null && promotion;
    });

    expect(after).toMatchObject({ status: 'VALIDATED', failureReason: 'A second person must agree' });
    expect(await pageName(code, 'prod')).toBe(code);
  });

  it('ends with the plan it was given for, and with the promotion', async () => {
    const { code, page } = await renamed();
    const [first, other] = [await creator.validated([page]), await creator.validated([page])];
    const applyAt = await creator.soon(first);
    dataOf(await creator.apply(first, { applyAt }));
    dataOf(await creator.apply(other, { applyAt }));
    expect(dataOf(await second.act(other, 'cancel'))).toMatchObject({ status: 'CANCELLED', applyAt: null });
    await renamePage(code, 'renamed again');

    expect(dataOf(await second.validate(first))).toMatchObject({ status: 'VALIDATED', applyAt: null });

    await sleep(Date.parse(applyAt) - Date.now() + 500);
    expect([await statusOf(first), await statusOf(other)]).toEqual(['VALIDATED', 'CANCELLED']);
    expect(await pageName(code)).toBe(code);
  });
});

describe('four eyes, where the policy is locked_with_approval (prod)', () => {
  const refused = { status: 403, code: 'FOUR_EYES_REQUIRED' };
  let page: Unit;
  let pid: string;
  beforeEach(async () => {
    ({ page } = await renamed('prod'));
    pid = await creator.validated([page], 'prod');
  });

  it('the creator can neither approve nor apply alone', async () => {
    expect(refusal(await creator.act(pid, 'approve'))).toMatchObject(refused);
    expect(refusal(await creator.apply(pid))).toMatchObject({ ...refused, data: { missingApprovals: 1 } });

    expect(dataOf(await creator.promotion(pid))).toMatchObject({ status: 'VALIDATED', approvals: [] });
    expect(await actionsOn(pid)).toEqual(['promotion.create', 'promotion.validate']);
  });

  it('the creator applies what another has approved', async () => {
    const approved = dataOf(await second.act(pid, 'approve', { comment: 'looks good' }));
    expect(approved.approvals).toEqual([
      {
        pid: expect.any(String),
        userPid: second.user.pid,
        username: second.user.email,
        comment: 'looks good',
        valid: true,
        createdAt: expect.any(String),
      },
    ]);

    expect(dataOf(await creator.apply(pid))).toMatchObject({ status: 'APPLIED', appliedBy: creator.user.pid });
  });

  it('another who applies needs no approval beside', async () => {
    expect(dataOf(await second.apply(pid))).toMatchObject({ status: 'APPLIED', appliedBy: second.user.pid });
  });

  it('approving twice counts once', async () => {
    await second.act(pid, 'approve');
    expect(dataOf(await second.act(pid, 'approve')).approvals).toHaveLength(1);
  });

  it('an approval is void when the plan changes, and one of the same plan is not', async () => {
    await second.act(pid, 'approve');
    expect(dataOf(await creator.validate(pid)).approvals).toMatchObject([{ valid: true }]);
    const { code } = (
      await runSql<{ code: string }>('select code from platform.dsl_resource where pid = $1', [page.resourcePid])
    )[0] ?? { code: '' };
    await renamePage(code, 'something else');
    expect(refusal(await creator.apply(pid))).toMatchObject({ code: 'STALE_PLAN' });

    expect(dataOf(await creator.validate(pid)).approvals).toMatchObject([{ valid: false }]);
    expect(refusal(await creator.apply(pid))).toMatchObject(refused);
    expect(await pageName(code, 'prod')).toBe(code);
    await second.act(pid, 'approve');
    expect(dataOf(await creator.apply(pid))).toMatchObject({ status: 'APPLIED' });
  });

  it('only a validated promotion can be approved, with a comment that is a text', async () => {
    const draft = dataOf(await creator.create([page], 'prod')).pid;

    expect(refusal(await second.act(draft, 'approve'))).toMatchObject({ status: 409, code: 'PROMOTION_STATE' });
    for (const comment of [5, 'x'.repeat(2_001), '\ud800']) {
      expect(refusal(await second.act(pid, 'approve', { comment }))).toMatchObject({
        status: 400,
        data: { fieldErrors: { comment: expect.any(String) } },
      });
    }
  });
});

describe('where one person is enough (staging, unlocked)', () => {
  it('the creator applies alone', async () => {
    const pid = await creator.validated([(await renamed()).page]);

    expect(dataOf(await creator.apply(pid))).toMatchObject({ status: 'APPLIED', approvals: [] });
  });
});

describe('POST .../{pid}/reject and /cancel', () => {
  it.each([
    ['reject', 'REJECTED'],
    ['cancel', 'CANCELLED'],
  ])('%s ends a promotion: %s, and nothing more can be done with it', async (action, status) => {
    const pid = await creator.validated([(await newUnits([name])).model]);

    expect(dataOf(await second.act(pid, action, { reason: 'not now' }))).toMatchObject({ status });

    for (const more of ['validate', 'approve', 'reject', 'cancel', 'apply', 'rollback']) {
      expect(refusal(await second.act(pid, more, { reason: 'x' }))).toEqual({
        status: 409,
        code: 'PROMOTION_STATE',
        data: { status },
      });
    }
    expect((await auditOf(pid)).at(-1)).toMatchObject({ action: `promotion.${action}`, reason: 'not now' });
  });

  it('reject needs a reason, cancel does not', async () => {
    const pid = dataOf(await creator.create([(await newUnits([name])).model])).pid;

    expect(refusal(await second.act(pid, 'reject')).data).toEqual({ fieldErrors: { reason: 'is required' } });
    expect(dataOf(await second.act(pid, 'cancel'))).toMatchObject({ status: 'CANCELLED' });
  });
});

describe('a plan', () => {
  it('is stale once the source has changed: 409, a DRAFT again, and good after another validation', async () => {
    const { code, page } = await renamed();
    const pid = await creator.validated([page]);
    await renamePage(code, 'renamed again');

    expect(refusal(await creator.apply(pid))).toEqual({ status: 409, code: 'STALE_PLAN', data: null });

    expect(dataOf(await creator.promotion(pid))).toMatchObject({ status: 'DRAFT', plan: null, appliedAt: null });
    expect(await pageName(code)).toBe(code);
    expect(refusal(await creator.apply(pid))).toMatchObject({ status: 409, code: 'PROMOTION_STATE' });
    dataOf(await creator.validate(pid));
    dataOf(await creator.apply(pid));
    expect(await pageName(code)).toBe('renamed again');
  });

  it('is stale once the target has changed, in its metadata or in its table', async () => {
    const { code, page, model } = await renamed();
    const pid = await creator.validated([page]);
    await renamePage(code, 'by hand', 'staging');
    expect(refusal(await creator.apply(pid))).toMatchObject({ status: 409, code: 'STALE_PLAN' });

    await changeModel({ code } as PromotedModel, { fields: [name, size] });
    const wider = await creator.validated([model]);
    await runSql(`alter table staging.mt_${code} add column size integer`);
    expect(refusal(await creator.apply(wider))).toMatchObject({ status: 409, code: 'STALE_PLAN' });
  });

  it('is not stale because of other resources', async () => {
    const { page } = await renamed();
    const pid = await creator.validated([page]);
    const other = await newUnits([name]);
    await creator.promote(other.units);

    expect(dataOf(await creator.apply(pid))).toMatchObject({ status: 'APPLIED' });
  });
});
