import { call, execute } from '../support/api.ts';
import { act, getRun, newAutomation, runIs, runToEnd, startRun } from '../support/automations.ts';
import { newRole } from '../support/models.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let admin: TestUser;
let lead: string;

beforeEach(async () => {
  tenant = await newTenant();
  admin = await newUser(['ADMIN'], tenant);
  lead = (await execute(admin.token, 'crm:create_lead', { payload: { name: 'Ada' } })).body.data.pid;
});

const approvalsOf = async ({ token }: TestUser, query = '') =>
  (await call(`/api/automations/approvals${query}`, { token })).body.data;

/** A run about a lead that waits for the approval of a role. */
async function asking(role: string, more: object = {}): Promise<{ code: string; runPid: string }> {
  const code = await newAutomation({
    input: [{ code: 'leadPid', name: 'Lead', type: 'relation', target: 'lead', required: true }],
    steps: [{ id: 'ok', type: 'approval', role, message: '"Contact " + input.leadPid + "?"', ...more }],
  });
  const { body } = await startRun(admin.token, code, { leadPid: lead });
  await runIs(admin.token, body.data.runPid, ['WAITING']);
  return { code, runPid: body.data.runPid };
}

describe('GET /api/automations/approvals', () => {
  it('lists to an approver without automation:run what they are asked, and the record that they may read', async () => {
    const [reading, blind] = await Promise.all([newRole(['record:read:lead']), newRole([])]);
    const [reader, other] = await Promise.all([newUser([reading], tenant), newUser([blind], tenant)]);
    const first = await asking(reading);
    const second = await asking(blind, { timeoutSeconds: 60 });
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    const waits = { step: 'ok', message: `Contact ${lead}?`, since: at, due: at, mayDecide: true };

    expect(await approvalsOf(reader)).toEqual({
      total: 1,
      pageNum: 1,
      pageSize: 10,
      records: [
        { ...waits, runPid: first.runPid, automationCode: first.code, record: { modelCode: 'lead', pid: lead } },
      ],
    });
    expect((await approvalsOf(other)).records).toEqual([
      { ...waits, runPid: second.runPid, automationCode: second.code, record: null },
    ]);
  });

  it('forgets what was decided, pages, and keeps tenants apart', async () => {
    const role = await newRole([]);
    const approver = await newUser([role], tenant);
    const stranger = await newUser([role], await newTenant());
    const [one, two] = [await asking(role), await asking(role)];

    expect(await approvalsOf(approver, '?pageSize=1&pageNum=2')).toMatchObject({
      total: 2,
      records: [{ runPid: two.runPid }],
    });
    expect((await approvalsOf(stranger)).total).toBe(0);

    expect((await act(approver.token, one.runPid, 'approve', { approved: true })).status).toBe(200);
    expect((await approvalsOf(approver)).records).toMatchObject([{ runPid: two.runPid }]);
  });

  it('says who must leave the decision to another person', async () => {
    const { runPid } = await asking('ADMIN', { fourEyes: true });
    const second = await newUser(['ADMIN'], tenant);

    expect((await approvalsOf(admin)).records).toMatchObject([{ runPid, mayDecide: false }]);
    expect((await approvalsOf(second)).records).toMatchObject([{ runPid, mayDecide: true }]);
  });

  it('leaves the decision, its comment and its maker in the run', async () => {
    const role = await newRole([]);
    const approver = await newUser([role], tenant);
    const { runPid } = await asking(role);
    await act(approver.token, runPid, 'approve', { approved: true, comment: 'go on' });
    await runIs(admin.token, runPid, ['SUCCEEDED']);

    expect((await getRun(admin.token, runPid)).body.data.steps).toMatchObject([
      {
        id: 'ok',
        output: { message: `Contact ${lead}?`, approved: true, comment: 'go on', by: { pid: approver.pid } },
      },
    ]);
  });
});

describe('the error of a run', () => {
  it('names the step, its type and its place in the definition', async () => {
    const steps = [{ id: 'never', type: 'condition', assert: 'false', otherwise: 'fail' }];
    const code = await newAutomation({
      steps: [
        { id: 'first', type: 'condition', assert: 'true' },
        { id: 'way', type: 'branch', cases: [{ if: 'true', steps }] },
      ],
    });

    expect((await runToEnd(admin.token, code)).error).toMatchObject({
      data: { step: 'never', type: 'condition', path: 'steps.1.cases.0.steps.0' },
    });
  });
});
