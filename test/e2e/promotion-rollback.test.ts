import { list, dataOf, refusal } from '../support/api.ts';
import { temporal, until } from '../support/faults.ts';
import { changeModel, insert, newRole, name, size } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import {
  actionsOn,
  auditOf,
  ENVIRONMENT_IDS,
  insertInto,
  newUnits,
  renamePage,
  resourceIn,
  platformAdmin,
} from '../support/promotions.ts';
import { pageName, renamedBy } from '../support/renamed-page.ts';
import { newUser } from '../support/world.ts';

const [creator, second] = [platformAdmin(), platformAdmin()];

const renamed = (target?: 'staging' | 'prod') => renamedBy(creator, second, target);

describe('rollback', () => {
  it('re-promotes an earlier version: the target moves to that version', async () => {
    const { code, page } = await renamed();
    await creator.promote([page]);
    expect(await resourceIn('staging', 'PAGE_SCHEMA', code)).toMatchObject({ version: 2 });

    await creator.promote([{ ...page, version: 1 }]);

    expect(await resourceIn('staging', 'PAGE_SCHEMA', code)).toMatchObject({ version: 1 });
    expect(await pageName(code)).toBe(code);
    expect(await resourceIn('dev', 'PAGE_SCHEMA', code)).toMatchObject({ version: 2 });
  });

  it('POST .../{pid}/rollback makes the inverse promotion: what was added leaves, what was updated goes back', async () => {
    const old = await renamed();
    const added = await newUnits([name]);
    const pid = await creator.promote([old.page, ...added.units]);

    const inverse = dataOf(await creator.act(pid, 'rollback'));
    expect(inverse).toMatchObject({ status: 'DRAFT', sourceEnvId: null, targetEnvId: 2, rollbackOf: pid });
    expect(dataOf(await creator.validate(inverse.pid)).status).toBe('VALIDATED');
    dataOf(await creator.apply(inverse.pid));

    expect(await pageName(old.code)).toBe(old.code);
    for (const [type, code] of [
      ['MODEL', added.code],
      ['PAGE_SCHEMA', added.code],
      ['COMMAND', added.command],
    ] as const) {
      expect(await resourceIn('staging', type, code)).toBeNull();
    }
    const twice = dataOf(await creator.act(inverse.pid, 'rollback'));
    await creator.validate(twice.pid);
    dataOf(await creator.apply(twice.pid));
    expect(await pageName(old.code)).toBe('renamed');
    expect(await resourceIn('staging', 'MODEL', added.code)).toMatchObject({ pid: added.model.resourcePid });
  });

  it('goes back to what the target had under the number of the version that replaced it', async () => {
    const { code, page } = await renamed();
    await renamePage(code, 'of its own', 'staging');
    const pid = await creator.created([page]);
    const [{ type } = { type: '' }] = dataOf(await creator.validate(pid)).conflicts;
    const resolutions = [{ resourcePid: page.resourcePid, type, resolution: 'use_source' }];
    dataOf(await creator.validate(pid, { resolutions }));
    dataOf(await creator.apply(pid));
    expect(await pageName(code)).toBe('renamed');

    const inverse = dataOf(await creator.act(pid, 'rollback')).pid;
    await creator.validate(inverse);
    dataOf(await creator.apply(inverse));

    expect(await pageName(code)).toBe('of its own');
  });

  it('says so when the target has moved on since', async () => {
    const { code, page } = await renamed();
    const pid = await creator.promote([page]);
    await renamePage(code, 'later');
    await creator.promote([page]);
    const inverse = dataOf(await creator.act(pid, 'rollback')).pid;

    const promotion = dataOf(await creator.validate(inverse));

    expect(promotion).toMatchObject({
      status: 'DRAFT',
      conflicts: [{ type: 'TARGET_NEWER', details: { sourceVersion: 1, targetVersion: 3 } }],
    });
    const resolutions = [{ resourcePid: page.resourcePid, type: 'TARGET_NEWER', resolution: 'use_source' }];
    expect(dataOf(await creator.validate(inverse, { resolutions }))).toMatchObject({ status: 'VALIDATED' });
  });

  it('brings back the values of a column that it removed, once the change is promoted again', async () => {
    const model = await newUnits([name]);
    await creator.promote(model.units);
    await changeModel(model, { fields: [name, size] });
    const pid = await creator.promote([model.model]);
    await insertInto('staging', creator.tenant, model.code, [{ name: 'a', size: 42 }]);
    const read = async () => {
      const { token } = await newUser(['ADMIN'], creator.tenant);
      return (await list(token, model.code, {}, { headers: { 'X-Environment': 'staging' } })).body.data.records[0];
    };
    expect(await read()).toMatchObject({ name: 'a', size: 42 });

    const inverse = dataOf(await creator.act(pid, 'rollback')).pid;
    expect(dataOf(await creator.validate(inverse)).conflicts).toMatchObject([
      { type: 'DESTRUCTIVE_SCHEMA', details: { field: 'size', rows: 1 } },
    ]);
    expect(refusal(await creator.apply(inverse))).toMatchObject({ data: { reason: 'CONSENT_REQUIRED' } });
    dataOf(await creator.apply(inverse, { consent: [model.model.resourcePid] }));
    expect(await read()).not.toHaveProperty('size');

    await creator.promote([model.model]);
    expect(await read()).toMatchObject({ name: 'a', size: 42 });
  });

  it('is possible for what was applied alone', async () => {
    const pid = await creator.validated([(await newUnits([name])).model]);

    expect(refusal(await creator.act(pid, 'rollback'))).toEqual({
      status: 409,
      code: 'PROMOTION_STATE',
      data: { status: 'VALIDATED' },
    });
  });
});

describe('the workflow of a promotion', () => {
  const found = async (query: string): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { workflowId } of (await temporal()).workflow.list({ query })) ids.push(workflowId);
    return ids;
  };

  it('is found by promotionPid, targetEnv and promotionStatus, and ends with the promotion', async () => {
    const { page } = await renamed();
    const pid = await creator.validated([page]);
    const id = `promotion:${pid}`;

    const query = `promotionPid = '${pid}' and targetEnv = 'staging' and promotionStatus =`;
    await until(
      'it is VALIDATED',
      async () => (await found(`${query} 'VALIDATED' and ExecutionStatus = 'Running'`))[0] === id,
    );
    dataOf(await creator.apply(pid));
    await until(
      'it is APPLIED',
      async () => (await found(`${query} 'APPLIED' and ExecutionStatus = 'Completed'`))[0] === id,
    );
  });

  it('is started when it is missing: a promotion is a row first', async () => {
    const { page } = await renamed();
    const pid = dataOf(await creator.create([page])).pid;
    const { workflow } = await temporal();
    await workflow.getHandle(`promotion:${pid}`).terminate('a test');

    expect(dataOf(await creator.validate(pid))).toMatchObject({ status: 'VALIDATED' });
    expect(dataOf(await creator.apply(pid))).toMatchObject({ status: 'APPLIED' });
  });
});

describe('the audit trail of a promotion', () => {
  it('has every step with who and why', async () => {
    const { page } = await renamed('prod');
    const pid = await creator.validated([page], 'prod');
    await second.act(pid, 'approve', { comment: 'fine' });
    await creator.apply(pid, { reason: 'go' });
    const inverse = dataOf(await second.act(pid, 'rollback')).pid;

    const entries = await auditOf(pid);
    expect(
      entries.map(({ action, actor, reason, environment }) => [action, actor.userPid, reason, environment]),
    ).toEqual([
      ['promotion.create', creator.user.pid, null, 'prod'],
      ['promotion.validate', creator.user.pid, null, 'prod'],
      ['promotion.approve', second.user.pid, 'fine', 'prod'],
      ['promotion.apply', creator.user.pid, 'go', 'prod'],
    ]);
    expect(entries[3]?.after).toMatchObject({
      status: 'APPLIED',
      planHash: expect.any(String),
      items: [{ action: 'UPDATE', from: 1, to: 2 }],
    });
    expect(await actionsOn(inverse)).toEqual(['promotion.rollback']);
  });
});

describe('data', () => {
  it('is never promoted', async () => {
    const model = await newUnits([name]);
    await insert(creator.tenant, model.code, [{ name: 'of dev' }]);
    await creator.promote(model.units);

    const { token } = await newUser([await newRole(model.permissions)], creator.tenant);
    expect((await list(token, model.code)).body.data.total).toBe(1);
    expect(await runSql(`select 1 from staging.mt_${model.code}`)).toEqual([]);
    expect(ENVIRONMENT_IDS.staging).toBe(2);
  });
});
