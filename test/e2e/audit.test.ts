import { call, dataOf, refusal } from '../support/api.ts';
import {
  ENVIRONMENT_PIDS,
  newAdmin,
  newUnits,
  renamePage,
  type Admin,
  type PromotedModel,
} from '../support/promotions.ts';

interface Entry {
  action: string;
  actor: { userPid: string };
  targetPid: string;
  environment: string;
  hash: string;
  previousHash: string;
  at: string;
}

let admin: Admin;
let second: Admin;
let model: PromotedModel;
let pid: string;
let from: string;

const find = async (query: Record<string, string>): Promise<{ records: Entry[]; total: number }> =>
  dataOf(await admin.get(`/admin/audit?${new URLSearchParams({ pageSize: '500', ...query }).toString()}`));
const actions = async (query: Record<string, string>): Promise<string[]> =>
  (await find(query)).records.map(({ action }) => action).reverse();

beforeAll(async () => {
  [admin, second] = await Promise.all([newAdmin(), newAdmin()]);
  model = await newUnits([{ code: 'name', name: 'Name', type: 'string' }]);
  from = new Date().toISOString();
  pid = await admin.validated(model.units, 'prod');
  dataOf(await second.act(pid, 'approve', { comment: 'fine' }));
  await renamePage(model.code, 'x');
  await admin.apply(pid, { reason: 'too late' });
  await admin.validate(pid);
  dataOf(await second.apply(pid, { reason: 'go' }));
  await admin.post('/admin/environments/dev/export');
});

describe('GET /api/admin/audit', () => {
  it('has every step, the newest first, with actor, reason, and what came of it', async () => {
    const { records } = await find({ target: pid });

    expect(records.map(({ action }) => action)).toEqual([
      'promotion.apply',
      'promotion.validate',
      'promotion.fail',
      'promotion.approve',
      'promotion.validate',
      'promotion.create',
    ]);
    expect(records[0]).toEqual({
      pid: expect.stringMatching(/^[0-9A-Z]{26}$/),
      at: expect.stringMatching(/Z$/),
      actor: { userPid: second.user.pid, username: second.user.email },
      action: 'promotion.apply',
      targetType: 'promotion',
      targetPid: pid,
      environment: 'prod',
      reason: 'go',
      before: null,
      after: expect.objectContaining({ status: 'APPLIED', planHash: expect.any(String) }),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      previousHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(records[2]).toMatchObject({ reason: 'too late', after: { status: 'DRAFT', code: 'STALE_PLAN' } });
  });

  it('finds by actor, action, action with *, target and environment', async () => {
    const mine = { actor: second.user.pid };

    expect(await actions(mine)).toEqual(['promotion.approve', 'promotion.apply']);
    expect(await actions({ ...mine, action: 'promotion.apply' })).toEqual(['promotion.apply']);
    expect(await actions({ ...mine, action: 'promotion.*' })).toEqual(['promotion.approve', 'promotion.apply']);
    expect(await actions({ ...mine, action: 'environment.*' })).toEqual([]);
    expect(await actions({ ...mine, environment: 'staging' })).toEqual([]);
    expect(await actions({ actor: admin.user.pid, target: ENVIRONMENT_PIDS.dev })).toEqual(['environment.export']);
    expect(await actions({ actor: admin.user.pid, environment: 'dev' })).toEqual(['environment.export']);
    expect((await find({ action: 'promotion_apply' })).total).toBe(0);
    expect((await find({ action: 'promotion%' })).total).toBe(0);
    expect((await find({ ...mine, action: 'prom_tion.*' })).total).toBe(0);
  });

  it('finds by time: since included, until excluded', async () => {
    const { records } = await find({ target: pid });
    const at = records[0]?.at ?? '';

    expect((await find({ target: pid, since: from })).total).toBe(6);
    expect((await find({ target: pid, until: from })).total).toBe(0);
    expect((await find({ target: pid, since: at })).records[0]?.action).toBe('promotion.apply');
    expect((await find({ target: pid, until: at })).total).toBe(5);
  });

  it('comes in pages', async () => {
    const page = await find({ target: pid, pageSize: '2', pageNum: '2' });

    expect(page).toMatchObject({ total: 6, pageNum: 2, pageSize: 2 });
    expect(page.records.map(({ action }) => action)).toEqual(['promotion.fail', 'promotion.approve']);
  });

  it.each(['since=yesterday', 'until=x', 'actor=a&actor=b', `action=${'x'.repeat(201)}`, 'pageSize=501'])(
    'refuses %s',
    async (query) => {
      expect(refusal(await admin.get(`/admin/audit?${query}`))).toMatchObject({
        status: 400,
        code: 'VALIDATION_ERROR',
        data: { fieldErrors: { [query.split('=')[0] ?? '']: expect.any(String) } },
      });
    },
  );

  it('as NDJSON is an entry a line, the oldest first, the whole of what fits', async () => {
    const response = await fetch(`${process.env.KEELSON_TEST_URL}/api/admin/audit?target=${pid}`, {
      headers: { authorization: `Bearer ${admin.user.token}`, accept: 'application/x-ndjson' },
    });

    expect(response.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as Entry)).toEqual((await find({ target: pid })).records.reverse());
  });

  it('as NDJSON refuses like JSON', async () => {
    const headers = { accept: 'application/x-ndjson' };

    expect(refusal(await admin.get('/admin/audit?since=x', headers))).toMatchObject({ status: 400 });
    expect((await call('/api/admin/audit', { headers })).status).toBe(401);
  });
});

describe('GET /api/admin/audit/verify', () => {
  it('walks the chain: every entry names the hash of the one before', async () => {
    const { ok, entries, brokenAt } = dataOf(await admin.get('/admin/audit/verify'));

    expect({ ok, brokenAt }).toEqual({ ok: true, brokenAt: null });
    expect(entries).toBeGreaterThan(5);
    const [newer, older] = (await find({ pageSize: '2' })).records;
    expect(newer?.previousHash).toBe(older?.hash);
  });
});
