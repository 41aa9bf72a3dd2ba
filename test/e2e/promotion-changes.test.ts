import { call, dataOf, refusal } from '../support/api.ts';
import { changeModel, name, size } from '../support/models.ts';
import { insertInto, newUnits, platformAdmin, renamePage, type Unit } from '../support/promotions.ts';
import { newUser } from '../support/world.ts';

const [creator, second] = [platformAdmin(), platformAdmin()];
const changesOf = async (pid: string) => dataOf(await creator.get(`/admin/promotions/${pid}/changes`));
const changeOf = async (pid: string, resourcePid: string) =>
  dataOf(await creator.get(`/admin/promotions/${pid}/changes/${resourcePid}`));

/** Two people agree, whether or not another test has locked it. */
async function inStaging(units: readonly Unit[]): Promise<void> {
  expect(dataOf(await second.apply(await creator.validated(units)))).toMatchObject({ status: 'APPLIED' });
}

/** A model whose next version has a field more and one that becomes required, not promoted yet. */
async function changed() {
  const model = await newUnits([name]);
  await inStaging(model.units);
  await insertInto('staging', creator.tenant, model.code, [{ name: 'Ada' }, { name: 'Ben' }]);
  await changeModel(model, { fields: [{ ...name, required: true }, size] });
  await renamePage(model.code, 'Renamed');
  return model;
}

describe('GET /api/admin/promotions/{pid}/changes', () => {
  it('names what a DRAFT is about, and then what its sealed plan has', async () => {
    const { model, page, code } = await changed();
    const pid = await creator.created([model, page]);
    const change = { resourceType: 'MODEL', pid: model.resourcePid, code, action: 'UPDATE' };
    const versions = { sourceVersion: 2, targetVersion: 1 };

    expect(await changesOf(pid)).toEqual([
      { ...change, ...versions, inPlan: false, changedSince: false },
      {
        ...change,
        ...versions,
        resourceType: 'PAGE_SCHEMA',
        pid: page.resourcePid,
        inPlan: false,
        changedSince: false,
      },
    ]);
    await creator.validate(pid);
    expect(await changesOf(pid)).toMatchObject([{ inPlan: true }, { inPlan: true }]);
  });

  it('says what differs from the sealed plan by now', async () => {
    const { model, page, code } = await changed();
    const pid = await creator.validated([model, page]);
    await renamePage(code, 'Renamed again');

    expect(await changesOf(pid)).toMatchObject([
      { resourceType: 'MODEL', changedSince: false },
      { resourceType: 'PAGE_SCHEMA', changedSince: true, sourceVersion: 3 },
    ]);
  });

  it('needs admin:promotions', async () => {
    const { page } = await newUnits([name]);
    const pid = await creator.created([page]);
    const reader = await newUser(['ADMIN'], creator.tenant);
    for (const path of [`/${pid}/changes`, `/${pid}/changes/${page.resourcePid}`]) {
      expect((await call(`/api/admin/promotions${path}`, { token: reader.token })).status).toBe(403);
    }
  });
});

describe('GET /api/admin/promotions/{pid}/changes/{resourcePid}', () => {
  it('has both contents, and the statements with their lock and the records of the table', async () => {
    const { model, code } = await changed();
    const pid = await creator.validated([model]);

    const found = await changeOf(pid, model.resourcePid);
    expect(found).toMatchObject({
      before: { fields: [{ code: 'name' }] },
      after: { fields: [{ code: 'name', required: true }, { code: 'size' }] },
      table: { lock: 'access exclusive', rows: 2, isEstimate: false },
    });
    expect(found.table.steps).toEqual([
      { statement: `alter table "staging"."mt_${code}" alter column "name" set not null`, isLater: false },
      { statement: `alter table "staging"."mt_${code}" add column "size" integer`, isLater: false },
    ]);
  });

  it('still has them when the promotion is applied, and the source has gone on', async () => {
    const { model, page, code } = await changed();
    const pid = await creator.validated([model, page]);
    await second.apply(pid);
    await renamePage(code, 'Renamed again');

    expect(await changeOf(pid, page.resourcePid)).toMatchObject({
      before: { name: code },
      after: { name: 'Renamed' },
      table: null,
      inPlan: true,
    });
    expect((await changeOf(pid, model.resourcePid)).table.steps).toHaveLength(2);
  });

  it('is 404 for what the promotion is not about', async () => {
    const [{ page }, other] = [await newUnits([name]), await newUnits([name])];
    const pid = await creator.created([page]);
    const path = `/admin/promotions/${pid}/changes/${other.page.resourcePid}`;
    expect(refusal(await creator.get(path))).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });
});

describe('the agreement of a promotion', () => {
  it('says how many more must agree before the caller may apply it', async () => {
    const { units } = await newUnits([name]);
    await inStaging(units);
    const pid = dataOf(await creator.create(units, 'prod', 'staging')).pid;
    await creator.validate(pid);
    const agreementFor = async (admin: typeof creator) => dataOf(await admin.promotion(pid)).agreement;

    expect(await agreementFor(creator)).toEqual({ needed: 1, missing: 1, mayApprove: false });
    expect(await agreementFor(second)).toEqual({ needed: 1, missing: 0, mayApprove: true });
    await second.act(pid, 'approve');
    expect(await agreementFor(creator)).toEqual({ needed: 1, missing: 0, mayApprove: false });
    await creator.act(pid, 'cancel');
  });
});

describe('POST /api/admin/promotions/{pid}/approve and /apply', () => {
  it('with the hash of a plan refuse another one, and change nothing', async () => {
    const { page, code } = await changed();
    const pid = await creator.validated([page]);
    const { hash: planHash } = dataOf(await creator.promotion(pid)).plan;
    await renamePage(code, 'Renamed again');
    await creator.validate(pid);

    for (const [admin, kind] of [
      [second, 'approve'],
      [creator, 'apply'],
    ] as const) {
      expect(refusal(await admin.act(pid, kind, { planHash, reason: 'a test' }))).toMatchObject({
        status: 409,
        code: 'STALE_PLAN',
        data: { reason: 'OTHER_PLAN' },
      });
    }
    const now = dataOf(await creator.promotion(pid));
    expect(now).toMatchObject({ status: 'VALIDATED', approvals: [] });
    expect(dataOf(await second.apply(pid, { planHash: now.plan.hash }))).toMatchObject({ status: 'APPLIED' });
  });
});
