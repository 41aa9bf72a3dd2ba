import { call, execute, list, dataOf, refusal } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { changeModel, name, size } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { startNodeHere } from '../support/own-node.ts';
import { actionsOn, columnsIn, newUnits, renamePage, resourceIn, platformAdmin } from '../support/promotions.ts';
import { pageName, renamedBy } from '../support/renamed-page.ts';
import { newUser } from '../support/world.ts';

const [creator, second] = [platformAdmin(), platformAdmin()];

const statusOf = async (pid: string): Promise<string> => dataOf(await creator.promotion(pid)).status;
const renamed = (target?: 'staging' | 'prod') => renamedBy(creator, second, target);

describe('POST /api/admin/promotions', () => {
  it('creates a DRAFT of the units', async () => {
    const { page } = await newUnits([name]);

    const answer = await creator.create([page]);

    expect(answer).toMatchObject({ status: 200, body: { code: '0' } });
    expect(answer.body.data).toEqual({
      pid: expect.stringMatching(/^[0-9A-Z]{26}$/),
      source: 'dev',
      target: 'staging',
      sourceEnvId: 1,
      targetEnvId: 2,
      units: [page],
      status: 'DRAFT',
      autoInclude: false,
      resolutions: [],
      conflicts: [],
      plan: null,
      approvals: [],
      rollbackOf: null,
      applyAt: null,
      createdBy: creator.user.pid,
      createdByName: creator.user.email,
      createdAt: expect.any(String),
      appliedBy: null,
      appliedReason: null,
      appliedAt: null,
      failureReason: null,
      soak: null,
    });
    expect(dataOf(await creator.promotion(answer.body.data.pid))).toEqual({
      ...answer.body.data,
      agreement: { needed: 0, missing: 0, mayApprove: false },
      timeline: [expect.objectContaining({ action: 'created' })],
    });
  });

  it('takes "*" for every difference', async () => {
    expect(dataOf(await creator.create('*'))).toMatchObject({ status: 'DRAFT', units: '*' });
  });

  const unit = { resourceType: 'PAGE_SCHEMA', resourcePid: 'x' };
  const noEnvironment = 'must be the numeric id of an environment';
  const notTheSource = 'must not be the source, unless each unit names an earlier version';
  const noEnvironments = { sourceEnvId: noEnvironment, targetEnvId: noEnvironment };
  it.each<[unknown, Record<string, unknown>]>([
    [{}, { ...noEnvironments, units: 'must be an array of 1 to 1000 units, or "*" for every difference' }],
    [{ sourceEnvId: '1', targetEnvId: 2.5, units: [unit] }, noEnvironments],
    [{ sourceEnvId: 1, targetEnvId: 9, units: '*' }, { targetEnvId: 'is not an environment' }],
    [{ sourceEnvId: 0, targetEnvId: 2, units: '*' }, { sourceEnvId: 'is not an environment' }],
    [{ sourceEnvId: 2, targetEnvId: 2, units: '*' }, { targetEnvId: notTheSource }],
    [{ sourceEnvId: 2, targetEnvId: 2, units: [unit] }, { targetEnvId: notTheSource }],
    [{ sourceEnvId: 1, targetEnvId: 2, units: [] }, { units: expect.stringContaining('1 to 1000') }],
    [{ sourceEnvId: 1, targetEnvId: 2, units: 'all' }, { units: expect.any(String) }],
    [
      { sourceEnvId: 1, targetEnvId: 2, units: [null, { resourceType: 'TABLE', resourcePid: 5, version: 0 }] },
      {
        'units.0': 'must be an object',
        'units.1.resourceType': expect.stringContaining('MODEL'),
        'units.1.resourcePid': 'must be a text',
        'units.1.version': 'must be a whole number from 1 to 2147483647',
      },
    ],
    [{ sourceEnvId: 1, targetEnvId: 2, units: [unit, unit] }, { 'units.1.resourcePid': 'is named twice' }],
    [
      { sourceEnvId: 1, targetEnvId: 2, units: [unit] },
      { 'units.0.resourcePid': 'is not a PAGE_SCHEMA of dev or staging' },
    ],
  ])('refuses %j, naming what is wrong', async (body, fieldErrors) => {
    expect(refusal(await creator.post('/admin/promotions', body))).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      data: { fieldErrors },
    });
  });

  it("refuses a type that is not the resource's own, and a version that it never had", async () => {
    const { model, page } = await newUnits([name]);

    const answer = await creator.create([
      { ...model, resourceType: 'PAGE_SCHEMA' },
      { ...page, version: 2 },
    ]);

    expect(refusal(answer).data).toEqual({
      fieldErrors: {
        'units.0.resourcePid': 'is not a PAGE_SCHEMA of dev or staging',
        'units.1.version': 'is not a version that dev has had',
      },
    });
  });
});

describe('GET /api/admin/promotions', () => {
  it('lists the newest first, by status and target, in pages', async () => {
    const { page, model } = await newUnits([name]);
    const draft = dataOf(await creator.create([page], 'prod')).pid;
    const valid = await creator.validated([model], 'prod');

    const find = async (query: string) => dataOf(await creator.get(`/admin/promotions?${query}`));
    const drafts = await find('status=DRAFT&targetEnvId=3&pageSize=500');
    expect(drafts).toMatchObject({ pageNum: 1, pageSize: 500 });
    expect(drafts.records.map(({ pid }: { pid: string }) => pid)).toContain(draft);
    expect(drafts.records.map(({ pid }: { pid: string }) => pid)).not.toContain(valid);
    const ready = await find('status=VALIDATED&targetEnvId=3&pageSize=500');
    expect(ready.records.map(({ pid }: { pid: string }) => pid)).toContain(valid);
    expect((await find('status=VALIDATED&targetEnvId=3&pageSize=1')).records).toHaveLength(1);
    const elsewhere = await find('status=VALIDATED&targetEnvId=1&pageSize=500');
    expect(elsewhere.records.map(({ pid }: { pid: string }) => pid)).not.toContain(valid);
  });

  it.each([
    ['status=OPEN', 'status'],
    ['targetEnvId=staging', 'targetEnvId'],
    ['pageSize=501', 'pageSize'],
    ['pageNum=0', 'pageNum'],
  ])('refuses %s', async (query, field) => {
    const { status, data } = refusal(await creator.get(`/admin/promotions?${query}`));
    expect({ status, fields: Object.keys((data as { fieldErrors: object }).fieldErrors) }).toEqual({
      status: 400,
      fields: [field],
    });
  });

  it('answers 404 for a promotion that is not there, whatever is asked of it', async () => {
    expect(refusal(await creator.promotion('01ARZ3NDEKTSV4RRFFQ69G5FAV'))).toMatchObject({ status: 404 });
    for (const action of ['validate', 'approve', 'reject', 'cancel', 'apply', 'rollback']) {
      expect(refusal(await creator.act('nothing', action, { reason: 'x' }))).toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
      });
    }
  });
});

describe('POST .../{pid}/validate', () => {
  it('is a dry run: it seals a plan with versions, contents and DDL, and changes nothing in the target', async () => {
    const model = await newUnits([name]);
    const pid = dataOf(await creator.create(model.units)).pid;

    const { status, plan } = dataOf(await creator.validate(pid));

    expect(status).toBe('VALIDATED');
    expect(plan).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), sealedAt: expect.any(String) });
    expect(plan.items).toHaveLength(3);
    expect(plan.items[0]).toMatchObject({
      resourceType: 'MODEL',
      pid: model.model.resourcePid,
      action: 'ADD',
      sourceVersion: 1,
      targetVersion: null,
    });
    expect(plan.items[0].ddl.join('\n')).toContain(`create table "staging"."mt_${model.code}"`);
    expect(await resourceIn('staging', 'MODEL', model.code)).toBeNull();
    expect(await columnsIn('staging', model.code)).toEqual({});
    expect(dataOf(await creator.validate(pid)).plan.hash).toBe(plan.hash);
  });
});

describe('POST .../{pid}/apply', () => {
  it('writes the resources and tables of the units to the target, with who, why and when', async () => {
    const model = await newUnits([name]);
    const pid = await creator.validated(model.units);
    const before = Date.now();

    const applied = dataOf(await creator.apply(pid, { reason: 'release 7' }));

    expect(applied).toMatchObject({
      pid,
      status: 'APPLIED',
      appliedBy: creator.user.pid,
      appliedReason: 'release 7',
      failureReason: null,
    });
    expect(Date.parse(applied.appliedAt)).toBeGreaterThanOrEqual(before - 1_000);
    expect(await columnsIn('staging', model.code)).toMatchObject({
      name: 'text',
      pid: 'character varying(32) not null',
    });
    expect(await resourceIn('staging', 'PAGE_SCHEMA', model.code)).toMatchObject({
      pid: model.page.resourcePid,
      version: 1,
      updatedBy: creator.user.pid,
    });
  });

  it('leaves no difference for its units, equal versions on both sides, and a healthy program', async () => {
    const { code, units, page } = await renamed();
    await creator.promote([page]);

    const diff = dataOf(await creator.get('/admin/environments/diff?source=dev&target=staging'));
    const differing = [...diff.added, ...diff.updated, ...diff.removed].map(({ pid }: { pid: string }) => pid);
    for (const { resourcePid } of units) expect(differing).not.toContain(resourcePid);
    expect(await resourceIn('staging', 'PAGE_SCHEMA', code)).toMatchObject({ version: 2 });
    expect(await resourceIn('dev', 'PAGE_SCHEMA', code)).toMatchObject({ version: 2 });
    await until('the program is well', async () => (await call('/actuator/health')).body.data.status === 'UP');
  });

  it('serves the new version at once, on every node', async () => {
    const node = await startNodeHere();
    const model = await newUnits([name]);
    const { token } = await newUser(['ADMIN'], creator.tenant);
    const there = { baseUrl: node.url, headers: { 'X-Environment': 'staging' } };
    expect((await list(token, model.code, {}, there)).status).toBe(404);
    await creator.promote(model.units);
    expect((await list(token, model.code, {}, there)).status).toBe(200);
    const fields = [name];
    for (let round = 0; round < 3; round += 1) {
      const code = `f${round}`;
      fields.push({ ...size, code });
      await changeModel(model, { fields });
      const { body } = await execute(token, model.command, { payload: { name: `${round}` } }, there);
      expect(body.data).not.toHaveProperty(code);
      const pid = await creator.validated([model.model]);
      await creator.at(node.url).apply(pid);
      const created = await execute(token, model.command, { payload: { name: 'x', [code]: 5 } }, there);
      expect(created.body.data).toMatchObject({ [code]: 5 });
    }
  });

  it('needs a reason', async () => {
    const pid = await creator.validated([(await newUnits([name])).model]);

    for (const reason of [undefined, null, '', '  ', 5, 'x'.repeat(2_001), 'a\0b', '\ud800']) {
      expect(refusal(await creator.act(pid, 'apply', { reason }))).toEqual({
        status: 400,
        code: 'VALIDATION_ERROR',
        data: { fieldErrors: { reason: expect.any(String) } },
      });
    }
    expect(await statusOf(pid)).toBe('VALIDATED');
  });

  it('refuses a body that is wrong beside its reason', async () => {
    const pid = await creator.validated([(await newUnits([name])).model]);

    expect(refusal(await creator.apply(pid, { consent: 'all', applyAt: 'soon' })).data).toEqual({
      fieldErrors: { consent: expect.any(String), applyAt: expect.stringContaining('ISO 8601 time') },
    });
  });

  it('is 409 PROMOTION_STATE for a DRAFT, with open conflicts or without', async () => {
    const { model, page } = await newUnits([name]);
    const draft = dataOf(await creator.create([model])).pid;
    const open = dataOf(await creator.create([page])).pid;
    await creator.validate(open);

    for (const pid of [draft, open]) {
      expect(refusal(await creator.apply(pid))).toEqual({
        status: 409,
        code: 'PROMOTION_STATE',
        data: { status: 'DRAFT' },
      });
      expect(await statusOf(pid)).toBe('DRAFT');
    }
  });

  it('of two at once is done once: one APPLIED, one clear 409', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { page } = await renamed();
      const pid = await creator.validated([page]);

      const answers = await Promise.all([creator.apply(pid), second.apply(pid)]);

      expect(answers.map(({ status, body }) => [status, body.data.status, body.code]).sort()).toEqual([
        [200, 'APPLIED', '0'],
        [409, 'APPLIED', 'PROMOTION_STATE'],
      ]);
      expect((await actionsOn(pid)).filter((action) => action === 'promotion.apply')).toHaveLength(1);
    }
  });

  it('that fails in the middle changes nothing, says why, and can be validated and applied again', async () => {
    const model = await newUnits([name, size]);
    await creator.promote(model.units);
    const { code } = model;
    // Postgres refuses to change the type of a column that a view shows.
    await runSql(`create view staging.v_${code} as select size from staging.mt_${code}`);
    await renamePage(code, 'renamed');
    await changeModel(model, { fields: [name, { ...size, type: 'bigint' }] });
    const pid = await creator.validated([model.page, model.model]);

    expect(refusal(await creator.apply(pid))).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      data: { reason: 'APPLY_FAILED', sqlState: '0A000' },
    });

    const failed = dataOf(await creator.promotion(pid));
    expect(failed).toMatchObject({ status: 'FAILED', appliedAt: null, appliedBy: null });
    expect(failed.failureReason).toContain('used by a view');
    expect(await pageName(code)).toBe(code);
    expect(await columnsIn('staging', code)).toMatchObject({ size: 'integer' });
    expect(await actionsOn(pid)).toEqual(['promotion.create', 'promotion.validate', 'promotion.fail']);
    expect(refusal(await creator.apply(pid))).toMatchObject({ code: 'PROMOTION_STATE', data: { status: 'FAILED' } });

    await runSql(`drop view staging.v_${code}`);
    expect(dataOf(await creator.validate(pid))).toMatchObject({ status: 'VALIDATED', failureReason: null });
    expect(dataOf(await creator.apply(pid))).toMatchObject({ status: 'APPLIED' });
    expect(await columnsIn('staging', code)).toMatchObject({ size: 'bigint' });
  });
});
