import { setTimeout } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { ulid } from 'ulid';
import { codeOfFailure } from '../../src/foundation/errors/temporal-failure.ts';
import {
  PROMOTION,
  PROMOTION_APPROVED,
  PROMOTION_REQUEST,
  promotionWorkflowId,
  type PromotionState,
} from '../../workflows/contracts.ts';
import { until } from '../support/faults.ts';
import { FINAL, outcomes, TRANSIENT, requests } from '../support/stubs.ts';
import { runWorkflow, startWorkflow, timerOf, useStubs } from '../support/workflows.ts';

const DRAFT: PromotionState = { status: 'DRAFT', applyAt: null, applyRequestPid: null };
const VALIDATED: PromotionState = { ...DRAFT, status: 'VALIDATED' };
const APPLIED: PromotionState = { ...DRAFT, status: 'APPLIED' };
const input = { promotionPid: 'promotion', expiresMs: 3_600_000 };
const { promotionPid } = input;

const ask = (handle: WorkflowHandle, requestPid: string): Promise<PromotionState> =>
  handle.executeUpdate<PromotionState, [unknown]>(PROMOTION_REQUEST, { updateId: requestPid, args: [{ requestPid }] });
describe('the workflow of a promotion', () => {
  it("carries out people's requests until one of them ends the promotion", async () => {
    const { handled, ...stubs } = requests({ validate: VALIDATED, apply: APPLIED });
    const handle = await startWorkflow(PROMOTION, input, stubs);

    expect(await ask(handle, 'validate')).toEqual(VALIDATED);
    expect(await ask(handle, 'apply')).toEqual(APPLIED);

    expect(await handle.result()).toBe('APPLIED');
    expect([...handled]).toEqual(['validate', 'apply']);
    expect((await handle.describe()).searchAttributes).toMatchObject({ promotionStatus: ['APPLIED'] });
  });

  it.each(['APPLIED', 'REJECTED', 'CANCELLED', 'EXPIRED'])('ends when the promotion is %s', async (status) => {
    const handle = await startWorkflow(PROMOTION, input, requests({ request: { ...DRAFT, status } }));

    await ask(handle, 'request');

    expect(await handle.result()).toBe(status);
  });

  it('carries out one request after the other', async () => {
    let open = 0;
    let mostOpen = 0;
    const handlePromotionRequest = async () => {
      mostOpen = Math.max(mostOpen, (open += 1));
      await setTimeout(20);
      open -= 1;
      return VALIDATED;
    };
    const handle = await startWorkflow(PROMOTION, input, { handlePromotionRequest });

    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((requestPid) => ask(handle, requestPid)));

    expect(mostOpen).toBe(1);
  });

  it('tells a person why a request was refused, and looks at what it has changed', async () => {
    const readPromotion = outcomes(VALIDATED);
    const stubs = { ...requests({ alone: FINAL, together: APPLIED }), readPromotion };
    const handle = await startWorkflow(PROMOTION, input, stubs);

    expect(await ask(handle, 'alone').catch(codeOfFailure)).toBe(FINAL.code);

    expect(readPromotion.calls).toContainEqual({ promotionPid });
    expect((await handle.describe()).status.name).toBe('RUNNING');
    expect(await ask(handle, 'together')).toEqual(APPLIED);
  });

  it('tries a request again while Postgres is away', async () => {
    const handlePromotionRequest = outcomes<PromotionState>(TRANSIENT, TRANSIENT, APPLIED);
    const handle = await startWorkflow(PROMOTION, input, { handlePromotionRequest });

    expect(await ask(handle, 'apply')).toEqual(APPLIED);

    const request = { promotionPid, requestPid: 'apply', due: false };
    expect(handlePromotionRequest.calls.slice(0, 3)).toEqual([request, request, request]);
  });

  it('looks at the row when somebody has approved', async () => {
    const readPromotion = outcomes({ ...DRAFT, status: 'CANCELLED' });
    const handle = await startWorkflow(PROMOTION, input, { readPromotion });

    await handle.signal(PROMOTION_APPROVED, { approvalPid: 'approval' });

    expect(await handle.result()).toBe('CANCELLED');
  });

  it.each([[undefined], [null], ['apply'], [{}], [{ requestPid: 7 }]])(
    'refuses an update that carries %j before it leaves a trace',
    async (argument) => {
      const handle = await startWorkflow(PROMOTION, input, {});

      const update = handle.executeUpdate<unknown, [unknown]>(PROMOTION_REQUEST, { args: [argument] });

      await expect(update).rejects.toMatchObject({ cause: { message: 'a request is named by its pid' } });
      const { events } = await handle.fetchHistory();
      expect(events?.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes)).toEqual([]);
    },
  );

  it('carries out at once what it was started with, and goes on after a refusal', async () => {
    const { handled, ...stubs } = requests({ validate: FINAL, apply: APPLIED });
    const readPromotion = outcomes(DRAFT);
    const requestPids = ['validate', 'apply'];

    expect(await runWorkflow(PROMOTION, { ...input, requestPids }, { ...stubs, readPromotion })).toBe('APPLIED');

    expect([...handled]).toEqual(requestPids);
  });
});

describe('a promotion that nobody applies', () => {
  it('expires when its time is over, and not before', async () => {
    const startedAt = Date.now();
    const expirePromotion = outcomes({ ...DRAFT, status: 'EXPIRED' });

    expect(await runWorkflow(PROMOTION, { promotionPid, expiresMs: 500 }, { expirePromotion })).toBe('EXPIRED');

    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(500);
    expect(expirePromotion.calls).toEqual([{ promotionPid }]);
  });

  it('is not expired by requests: its time goes on', async () => {
    const handle = await startWorkflow(PROMOTION, input, requests({ validate: VALIDATED }));

    await ask(handle, 'validate');

    const left = await timerOf(handle);
    expect(left).toBeGreaterThan(input.expiresMs - 30_000);
    expect(left).toBeLessThanOrEqual(input.expiresMs);
  });
});

describe('a scheduled apply', () => {
  const scheduled = (inMs: number): PromotionState => ({
    status: 'VALIDATED',
    applyAt: Date.now() + inMs,
    applyRequestPid: 'apply',
  });

  it('is carried out when it is due', async () => {
    const { handled, ...stubs } = requests({ apply: scheduled(300), 'apply due': APPLIED });
    const handle = await startWorkflow(PROMOTION, input, stubs);

    await ask(handle, 'apply');

    expect(await handle.result()).toBe('APPLIED');
    expect([...handled]).toEqual(['apply', 'apply due']);
  });

  it('that fails leaves the promotion to the next request', async () => {
    const readPromotion = outcomes(VALIDATED);
    const stubs = { ...requests({ apply: scheduled(300), 'apply due': FINAL, again: APPLIED }), readPromotion };
    const handle = await startWorkflow(PROMOTION, input, stubs);
    await ask(handle, 'apply');

    await until('it was due', () => readPromotion.calls.length > 0);

    expect((await handle.describe()).status.name).toBe('RUNNING');
    expect(await ask(handle, 'again')).toEqual(APPLIED);
  });

  it('is not carried out once a request has taken it back', async () => {
    const { handled, ...stubs } = requests({ apply: scheduled(600_000), cancel: { ...DRAFT, status: 'CANCELLED' } });
    const handle = await startWorkflow(PROMOTION, input, stubs);
    await ask(handle, 'apply');

    await ask(handle, 'cancel');

    expect(await handle.result()).toBe('CANCELLED');
    expect([...handled]).toEqual(['apply', 'cancel']);
  });
});

describe('a soak', () => {
  const soaking = (more: Partial<PromotionState> = {}): PromotionState => ({
    ...APPLIED,
    soak: { until: Date.now() + 60_000, everyMs: 20 },
    ...more,
  });
  const rollbackOf = (inverse: string) => ({
    promotionPid: inverse,
    requestPids: ['validate', 'apply'],
    targetEnv: 'prod',
    expiresMs: 3_600_000,
  });

  it('is looked at again and again until it is over', async () => {
    const watchPromotion = outcomes(soaking(), soaking(), APPLIED);
    const stubs = { ...requests({ apply: soaking() }), watchPromotion };

    expect(await runWorkflow(PROMOTION, { ...input, requestPids: ['apply'] }, stubs)).toBe('APPLIED');

    expect(watchPromotion.calls).toEqual([{ promotionPid }, { promotionPid }, { promotionPid }]);
  });

  it('that fails starts the inverse promotion, a workflow that outlives this one', async () => {
    const inverse = ulid();
    const workflowId = promotionWorkflowId(inverse);
    const { handled, ...stubs } = requests({ validate: VALIDATED, apply: APPLIED });
    useStubs(workflowId, stubs);
    const watchPromotion = outcomes({ ...APPLIED, rollback: rollbackOf(inverse) });
    const watched = { ...requests({ apply: soaking() }), watchPromotion };
    const handle = await startWorkflow(PROMOTION, { ...input, requestPids: ['apply'] }, watched);

    expect(await handle.result()).toBe('APPLIED');

    const child = handle.client.getHandle(workflowId);
    expect(await child.result()).toBe('APPLIED');
    expect([...handled]).toEqual(['validate', 'apply']);
    expect((await child.describe()).searchAttributes).toMatchObject({
      promotionPid: [inverse],
      targetEnv: ['prod'],
      promotionStatus: ['APPLIED'],
    });
  });

  it('that fails carries out the inverse itself when its workflow is there already', async () => {
    const inverse = ulid();
    await startWorkflow(PROMOTION, { ...input, promotionPid: inverse }, {}, promotionWorkflowId(inverse));
    const { handled, ...stubs } = requests({ soak: soaking(), validate: FINAL, apply: APPLIED });
    const watchPromotion = outcomes({ ...APPLIED, rollback: rollbackOf(inverse) });
    const watched = { ...input, requestPids: ['soak'] };

    expect(await runWorkflow(PROMOTION, watched, { ...stubs, watchPromotion })).toBe('APPLIED');

    expect([...handled]).toEqual(['soak', 'validate', 'apply']);
  });
});
