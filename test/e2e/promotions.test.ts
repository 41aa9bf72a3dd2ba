import type { FieldContent } from '../../src/metadata/content.ts';
import { call, execute, list } from '../support/api.ts';
import { temporal, until } from '../support/faults.ts';
import { changeModel, insert, newRole } from '../support/models.ts';
import { rows } from '../support/platform.ts';
import { startProgram } from '../support/program.ts';
import {
  actionsOn,
  auditOf,
  columnsIn,
  contentIn,
  dataOf,
  ENVIRONMENT_IDS,
  insertInto,
  newAdmin,
  newUnits,
  refusal,
  renamePage,
  resourceIn,
  type Admin,
  type PromotedModel,
  type Unit,
} from '../support/promotions.ts';
import { newUser } from '../support/world.ts';

const name: FieldContent = { code: 'name', name: 'Name', type: 'string' };
const size: FieldContent = { code: 'size', name: 'Size', type: 'integer' };

let creator: Admin;
let second: Admin;
beforeAll(async () => {
  [creator, second] = await Promise.all([newAdmin(), newAdmin()]);
});

const statusOf = async (pid: string): Promise<string> => dataOf(await creator.promotion(pid)).status;
const pageName = async (code: string, environment: 'dev' | 'staging' | 'prod' = 'staging') =>
  (await contentIn(environment, 'PAGE_SCHEMA', code))?.name;

/** A model that is the same in dev and the target, but for the name of its page. */
async function renamed(target: 'staging' | 'prod' = 'staging'): Promise<PromotedModel> {
  const model = await newUnits([name]);
  const pid = await creator.validated(model.units, target);
  dataOf(await second.apply(pid));
  await renamePage(model.code, 'renamed');
  return model;
}

describe('POST /api/admin/promotions', () => {
  it('creates a DRAFT of the units', async () => {
    const { page } = await newUnits([name]);

    const answer = await creator.create([page]);

    expect(answer).toMatchObject({ status: 200, body: { code: '0' } });
    expect(answer.body.data).toEqual({
      pid: expect.stringMatching(/^[0-9A-Z]{26}$/),
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
    });
    expect(dataOf(await creator.promotion(answer.body.data.pid))).toEqual(answer.body.data);
  });

  it('takes "*" for every difference', async () => {
    expect(dataOf(await creator.create('*'))).toMatchObject({ status: 'DRAFT', units: '*' });
  });

  const unit = { resourceType: 'PAGE_SCHEMA', resourcePid: 'x' };
  it.each<[unknown, Record<string, unknown>]>([
    [{}, { sourceEnvId: 'is required', targetEnvId: 'is required', units: expect.stringContaining('array') }],
    [
      { sourceEnvId: '1', targetEnvId: 2.5, units: [unit] },
      { sourceEnvId: expect.any(String), targetEnvId: expect.any(String) },
    ],
    [{ sourceEnvId: 1, targetEnvId: 9, units: '*' }, { targetEnvId: 'is not an environment' }],
    [{ sourceEnvId: 0, targetEnvId: 2, units: '*' }, { sourceEnvId: 'is not an environment' }],
    [{ sourceEnvId: 2, targetEnvId: 2, units: '*' }, { targetEnvId: 'must not be the source' }],
    [{ sourceEnvId: 1, targetEnvId: 2, units: [] }, { units: expect.stringContaining('1 to 1000') }],
    [{ sourceEnvId: 1, targetEnvId: 2, units: 'all' }, { units: expect.any(String) }],
    [
      { sourceEnvId: 1, targetEnvId: 2, units: [null, { resourceType: 'TABLE', resourcePid: 5, version: 0 }] },
      {
        'units.0.resourceType': expect.stringContaining('MODEL'),
        'units.0.resourcePid': 'is required',
        'units.1.resourceType': expect.any(String),
        'units.1.resourcePid': 'is required',
        'units.1.version': 'must be a whole number from 1',
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
    expect((await find('status=VALIDATED&targetEnvId=3&pageSize=1')).records).toMatchObject([{ pid: valid }]);
    expect((await find('status=VALIDATED&targetEnvId=1')).total).toBe(0);
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
    await rows(`alter table staging.mt_${code} add column size integer`);
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

describe('POST .../{pid}/apply', () => {
  it('writes the resources and tables of the units to the target, with who, why and when', async () => {
    const model = await newUnits([name]);
    const pid = await creator.validated(model.units);
    const before = Date.now();

    const applied = dataOf(await creator.apply(pid, { reason: 'release 7' }));

    expect(applied).toMatchObject({
      ...{ pid, status: 'APPLIED', appliedBy: creator.user.pid, appliedReason: 'release 7', failureReason: null },
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
    expect(await call('/actuator/health')).toMatchObject({ status: 200, body: { status: 'UP' } });
  });

  it('serves the new version at once, on every node', async () => {
    const node = await startProgram();
    try {
      const model = await newUnits([name]);
      const { token } = await newUser(['ADMIN'], creator.tenant);
      const there = { baseUrl: node.url, headers: { 'X-Environment': 'staging' } };
      expect((await list(token, model.code, {}, there)).status).toBe(404);
      await creator.promote(model.units);
      expect((await list(token, model.code, {}, there)).status).toBe(200);
      for (let round = 0; round < 3; round += 1) {
        const code = `f${round}`;
        await changeModel(model, { fields: [name, { ...size, code }] });
        const { body } = await execute(token, model.command, { payload: { name: `${round}` } }, there);
        expect(body.data).not.toHaveProperty(code);
        const pid = await creator.validated([model.model]);
        await creator.at(node.url).apply(pid);
        const created = await execute(token, model.command, { payload: { name: 'x', [code]: 5 } }, there);
        expect(created.body.data).toMatchObject({ [code]: 5 });
      }
    } finally {
      await node.stop();
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
      fieldErrors: { consent: expect.any(String), applyAt: 'must be an ISO 8601 time' },
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
    await rows(`create view staging.v_${code} as select size from staging.mt_${code}`);
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

    await rows(`drop view staging.v_${code}`);
    expect(dataOf(await creator.validate(pid))).toMatchObject({ status: 'VALIDATED', failureReason: null });
    expect(dataOf(await creator.apply(pid))).toMatchObject({ status: 'APPLIED' });
    expect(await columnsIn('staging', code)).toMatchObject({ size: 'bigint' });
  });
});

describe('applyAt', () => {
  const soon = (ms = 1_200) => new Date(Date.now() + ms).toISOString();

  it('applies when it is due, also where others approve in between', async () => {
    const { code, page } = await renamed('prod');
    const pid = await creator.validated([page], 'prod');
    const applyAt = soon();

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
    dataOf(await creator.apply(pid, { applyAt: soon(300) }));

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
    dataOf(await creator.apply(first, { applyAt: soon(900) }));
    dataOf(await creator.apply(other, { applyAt: soon(900) }));
    expect(dataOf(await second.act(other, 'cancel'))).toMatchObject({ status: 'CANCELLED', applyAt: null });
    await renamePage(code, 'renamed again');

    expect(dataOf(await second.validate(first))).toMatchObject({ status: 'VALIDATED', applyAt: null });

    await new Promise((resolve) => setTimeout(resolve, 1_200));
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
        planHash: approved.plan.hash,
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
      await rows<{ code: string }>('select code from platform.dsl_resource where pid = ?', [page.resourcePid])
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
    expect(await rows(`select 1 from staging.mt_${model.code}`)).toEqual([]);
    expect(ENVIRONMENT_IDS.staging).toBe(2);
  });
});
