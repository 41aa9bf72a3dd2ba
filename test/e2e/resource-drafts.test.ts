import { call, dataOf, expectRefusal } from '../support/api.ts';
import { changeModel, insert, modelDraft, name, newCode, newModel, pageDraft, size } from '../support/models.ts';
import { columnsIn, contentIn, newAdmin, type Admin } from '../support/promotions.ts';
import { newTenant, newUser, type TestTenant } from '../support/world.ts';

let tenant: TestTenant;
let admin: Admin;

beforeAll(async () => {
  tenant = await newTenant();
  admin = await newAdmin(tenant);
});

const plan = (...resources: object[]) => admin.post('/meta/resources/plan', { resources });
const save = (body: object) => admin.post('/meta/resources/save', body);

describe('POST /api/meta/resources/plan', () => {
  it('says what becomes of tables, with their locks and records, and writes nothing', async () => {
    const { code } = await newModel({ fields: [name] });
    await insert(tenant, code, [{ name: 'a' }, { name: 'b' }]);
    const planned = dataOf(await plan(modelDraft(code, { fields: [name, size] })));

    expect(planned).toMatchObject({
      environment: 'dev',
      needsPromotion: false,
      changes: [
        {
          resourceType: 'MODEL',
          code,
          action: 'UPDATE',
          sourceVersion: 2,
          targetVersion: 1,
          table: { steps: [{ isLater: false }], lock: 'access exclusive', rows: 2 },
        },
      ],
      conflicts: [],
    });
    expect(planned.changes[0].table.steps[0].statement).toContain(`add column "size" integer`);
    expect(await columnsIn('dev', code)).not.toHaveProperty('size');
  });

  it('names each wrong place of each resource', async () => {
    const fields = [
      { ...name, type: 'strin' },
      { code: 'Size', name: 'Size', type: 'integer' },
    ];
    const refused = await plan(pageDraft(newCode(), 'lead', [{ code: 'name' }]), {
      resourceType: 'MODEL',
      code: newCode(),
      content: { name: 'Things', fields, color: 'red' },
    });

    expectRefusal(refused, 'VALIDATION_ERROR');
    expect(Object.keys(refused.body.data.fieldErrors).toSorted()).toEqual([
      'resources.1.content.color',
      'resources.1.content.fields.0.type',
      'resources.1.content.fields.1.code',
    ]);
  });

  it('finds records that do not fit and resources that break', async () => {
    const { code } = await newModel({ fields: [name] });
    await insert(tenant, code, [{}]);
    const lacking = dataOf(await plan(modelDraft(code, { fields: [{ ...name, required: true }] })));
    const breaking = dataOf(await plan(modelDraft(code, { fields: [size] })));

    expect(lacking.conflicts).toMatchObject([
      { type: 'DATA_INCOMPATIBLE', severity: 'blocking', details: { field: 'name', rows: 1 } },
    ]);
    expect(breaking.conflicts).toContainEqual(
      expect.objectContaining({ type: 'REFERENCED_REMOVAL', severity: 'blocking', code }),
    );
  });
});

describe('POST /api/meta/resources/save', () => {
  it('saves a model and its page together, each as its next version, into the application it is in', async () => {
    const code = newCode();
    const model = modelDraft(code, { fields: [name] });
    const resources = [pageDraft(code, code, [name]), { ...model, content: { ...model.content, app: 'things' } }];
    const { planHash } = dataOf(await plan(...resources));
    const saved = dataOf(await save({ resources, planHash, reason: 'a first model' }));

    expect(saved.changes).toMatchObject([
      { resourceType: 'PAGE_SCHEMA', action: 'ADD', sourceVersion: 1 },
      { resourceType: 'MODEL', action: 'ADD', sourceVersion: 1 },
    ]);
    const [, { pid }] = saved.changes;
    expect(dataOf(await admin.get(`/meta/resources/${pid}`))).toMatchObject({ code, version: 1 });
    await save({ resources: [modelDraft(code, { fields: [name, size] })] });
    expect(await contentIn('dev', 'MODEL', code)).toMatchObject({ app: 'things', fields: [name, size] });
    const { records } = dataOf(await admin.get(`/admin/audit?target=${pid}`));
    expect(records).toMatchObject([
      { action: 'metadata.save', before: { version: 1 }, after: { version: 2 } },
      { action: 'metadata.save', reason: 'a first model', before: null, after: { version: 1 } },
    ]);
  });

  it('saves all or none, and no other plan than the one that was looked at', async () => {
    const { code } = await newModel({ fields: [name] });
    const draft = modelDraft(code, { fields: [name, size] });
    const { planHash } = dataOf(await plan(draft));
    await changeModel({ code, command: '', permissions: [] }, { fields: [name, { ...size, code: 'weight' }] });

    expectRefusal(await save({ resources: [draft], planHash }), 'STALE_PLAN');
    const page = pageDraft(newCode(), newCode(), [name]);
    expectRefusal(await save({ resources: [modelDraft(code, { fields: [name] }), page] }), 'PROMOTION_CONFLICT');
    expect(await columnsIn('dev', code)).toHaveProperty('weight');
  });

  it('takes values out of reach with consent alone', async () => {
    const { code } = await newModel({ fields: [name, size] });
    await insert(tenant, code, [{ name: 'a', size: 1 }]);
    const resources = [modelDraft(code, { fields: [name] })];

    expectRefusal(await save({ resources }), 'CONFLICT', { reason: 'CONSENT_REQUIRED' });
    expect(dataOf(await save({ resources, consent: [`MODEL/${code}`] })).changes).toHaveLength(1);
  });

  it('is refused where configuration changes by promotion alone', async () => {
    const resources = [pageDraft(newCode(), 'lead', [{ code: 'name' }])];
    const inProd = { 'x-environment': 'prod' };
    const send = (path: string) =>
      call(`/api/meta/resources/${path}`, { token: admin.user.token, headers: inProd, body: { resources } });

    expect(dataOf(await send('plan'))).toMatchObject({ environment: 'prod', needsPromotion: true });
    expectRefusal(await send('save'), 'ENVIRONMENT_LOCKED', { reason: 'POLICY' });
  });

  it('is for those alone who may change configuration', async () => {
    const { token } = await newUser(['ADMIN'], tenant);
    for (const path of ['plan', 'save']) {
      const resources = [pageDraft(newCode(), 'lead', [{ code: 'name' }])];
      expectRefusal(await call(`/api/meta/resources/${path}`, { token, body: { resources } }), 'FORBIDDEN');
    }
  });
});

describe('GET /api/meta/resources?keyword=', () => {
  it('looks into codes and names', async () => {
    const code = newCode();
    const page = pageDraft(code, 'lead', [{ code: 'name' }]);
    await save({ resources: [{ ...page, content: { ...page.content, name: `100% of ${code.toUpperCase()}` } }] });
    const found = async (keyword: string) => {
      const { records } = dataOf(await admin.get(`/meta/resources?keyword=${encodeURIComponent(keyword)}`));
      return records.map((one: { code: string }) => one.code);
    };

    expect(await found(code.slice(2, -1))).toEqual([code]);
    expect(await found(`100% of ${code}`)).toEqual([code]);
    expect(await found(`1__% of ${code}`)).toEqual([]);
  });
});
