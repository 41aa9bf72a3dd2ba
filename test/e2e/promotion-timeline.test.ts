import { dataOf, refusal } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { name } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { newUnits, type Admin, platformAdmin } from '../support/promotions.ts';

const [creator, second] = [platformAdmin(), platformAdmin()];

const timelineOf = async (pid: string) => dataOf(await creator.promotion(pid)).timeline as Record<string, unknown>[];
const by = ({ user }: Admin) => ({ userPid: user.pid, username: user.email });
const at = expect.stringMatching(/^\d{4}-.*Z$/) as string;

describe('the timeline of GET /api/admin/promotions/{pid}', () => {
  it('tells who did what, when and why, the oldest first, up to the rollback', async () => {
    const model = await newUnits([name]);
    const { pid } = dataOf(await creator.create([model.page], 'prod'));
    dataOf(await creator.validate(pid));
    dataOf(await creator.validate(pid, { autoInclude: true }));
    expect(refusal(await creator.apply(pid, { reason: 'alone' }))).toMatchObject({ code: 'FOUR_EYES_REQUIRED' });
    dataOf(await second.act(pid, 'approve', { comment: 'looks good' }));
    dataOf(await creator.apply(pid, { reason: 'release 7' }));
    const inverse = dataOf(await second.act(pid, 'rollback')).pid;
    dataOf(await second.validate(inverse));
    dataOf(await creator.apply(inverse, { reason: 'it was not so good' }));

    const entry = { at, reason: null, error: null };
    const planHash = expect.any(String) as string;
    expect(await timelineOf(pid)).toEqual([
      { ...entry, actor: by(creator), action: 'created', outcome: 'DRAFT' },
      { ...entry, actor: by(creator), action: 'validated', outcome: 'DRAFT', conflicts: 1, planHash: null },
      { ...entry, actor: by(creator), action: 'validated', outcome: 'VALIDATED', conflicts: 0, planHash },
      {
        ...entry,
        actor: by(creator),
        action: 'refused',
        request: 'apply',
        reason: 'alone',
        outcome: null,
        error: { code: 'FOUR_EYES_REQUIRED', message: expect.any(String), data: { missingApprovals: 1 } },
      },
      { ...entry, actor: by(second), action: 'approved', reason: 'looks good', outcome: 'VALIDATED', planHash },
      { ...entry, actor: by(creator), action: 'applied', reason: 'release 7', outcome: 'APPLIED', planHash },
      { ...entry, actor: by(second), action: 'rollback created', outcome: null, promotionPid: inverse },
      {
        ...entry,
        actor: by(creator),
        action: 'rolled back',
        reason: 'it was not so good',
        outcome: null,
        promotionPid: inverse,
      },
    ]);
  });

  it('tells of a scheduled apply, and why it failed when it was due', async () => {
    const model = await newUnits([name]);
    const pid = await creator.validated(model.units);
    const applyAt = await creator.soon(pid);
    dataOf(await creator.apply(pid, { applyAt, reason: 'tonight' }));
    await runSql(`create table staging.mt_${model.code} (id int)`);
    await until('the schedule is over', async () => dataOf(await creator.promotion(pid)).applyAt === null);

    expect((await timelineOf(pid)).slice(2)).toEqual([
      {
        at,
        actor: by(creator),
        action: 'apply scheduled',
        reason: 'tonight',
        outcome: 'VALIDATED',
        error: null,
        applyAt,
      },
      {
        at,
        actor: by(creator),
        action: 'apply failed',
        reason: 'tonight',
        outcome: 'DRAFT',
        error: { code: 'STALE_PLAN', message: expect.stringContaining('validate it again'), data: null },
      },
    ]);
  });

  it.each([
    ['reject', 'rejected', 'REJECTED'],
    ['cancel', 'cancelled', 'CANCELLED'],
  ])('tells of a %s', async (action, told, outcome) => {
    const { pid } = dataOf(await creator.create([(await newUnits([name])).model]));
    dataOf(await second.act(pid, action, { reason: 'not now' }));

    expect((await timelineOf(pid)).at(-1)).toMatchObject({
      action: told,
      actor: by(second),
      reason: 'not now',
      outcome,
    });
  });
});
