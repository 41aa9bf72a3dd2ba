import { EnvironmentEntity } from '../../src/platform/metadata/environments/environment.entity.ts';
import { PromotionEntity } from '../../src/features/promotions/promotion/promotion.entity.ts';
import { startPromotionWorkflow } from '../../src/features/promotions/intake/promotion-workflows.ts';
import { TemporalGateway } from '../../src/foundation/temporal/temporal-gateway.ts';
import { dataOf, refusal } from '../support/api.ts';
import { temporal, until } from '../support/faults.ts';
import { name } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { auditOf, newUnits, platformAdmin } from '../support/promotions.ts';
import { container } from '../support/world.ts';

/*
 * Setup: a validated promotion that nobody applies. It was created 168 hours ago, less some seconds: its row
 * says so. Timeline: its workflow is lost (terminated), and started again by the next request, with the time
 * that was left; then nobody asks for anything. What this proves: a promotion expires `expiresHours` after
 * its creation, whatever happens to its workflow, and nothing more can be done with it.
 */

const LEFT_MS = 8_000;

const [creator, second] = [platformAdmin(), platformAdmin()];

/** A validated promotion to prod that expires in some seconds; gives its pid. */
async function expiring(): Promise<string> {
  const pid = await creator.validated((await newUnits([name])).units, 'prod');
  await runSql(
    `update platform.promotion set created_at = now() - interval '168 hours' + make_interval(secs => $1) where pid = $2`,
    [LEFT_MS / 1_000, pid],
  );
  await (await temporal()).workflow.getHandle(`promotion:${pid}`).terminate('a test');
  expect(dataOf(await creator.validate(pid))).toMatchObject({ status: 'VALIDATED' });
  return pid;
}

describe('a promotion that nobody applies in time', () => {
  let pid: string;
  let asked: number;
  beforeAll(async () => {
    asked = Date.now();
    pid = await expiring();
    await until('it is expired', async () => dataOf(await creator.promotion(pid)).status === 'EXPIRED');
  });

  it('is EXPIRED, not earlier than its time, and tells so in its timeline and in the audit trail', async () => {
    expect(Date.now() - asked).toBeGreaterThanOrEqual(LEFT_MS - 500);
    const system = { userPid: 'system', username: 'system' };
    expect(dataOf(await creator.promotion(pid)).timeline.at(-1)).toMatchObject({
      action: 'expired',
      outcome: 'EXPIRED',
      actor: system,
      reason: null,
      error: null,
    });
    expect((await auditOf(pid)).at(-1)).toMatchObject({ action: 'promotion.expire', actor: system });
  });

  it('refuses whatever is asked of it: 409 PROMOTION_STATE', async () => {
    for (const action of ['validate', 'approve', 'apply', 'reject', 'cancel', 'rollback']) {
      expect(refusal(await second.act(pid, action, { reason: 'too late' }))).toEqual({
        status: 409,
        code: 'PROMOTION_STATE',
        data: { status: 'EXPIRED' },
      });
    }
  });

  it('has a workflow that has come to its end, found by its status', async () => {
    const handle = (await temporal()).workflow.getHandle(`promotion:${pid}`);

    const described = await until('it has ended', async () => {
      const now = await handle.describe();
      return now.status.name === 'COMPLETED' ? now : null;
    });

    expect(described.searchAttributes).toMatchObject({ promotionStatus: ['EXPIRED'] });
  });
});

/** Setup: a promotion, whose workflow was started by whoever looks for missing ones. */
describe('the workflow of a promotion', () => {
  it('is there once, whoever starts it first', async () => {
    const { pid } = dataOf(await creator.create((await newUnits([name])).units));
    const { orm, config, logger, temporal: shared } = await container();
    const { namespace } = config.temporal;
    const gateway = new TemporalGateway({ namespace, taskQueue: shared.taskQueue, eager: false }, logger);
    await gateway.connect(async () => (await temporal()).connection);
    const em = orm.em.fork();
    const promotion = await em.findOneOrFail(PromotionEntity, { pid });
    const target = await em.findOneOrFail(EnvironmentEntity, { id: promotion.targetEnvId });

    await startPromotionWorkflow(gateway, promotion, target);

    expect(dataOf(await creator.promotion(pid)).status).toBe('DRAFT');
  });
});
