import { ulid } from 'ulid';
import { localized } from '../../src/foundation/i18n/text.ts';
import { execute, expectRefusal, dataOf, refusal } from '../support/api.ts';
import { Proxy, temporal, until } from '../support/faults.ts';
import { changeModel, name, size } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import { freePort, startProgram, type Program } from '../support/program.ts';
import { auditOf, newUnits, resourceIn, type PromotedModel, platformAdmin } from '../support/promotions.ts';

/*
 * Setup: an API node, and a worker in a process of its own, on a database of their own; the worker
 * reaches Redis through a proxy. Promotions to prod, so that two people are needed, with a soak. Timeline:
 * after the apply all goes well; or commands fail by a fault (their table lacks a column that the model has);
 * or the worker is killed with -9 while it watches and while it rolls back; or Redis is away; or prod moves
 * on. What this proves: a soak ends as PASSED, or with the target as it was before, once, by the inverse
 * promotion and in the name of the system; where it cannot, people are told and can.
 */

let redis: Proxy;
let worker: Program;
const workerSettings: Record<string, string> = { KEELSON_ROLES: 'worker' };
beforeAll(async () => {
  await startOwnNode('soak', { KEELSON_ROLES: 'api' });
  const url = new URL(process.env.REDIS_URL ?? '');
  redis = await Proxy.before(url.host);
  url.host = redis.address;
  Object.assign(workerSettings, { PORT: String(await freePort()), REDIS_URL: url.href });
  worker = await startProgram(workerSettings);
});
const [creator, second] = [platformAdmin(), platformAdmin()];
afterAll(async () => {
  await worker.stop('SIGKILL');
});

const promotionOf = async (pid: string) => dataOf(await creator.promotion(pid));
const versionInProd = async (code: string) => (await resourceIn('prod', 'MODEL', code))?.version;
interface SoakSeen {
  readonly until: string;
  readonly seen: { readonly away: readonly string[] } | null;
  readonly status: string;
  readonly rollbackPid: string | null;
  readonly reason: string | null;
}
const soakOf = async (pid: string) => {
  const [row] = await runSql<{ soak: SoakSeen }>('select soak from platform.promotion where pid = $1', [pid]);
  const soak = row?.soak as SoakSeen;
  return { ...soak, reason: soak.reason && String(localized(soak.reason)) };
};
const soakIs = (pid: string, ...statuses: string[]) =>
  until(`the soak is ${statuses.join(' or ')}`, async () => {
    const soak = await soakOf(pid);
    return statuses.includes(soak.status) ? soak : null;
  });

/** A model whose version 2, with a field `size`, is applied in prod with a soak. */
async function applied(soak: Record<string, unknown>): Promise<PromotedModel & { pid: string }> {
  const model = await newUnits([name]);
  dataOf(await second.apply(await creator.validated(model.units, 'prod')));
  await changeModel(model, { fields: [name, size] });
  const pid = await creator.validated([model.model], 'prod');
  dataOf(await second.act(pid, 'approve'));
  expect(dataOf(await creator.apply(pid, { reason: 'release 7', soak }))).toMatchObject({
    status: 'APPLIED',
    soak: { ...soak, status: expect.any(String), until: expect.any(String) },
  });
  expect(await versionInProd(model.code)).toBe(2);
  return { ...model, pid };
}

/** Events of commands in an environment that were put aside for longer than any test. */
async function postpone(environment: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const pid = ulid();
    await runSql(
      `insert into platform.event (pid, environment, tenant_id, event_type, command_code, model_code, execution_pid, body, trace_id, dispatch_failures, dispatch_after)
       values ($1, $2, 1, 'x', 'x', '', $1, '{}', 'x', 1, now() + interval '1 hour')`,
      [pid, environment],
    );
  }
}

/** Commands on the model in prod whose column is not there: a fault of the program. */
async function faults(model: PromotedModel, count: number): Promise<void> {
  await runSql(`alter table prod.mt_${model.code} drop column if exists size`);
  for (let n = 0; n < count; n += 1) {
    const body = { payload: { name: 'a', size: n } };
    const answer = await execute(creator.user.token, model.command, body, { headers: { 'X-Environment': 'prod' } });
    expectRefusal(answer, 'INTERNAL_ERROR');
  }
}

async function expectRolledBack(model: PromotedModel & { pid: string }, why: RegExp): Promise<void> {
  const { status, rollbackPid, reason } = await soakIs(model.pid, 'ROLLED_BACK');
  expect([status, reason]).toEqual(['ROLLED_BACK', expect.stringMatching(why)]);
  expect(await versionInProd(model.code)).toBe(1);
  const system = { userPid: 'system', username: 'system' };
  expect((await auditOf(String(rollbackPid))).map(({ action, actor }) => [action, actor])).toEqual(
    ['promotion.rollback', 'promotion.validate', 'promotion.apply'].map((action) => [action, system]),
  );
  const inverses = await runSql('select status from platform.promotion where rollback_of = $1', [model.pid]);
  expect(inverses).toEqual([{ status: 'APPLIED' }]);
  const { timeline, soak } = await until('an answer', () => promotionOf(model.pid));
  expect(soak).toMatchObject({ status: 'ROLLED_BACK', rollbackPid });
  const last = timeline.slice(-4) as { action: string; actor: unknown; reason: string; promotionPid?: string }[];
  expect(last.map(({ action, promotionPid }) => [action, promotionPid])).toEqual([
    ['applied', undefined],
    ['soak failed', rollbackPid],
    ['rollback created', rollbackPid],
    ['rolled back', rollbackPid],
  ]);
  expect(last.at(-1)).toMatchObject({ actor: system, reason: expect.stringMatching(why) });
  const handle = (await temporal()).workflow.getHandle(`promotion:${rollbackPid}`);
  await until('its workflow ends', async () => (await handle.describe()).status.name === 'COMPLETED');
  const { searchAttributes } = await handle.describe();
  expect(searchAttributes).toMatchObject({ targetEnv: ['prod'], promotionStatus: ['APPLIED'] });
}

describe('an apply with a soak', () => {
  it('passes when nothing goes wrong: the change stays, and the timeline says so', async () => {
    const { code, pid } = await applied({ seconds: 1 });

    await soakIs(pid, 'PASSED');

    expect(await versionInProd(code)).toBe(2);
    const { timeline, soak } = await promotionOf(pid);
    expect(soak).toMatchObject({ maxErrorRate: 0.05, minCommands: 5, rollbackPid: null, reason: null });
    expect(timeline.slice(-2)).toMatchObject([
      { action: 'applied', soak: { seconds: 1, maxErrorRate: 0.05, minCommands: 5 } },
      { action: 'soak passed', actor: { userPid: 'system' }, seen: { down: [], failed: 0 } },
    ]);
  });

  it('is rolled back by itself, four eyes or not, when too many commands fail by a fault', async () => {
    const model = await applied({ seconds: 60, maxErrorRate: 0.5, minCommands: 3 });

    await faults(model, 3);

    await expectRolledBack(model, /3 of 3 commands since the apply have failed \(100 %; allowed: 50 %\)/);
  });

  it('does not mind commands that were refused, nor faults from before the apply', async () => {
    const before = await newUnits([name, size]);
    dataOf(await second.apply(await creator.validated(before.units, 'prod')));
    await faults(before, 2);
    const model = await applied({ seconds: 2, maxErrorRate: 0, minCommands: 1 });

    const headers = { 'X-Environment': 'prod' };
    const wrong = { payload: { size: 'many' } };
    expect((await execute(creator.user.token, model.command, wrong, { headers })).status).toBe(400);
    const right = { payload: { name: 'a', size: 1 } };
    expect((await execute(creator.user.token, model.command, right, { headers })).status).toBe(200);

    await soakIs(model.pid, 'PASSED');
  });

  it('loses nothing when the worker is killed (-9) while it watches, and while it rolls back', async () => {
    const model = await applied({ seconds: 60, minCommands: 2, maxErrorRate: 0 });
    await faults(model, 2);
    await worker.stop('SIGKILL');
    worker = await startProgram(workerSettings);
    await soakIs(model.pid, 'ROLLING_BACK', 'ROLLED_BACK');
    await worker.stop('SIGKILL');
    worker = await startProgram(workerSettings);

    await expectRolledBack(model, /2 of 2 commands/);
  });

  it('waits while Redis is away, which is not its doing, and passes once it is back', async () => {
    const model = await applied({ seconds: 6 });
    redis.cut();
    await until('a look finds Redis away', async () => {
      const { seen } = await soakOf(model.pid);
      return seen?.away.includes('redis');
    });
    const { until: end } = await soakOf(model.pid);
    await until('its time is over', () => Date.now() > Date.parse(end) + 1_500);
    expect((await soakOf(model.pid)).status).toBe('WATCHING');

    await redis.restore();

    await soakIs(model.pid, 'PASSED');
    expect(await versionInProd(model.code)).toBe(2);
  });

  it('does not mind a worker with a full disk, nor events of others that were put aside', async () => {
    await worker.stop();
    worker = await startProgram({ ...workerSettings, DISK_MIN_FREE_MB: '1000000000' });
    await postpone('staging', 3);
    const model = await applied({ seconds: 2, minCommands: 1, maxErrorRate: 0 });

    await soakIs(model.pid, 'PASSED');
  });

  it('counts a command whose event cannot be matched as failed', async () => {
    const model = await applied({ seconds: 60, minCommands: 2, maxErrorRate: 0.4 });
    for (const name of ['a', 'b']) {
      const headers = { 'X-Environment': 'prod' };
      await execute(creator.user.token, model.command, { payload: { name } }, { headers });
    }

    await postpone('prod', 1);

    await expectRolledBack(model, /1 of 2 commands since the apply have failed/);
  });

  it('that cannot be rolled back says so, and leaves the rollback to two people', async () => {
    const model = await applied({ seconds: 60, minCommands: 1, maxErrorRate: 0 });
    await changeModel(model, { fields: [name, { ...size, name: 'Other' }] });
    dataOf(await second.apply(await creator.validated([model.model], 'prod')));
    await faults(model, 1);

    const { rollbackPid, reason } = await soakIs(model.pid, 'ROLLBACK_FAILED');
    expect(reason).toMatch(/1 of 1 commands.*; it could not be rolled back: /);
    expect(await versionInProd(model.code)).toBe(3);
    expect((await promotionOf(model.pid)).timeline.at(-1)).toMatchObject({
      action: 'soak rollback failed',
      promotionPid: rollbackPid,
    });
    const inverse = String(rollbackPid);
    expect(await promotionOf(inverse)).toMatchObject({ status: 'DRAFT', conflicts: [{ type: 'TARGET_NEWER' }] });
    const { resourcePid } = model.model;
    const resolutions = [{ resourcePid, type: 'TARGET_NEWER', resolution: 'use_source' }];
    dataOf(await creator.validate(inverse, { resolutions }));
    expect(refusal(await creator.apply(inverse, { consent: [resourcePid] }))).toMatchObject({
      status: 403,
      code: 'FOUR_EYES_REQUIRED',
    });
    dataOf(await second.apply(inverse, { consent: [resourcePid] }));
    expect(await versionInProd(model.code)).toBe(1);
    expect(await soakOf(model.pid)).toMatchObject({ status: 'ROLLED_BACK' });
  });

  it('has nothing to watch once people have rolled it back', async () => {
    const model = await applied({ seconds: 60 });
    const inverse = dataOf(await creator.act(model.pid, 'rollback')).pid;
    dataOf(await creator.validate(inverse));
    dataOf(await second.apply(inverse));

    expect(await soakOf(model.pid)).toMatchObject({ status: 'ROLLED_BACK', rollbackPid: inverse });
    const handle = (await temporal()).workflow.getHandle(`promotion:${model.pid}`);
    await until('its workflow ends', async () => (await handle.describe()).status.name === 'COMPLETED');
    expect(await runSql('select pid from platform.promotion where rollback_of = $1', [model.pid])).toEqual([
      { pid: inverse },
    ]);
  });
});

describe('the soak of an apply', () => {
  it.each<[what: string, soak: unknown, fields: string[]]>([
    ['no object', 60, ['soak']],
    ['null', null, ['soak']],
    ['no seconds', {}, ['soak.seconds']],
    ['too long', { seconds: 14_401 }, ['soak.seconds']],
    [
      'nonsense',
      { seconds: 1.5, maxErrorRate: 2, minCommands: 0, until: 'x' },
      ['soak.maxErrorRate', 'soak.minCommands', 'soak.seconds', 'soak.until'],
    ],
    ['texts', { seconds: '60', maxErrorRate: '0.1' }, ['soak.maxErrorRate', 'soak.seconds']],
  ])('is refused when it is %s', async (_what, soak, fields) => {
    const answer = await creator.apply('any', { soak });

    expect(refusal(answer)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(Object.keys(answer.body.data.fieldErrors).sort()).toEqual(fields);
  });
});
