import { ulid } from 'ulid';
import { PROMOTION, PROMOTION_APPROVED, PROMOTION_REQUEST } from '../../workflows/contracts.ts';
import { dataOf, refusal } from '../support/api.ts';
import { temporal } from '../support/faults.ts';
import { name } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { container } from '../support/world.ts';
import { actionsOn, newUnits, resourceIn, type PromotedModel, platformAdmin } from '../support/promotions.ts';

/*
 * Setup: a validated promotion to prod, whose creator may not apply it alone.
 * Timeline: somebody who reaches Temporal, but has no session, sends it what the program sends.
 * What this proves: nothing that arrives through Temporal is believed; only rows that authenticated requests
 * wrote count.
 */

let model: PromotedModel;
let pid: string;
const [creator, second] = [platformAdmin(), platformAdmin()];
beforeEach(async () => {
  model = await newUnits([name]);
  pid = await creator.validated(model.units, 'prod');
});

const workflow = async (id = pid) => (await temporal()).workflow.getHandle(`promotion:${id}`);
const update = async (argument: unknown, id = pid) =>
  (await workflow(id)).executeUpdate<unknown, [unknown]>(PROMOTION_REQUEST, { args: [argument] });

async function requestOf(promotionPid: string, kind: string): Promise<string> {
  const [row] = await runSql<{ pid: string }>(
    'select pid from platform.promotion_request where promotion_pid = $1 and kind = $2 order by created_at desc limit 1',
    [promotionPid, kind],
  );
  return row?.pid ?? '';
}

/**
 * The promotion waits as before, prod is as before, the trail tells of nothing, and the workflow still works.
 */
async function expectNothingApplied(): Promise<void> {
  expect(dataOf(await creator.promotion(pid))).toMatchObject({ status: 'VALIDATED', approvals: [], appliedAt: null });
  expect(await resourceIn('prod', 'MODEL', model.code)).toBeNull();
  expect(await actionsOn(pid)).toEqual(['promotion.create', 'promotion.validate']);
  expect(refusal(await creator.apply(pid))).toMatchObject({ status: 403, code: 'FOUR_EYES_REQUIRED' });
  expect(dataOf(await second.apply(pid))).toMatchObject({ status: 'APPLIED' });
}

describe('a forged signal', () => {
  it.each([[{ approvalPid: ulid() }], [null], ['approved'], [{ status: 'APPLIED' }]])(
    '%j is no approval',
    async (argument) => {
      await (await workflow()).signal<[unknown]>(PROMOTION_APPROVED, argument);

      await expectNothingApplied();
    },
  );
});

describe('a forged update', () => {
  it('that names a request which nobody made is refused', async () => {
    await expect(update({ requestPid: ulid() })).rejects.toMatchObject({ cause: { type: 'NOT_FOUND' } });

    await expectNothingApplied();
  });

  it.each([[undefined], [null], ['x'], [{}], [{ requestPid: null }], [{ requestPid: { $ne: null } }]])(
    'that carries %j is refused and does not hold the workflow up',
    async (argument) => {
      await expect(update(argument)).rejects.toThrow();

      await expectNothingApplied();
    },
  );

  it('that names the apply of another promotion does not apply this one', async () => {
    const other = await newUnits([name]);
    const applied = await creator.promote(other.units);
    const request = await requestOf(applied, 'apply');

    await expect(update({ requestPid: request })).rejects.toMatchObject({ cause: { type: 'NOT_FOUND' } });

    await expectNothingApplied();
  });

  it('that repeats an apply which was refused is refused again, whatever has been approved since', async () => {
    expect(refusal(await creator.apply(pid))).toMatchObject({ code: 'FOUR_EYES_REQUIRED' });
    dataOf(await second.act(pid, 'approve'));

    const again = update({ requestPid: await requestOf(pid, 'apply') });

    await expect(again).rejects.toMatchObject({ cause: { type: 'FOUR_EYES_REQUIRED' } });
    expect(dataOf(await creator.promotion(pid))).toMatchObject({ status: 'VALIDATED' });
    expect(await resourceIn('prod', 'MODEL', model.code)).toBeNull();
  });

  it('that repeats a scheduled apply does not make it due', async () => {
    const applyAt = new Date(Date.now() + 3_600_000).toISOString();
    dataOf(await second.apply(pid, { applyAt }));

    await update({ requestPid: await requestOf(pid, 'apply') });

    expect(dataOf(await creator.promotion(pid))).toMatchObject({ status: 'VALIDATED', applyAt });
    expect(await resourceIn('prod', 'MODEL', model.code)).toBeNull();
  });
});

describe('a forged workflow', () => {
  it('for a promotion that is there can do no more than its own', async () => {
    const workflowId = `forged:${ulid()}`;
    const client = (await temporal()).workflow;
    const handle = await client.start(PROMOTION, {
      workflowId,
      taskQueue: (await container()).temporal.taskQueue,
      args: [{ promotionPid: pid, expiresMs: 60_000 }],
    });

    const forged = handle.executeUpdate<unknown, [unknown]>(PROMOTION_REQUEST, { args: [{ requestPid: ulid() }] });

    await expect(forged).rejects.toMatchObject({ cause: { type: 'NOT_FOUND' } });
    await handle.signal<[unknown]>(PROMOTION_APPROVED, { approvalPid: ulid() });
    await expectNothingApplied();
    await handle.terminate();
  });
});
