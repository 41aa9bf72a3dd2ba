import { readDrafts } from '../../scripts/database/load-application.ts';
import { call, execute, list, dataOf, refusal } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { startOwnNode } from '../support/own-node.ts';
import { contentIn, ENVIRONMENT_IDS, resourceIn, unitOf, platformAdmin } from '../support/promotions.ts';
import type { PageContent } from '../../src/platform/records/pages/page-content.ts';
import { container, newUser } from '../support/world.ts';

/*
 * The CRM of the demo goes from dev to staging and on to prod, by two people, in the seven steps of the
 * spec's promotion workflow; then one page is changed, promoted, and rolled back.
 */

beforeAll(async () => {
  await startOwnNode('story');
  await (await container()).resources.save('dev', await readDrafts(), null);
});
const [creator, approver] = [platformAdmin(), platformAdmin()];

const diff = async (source: string, target: string) =>
  dataOf(await creator.get(`/admin/environments/diff?source=${source}&target=${target}`));

describe('the promotion workflow', () => {
  it.each([
    ['dev', 'staging'],
    ['staging', 'prod'],
  ] as const)('takes the CRM from %s to %s in seven steps', async (source, target) => {
    // 1. List environments.
    const environments = dataOf(await creator.get('/admin/environments'));
    const find = (code: string) => environments.find((one: { code: string }) => one.code === code);
    expect(find(target)).toMatchObject({ id: ENVIRONMENT_IDS[target], locked: false });

    // 2. Export the source.
    const snapshot = dataOf(await creator.post(`/admin/environments/${source}/export`));
    expect(snapshot.resources.length).toBeGreaterThan(20);

    // 3. Diff source against target.
    const before = await diff(source, target);
    expect(before.added).toHaveLength(snapshot.resources.length);
    expect([before.updated, before.removed]).toEqual([[], []]);

    // 4. Lock the target.
    const lock = await creator.post(`/admin/environments/${find(target).pid}/lock`, { reason: 'CRM release' });
    expect(dataOf(lock)).toMatchObject({ code: target, locked: true });

    // 5. Create a promotion.
    const units = before.added.map(({ resourceType, pid }: Record<string, string>) => ({
      resourceType,
      resourcePid: pid,
    }));
    const { pid, status } = dataOf(await creator.create(units, target, source));
    expect(status).toBe('DRAFT');

    // 6. Validate it.
    expect(dataOf(await creator.validate(pid))).toMatchObject({ status: 'VALIDATED', conflicts: [] });

    // 7. Apply it: the target is locked, so somebody else must agree.
    expect(refusal(await creator.apply(pid, { reason: 'CRM release' }))).toMatchObject({ code: 'FOUR_EYES_REQUIRED' });
    dataOf(await approver.act(pid, 'approve', { comment: 'checked' }));
    expect(dataOf(await creator.apply(pid, { reason: 'CRM release' }))).toMatchObject({
      status: 'APPLIED',
      appliedBy: creator.user.pid,
      appliedReason: 'CRM release',
    });

    const after = await diff(source, target);
    expect([after.added, after.updated, after.removed]).toEqual([[], [], []]);
    await until('the program is well', async () => (await call('/actuator/health')).body.data.status === 'UP');
    const exported = dataOf(await creator.post(`/admin/environments/${target}/export`));
    expect(exported.checksum).toBe(snapshot.checksum);
    dataOf(await creator.post(`/admin/environments/${target}/unlock`, { reason: 'done' }));
  });

  it('leaves an application that works in prod: its roles, pages and commands', async () => {
    const { token } = await newUser(['SALES'], creator.tenant);
    const prod = { headers: { 'X-Environment': 'prod' } };

    const lead = dataOf(await execute(token, 'crm:create_lead', { payload: { name: 'Ada', amount: '5.50' } }, prod));

    expect((await list(token, 'leads', {}, prod)).body.data).toMatchObject({ total: 1, records: [{ pid: lead.pid }] });
    expect((await list(token, 'leads')).body.data.total).toBe(0);
    const converted = await execute(token, 'crm:convert_lead', { targetRecordId: lead.pid, payload: {} }, prod);
    expect(converted.body).toMatchObject({ code: '0', data: { lead: { status: 'won' } } });
  });
});

describe('one page, promoted and rolled back', () => {
  it('goes back by its earlier version, and by the inverse of the promotion', async () => {
    const { code, name, columns } = { code: 'leads', ...(await contentIn('dev', 'PAGE_SCHEMA', 'leads')) } as {
      code: string;
      name: string;
      columns: string[];
    };
    const page = await unitOf('PAGE_SCHEMA', code);
    const { resources } = await container();
    const content = { name: 'Prospects', modelCode: 'lead', columns: columns.slice(0, 2) };
    await resources.save('dev', [{ resourceType: 'PAGE_SCHEMA', code, content }], null);
    const shown = async () => {
      const found = await resourceIn('staging', 'PAGE_SCHEMA', code);
      return { version: found?.version, name: (found?.content as PageContent | undefined)?.name };
    };

    const pid = await creator.promote([page]);
    expect(await shown()).toEqual({ version: 2, name: 'Prospects' });

    await creator.promote([{ ...page, version: 1 }]);
    expect(await shown()).toEqual({ version: 1, name });

    await creator.promote([page]);
    expect(await shown()).toEqual({ version: 2, name: 'Prospects' });
    const inverse = dataOf(await creator.act(pid, 'rollback')).pid;
    dataOf(await creator.validate(inverse));
    dataOf(await creator.apply(inverse, { reason: 'customers were confused' }));
    expect(await shown()).toEqual({ version: 1, name });
  });

  it('and all of it is in the audit trail, whose chain holds', async () => {
    expect(dataOf(await creator.get('/admin/audit/verify'))).toMatchObject({ ok: true });
    const { records } = dataOf(await creator.get('/admin/audit?pageSize=500'));
    const actions = new Set(records.map(({ action }: { action: string }) => action));
    expect([...actions].sort()).toEqual([
      'environment.export',
      'environment.lock',
      'environment.unlock',
      'promotion.apply',
      'promotion.approve',
      'promotion.create',
      'promotion.rollback',
      'promotion.validate',
    ]);
  });
});
