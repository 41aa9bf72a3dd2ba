import { ulid } from 'ulid';
import { call, execute, list, expectRefusal } from '../support/api.ts';
import {
  act,
  createLead,
  getRun,
  leadsNamed,
  newAutomation,
  runIs,
  runToEnd,
  startRun,
  stepsOf,
  wait,
} from '../support/automations.ts';
import { until } from '../support/faults.ts';
import { newRole, save } from '../support/models.ts';
import { Receiver } from '../support/receiver.ts';
import { newTenant, newUser, signedIn } from '../support/world.ts';
import type { AnyStep } from '../../src/features/automations/steps/step-schema.ts';

const { tenant, user } = signedIn('ADMIN');

const deleteLead = (id: string) => ({
  commandCode: 'crm:delete_lead',
  operationType: 'DELETE' as const,
  target: `steps.${id}.pid`,
});
const ask = (id: string, more: object = {}): AnyStep => ({ id, type: 'approval', role: 'ADMIN', ...more });

describe('POST /api/automations/{code}/runs', () => {
  it('begins a run and answers 202 with it; the run goes through its steps', async () => {
    const name = `Run ${ulid()}`;
    const code = await newAutomation({
      input: [{ code: 'leadName', name: 'Name', type: 'string', required: true }],
      steps: [createLead('lead', 'input.leadName'), wait('pause', 0.1)],
    });

    const begun = await startRun(user.token, code, { leadName: name });

    expect(begun).toMatchObject({ status: 202, body: { code: '0', data: { automationCode: code, version: 1 } } });
    const { runPid } = begun.body.data;
    expect(begun.headers.get('location')).toBe(`/api/automations/runs/${runPid}`);
    const run = await runIs(user.token, runPid, ['SUCCEEDED']);
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(run).toMatchObject({ runPid, status: 'SUCCEEDED', input: { leadName: name }, error: null, finishedAt: at });
    expect(run.steps).toEqual([
      {
        id: 'lead',
        key: 'lead',
        type: 'command',
        status: 'SUCCEEDED',
        attempt: 1,
        startedAt: at,
        finishedAt: at,
        error: null,
        output: expect.objectContaining({ name, status: 'new' }),
      },
      {
        id: 'pause',
        key: 'pause',
        type: 'wait',
        status: 'SUCCEEDED',
        attempt: 0,
        startedAt: at,
        finishedAt: at,
        error: null,
        output: { until: at },
      },
    ]);
    expect(await leadsNamed(user.token, name)).toHaveLength(1);
  });

  it('refuses an input that is not as declared, by field', async () => {
    const code = await newAutomation({
      input: [{ code: 'count', name: 'Count', type: 'integer', required: true, max: 5 }],
      steps: [wait('pause', 1)],
    });
    const refused = (fieldErrors: object) => ({
      status: 400,
      body: { code: 'VALIDATION_ERROR', data: { fieldErrors } },
    });

    expect(await startRun(user.token, code, {})).toMatchObject(refused({ count: 'is required' }));
    expect(await startRun(user.token, code, { count: 9, other: 1 })).toMatchObject(
      refused({ count: expect.any(String), other: expect.any(String) }),
    );
    expect(await call(`/api/automations/${code}/runs`, { token: user.token, body: { inputs: {} } })).toMatchObject(
      refused({ inputs: expect.any(String) }),
    );
  });

  it('begins one run for an idempotency key', async () => {
    const code = await newAutomation({ steps: [wait('pause', 0.1)] });
    const headers = { 'X-Idempotent-Key': ulid() };
    const first = await startRun(user.token, code, {}, { headers });

    const second = await startRun(user.token, code, {}, { headers });

    expect(second).toMatchObject({ status: 200, body: { code: 'IDEMPOTENT_REPLAY' } });
    expect(second.body.data.runPid).toBe(first.body.data.runPid);
  });

  it('needs automation:run:<code>', async () => {
    const code = await newAutomation({ steps: [wait('pause', 0.1)] });
    const [may, other] = await Promise.all([newRole([`automation:run:${code}`]), newRole(['automation:run:another'])]);
    const [allowed, stranger] = await Promise.all([newUser([may], tenant), newUser([other], tenant)]);

    expectRefusal(await startRun(stranger.token, code), 'FORBIDDEN', { permission: `automation:run:${code}` });
    const run = await runToEnd(allowed.token, code);
    expect(run.status).toBe('SUCCEEDED');
    expect(await getRun(stranger.token, run.runPid)).toMatchObject({ status: 403 });
    const { body } = await call('/api/automations', { token: allowed.token });
    expect(body.data).toEqual([expect.objectContaining({ code, version: 1, trigger: { type: 'manual' } })]);
    expectRefusal(await startRun(user.token, 'there_is_none'), 'NOT_FOUND');
  });

  it('shows runs to their tenant and environment alone', async () => {
    const code = await newAutomation({ steps: [ask('ok')] });
    const { body } = await startRun(user.token, code);
    const { runPid } = body.data;
    const stranger = await newUser(['ADMIN'], await newTenant());

    for (const answered of [
      await getRun(stranger.token, runPid),
      await act(stranger.token, runPid, 'approve', { approved: true }),
      await act(stranger.token, runPid, 'cancel'),
      await act(stranger.token, runPid, 'retry'),
      await call(`/api/automations/runs/${runPid}/stream`, { token: stranger.token }),
      await getRun(user.token, runPid, { headers: { 'X-Environment': 'staging' } }),
    ]) {
      expectRefusal(answered, 'NOT_FOUND');
    }
    expect((await call('/api/automations/runs', { token: stranger.token })).body.data.total).toBe(0);
  });

  it('lists runs, the newest first, by automation and status', async () => {
    const code = await newAutomation({ steps: [wait('pause', 0.05)] });
    const runs = [];
    for (let n = 0; n < 3; n += 1) runs.push((await runToEnd(user.token, code)).runPid);

    const query = `automationCode=${code}&status=SUCCEEDED&pageSize=2`;
    const { body } = await call(`/api/automations/runs?${query}`, { token: user.token });

    expect(body.data).toMatchObject({ total: 3, pageNum: 1, pageSize: 2 });
    expect(body.data.records.map(({ runPid }: { runPid: string }) => runPid)).toEqual(runs.reverse().slice(0, 2));
    expect(await call('/api/automations/runs?status=odd', { token: user.token })).toMatchObject({ status: 400 });
  });
});

describe('a run that fails', () => {
  it('undoes what it did, the last first', async () => {
    const [first, second] = [`A ${ulid()}`, `B ${ulid()}`];
    const code = await newAutomation({
      steps: [
        createLead('one', `"${first}"`, { compensation: deleteLead('one') }),
        createLead('two', `"${second}"`, { compensation: deleteLead('two') }),
        createLead('bad', '"" + ""'),
      ],
    });

    const run = await runToEnd(user.token, code);

    expect(stepsOf(run)).toEqual([
      'one SUCCEEDED',
      'two SUCCEEDED',
      'bad FAILED',
      'undo:two SUCCEEDED',
      'undo:one SUCCEEDED',
    ]);
    expect([await leadsNamed(user.token, first), await leadsNamed(user.token, second)]).toEqual([[], []]);
  });

  it('goes on from the failed step when it is retried, and does again what was undone', async () => {
    const receiver = await Receiver.start();
    let isWell = false;
    receiver.answer = () => ({ status: isWell ? 200 : 500 });
    const [kept, undone] = [`K ${ulid()}`, `U ${ulid()}`];
    const code = await newAutomation({
      steps: [
        createLead('kept', `"${kept}"`),
        createLead('undone', `"${undone}"`, { compensation: deleteLead('undone') }),
        { id: 'call', type: 'http', url: `"${receiver.url}"` },
      ],
    });
    const failed = await runToEnd(user.token, code);
    expect(failed.status).toBe('FAILED');
    expect(await leadsNamed(user.token, undone)).toEqual([]);
    isWell = true;

    const retried = await act(user.token, failed.runPid, 'retry');

    expect(retried).toMatchObject({ status: 200, body: { data: { runPid: failed.runPid } } });
    const run = await runIs(user.token, failed.runPid, ['SUCCEEDED', 'FAILED']);
    expect([run.status, ...stepsOf(run)]).toEqual([
      'SUCCEEDED',
      'kept SUCCEEDED',
      'undone SUCCEEDED',
      'call SUCCEEDED',
    ]);
    expect([(await leadsNamed(user.token, kept)).length, (await leadsNamed(user.token, undone)).length]).toEqual([
      1, 1,
    ]);
    expectRefusal(await act(user.token, failed.runPid, 'retry'), 'CONFLICT', { reason: 'STATE' });
  });

  it('does again what was undone in a for-each that had ended', async () => {
    const receiver = await Receiver.start();
    let isWell = false;
    receiver.answer = () => ({ status: isWell ? 200 : 500 });
    const names = [1, 2, 3].map((n) => `${ulid()} ${n}`);
    const lead = createLead('lead', 'item', { compensation: deleteLead('lead') });
    const code = await newAutomation({
      input: [{ code: 'names', name: 'Names', type: 'json' }],
      steps: [
        {
          id: 'each',
          type: 'forEach',
          items: 'input.names',
          concurrency: 2,
          steps: [{ id: 'any', type: 'branch', cases: [{ if: 'true', steps: [lead] }] }],
        },
        { id: 'call', type: 'http', url: `"${receiver.url}"` },
      ],
    });
    const { status, runPid } = await runToEnd(user.token, code, { names });
    expect(status).toBe('FAILED');
    expect(await Promise.all(names.map((name) => leadsNamed(user.token, name)))).toEqual([[], [], []]);
    isWell = true;

    await act(user.token, runPid, 'retry');

    const run = await runIs(user.token, runPid, ['SUCCEEDED', 'FAILED']);
    expect(run).toMatchObject({ status: 'SUCCEEDED', stepCount: 8 });
    for (const name of names) expect(await leadsNamed(user.token, name)).toHaveLength(1);
  });
});

describe('POST .../cancel', () => {
  it('ends a run that waits, and undoes what it did', async () => {
    const name = `C ${ulid()}`;
    const code = await newAutomation({
      steps: [createLead('lead', `"${name}"`, { compensation: deleteLead('lead') }), wait('long', 3_600)],
    });
    const { body } = await startRun(user.token, code);
    await runIs(user.token, body.data.runPid, ['WAITING']);

    expect(await act(user.token, body.data.runPid, 'cancel', { reason: 'no need' })).toMatchObject({ status: 200 });

    const run = await runIs(user.token, body.data.runPid, ['CANCELLED']);
    expect(stepsOf(run)).toEqual(['lead SUCCEEDED', 'long CANCELLED', 'undo:lead SUCCEEDED']);
    expect(run.error).toMatchObject({ code: 'CONFLICT', data: { reason: 'CANCELLED', comment: 'no need' } });
    expect(await leadsNamed(user.token, name)).toEqual([]);
    expect(await act(user.token, body.data.runPid, 'cancel')).toMatchObject({ status: 409 });
  });
});

describe('POST .../approve', () => {
  it('lets the run go on, and tells later steps who said what', async () => {
    const code = await newAutomation({
      steps: [
        ask('ok', { message: '"Really, " + actor.username + "?"' }),
        { id: 'said', type: 'condition', assert: 'steps.ok.approved && steps.ok.comment == "fine"', otherwise: 'fail' },
      ],
    });
    const { body } = await startRun(user.token, code);
    const { runPid } = body.data;
    const waiting = await runIs(user.token, runPid, ['WAITING']);
    expect(waiting.steps).toMatchObject([
      { id: 'ok', type: 'approval', status: 'WAITING', approvers: { role: 'ADMIN' } },
    ]);

    const approved = await act(user.token, runPid, 'approve', { approved: true, comment: 'fine' });

    // It may already have gone on.
    expect(approved.status).toBe(200);
    expect(approved.body.data.steps[0]).toMatchObject({ id: 'ok', status: 'SUCCEEDED' });
    expect((await runIs(user.token, runPid, ['SUCCEEDED', 'FAILED'])).status).toBe('SUCCEEDED');
    expect(await act(user.token, runPid, 'approve', { approved: true })).toMatchObject({
      status: 409,
      body: { data: { reason: 'STATE' } },
    });
  });

  it('fails the run when it is refused', async () => {
    const code = await newAutomation({ steps: [ask('ok')] });
    const { body } = await startRun(user.token, code);
    await runIs(user.token, body.data.runPid, ['WAITING']);
    await act(user.token, body.data.runPid, 'approve', { approved: false, comment: 'no' });
    expect(await runIs(user.token, body.data.runPid, ['FAILED'])).toMatchObject({
      error: { code: 'CONFLICT', data: { reason: 'REJECTED', comment: 'no', step: 'ok' } },
    });
  });

  it('is for whoever is asked, by role or by name', async () => {
    const boss = await newRole([]);
    const clerk = await newRole(['automation:run:*']);
    const [asked, other] = await Promise.all([newUser([boss], tenant), newUser([clerk], tenant)]);
    const byRole = await newAutomation({ steps: [ask('ok', { role: boss })] });
    const byName = await newAutomation({ steps: [{ id: 'ok', type: 'approval', user: `"${asked.email}"` }] });
    for (const code of [byRole, byName]) {
      const { body } = await startRun(other.token, code);
      const { runPid } = body.data;
      await runIs(other.token, runPid, ['WAITING']);

      expectRefusal(await act(other.token, runPid, 'approve', { approved: true }), 'FORBIDDEN', {
        reason: 'NOT_APPROVER',
      });
      expect(await act(asked.token, runPid, 'cancel')).toMatchObject({ status: 403 });
      expect(await act(asked.token, runPid, 'approve', { approved: 'yes' })).toMatchObject({ status: 400 });
      expect(await act(asked.token, runPid, 'approve', { approved: true })).toMatchObject({ status: 200 });
      await runIs(other.token, runPid, ['SUCCEEDED']);
    }
  });

  it('is for a second person where the step wants four eyes', async () => {
    const code = await newAutomation({ steps: [ask('ok', { fourEyes: true })] });
    const { body } = await startRun(user.token, code);
    await runIs(user.token, body.data.runPid, ['WAITING']);
    expectRefusal(await act(user.token, body.data.runPid, 'approve', { approved: true }), 'FOUR_EYES_REQUIRED');
    const second = await newUser(['ADMIN'], tenant);
    expect(await act(second.token, body.data.runPid, 'approve', { approved: true })).toMatchObject({ status: 200 });
  });

  it('comes too late after the timeout', async () => {
    const code = await newAutomation({
      steps: [ask('ok', { timeoutSeconds: 1, onTimeout: 'continue' }), ask('again', { timeoutSeconds: 1 })],
    });
    const run = await runToEnd(user.token, code);
    expect(stepsOf(run)).toEqual(['ok SUCCEEDED', 'again FAILED']);
    expect(run.error).toMatchObject({ code: 'CONFLICT', data: { reason: 'TIMEOUT' } });
  });
});

describe('a run keeps to the version of its definition with which it began', () => {
  it('whatever is saved meanwhile', async () => {
    const code = await newAutomation({ steps: [ask('ok'), wait('old', 0.05)] });
    const { body } = await startRun(user.token, code);
    await runIs(user.token, body.data.runPid, ['WAITING']);
    await newAutomation({ steps: [wait('new', 0.05)] }, code);

    await act(user.token, body.data.runPid, 'approve', { approved: true });

    const run = await runIs(user.token, body.data.runPid, ['SUCCEEDED']);
    expect([run.version, ...stepsOf(run)]).toEqual([1, 'ok SUCCEEDED', 'old SUCCEEDED']);
    const next = await runToEnd(user.token, code);
    expect([next.version, ...stepsOf(next)]).toEqual([2, 'new SUCCEEDED']);
  });
});

describe('the automation lead_follow_up of the demo', () => {
  it('waits, makes a task, asks SALES, and opens the lead', async () => {
    const sales = await newUser(['SALES'], tenant);
    const created = await execute(sales.token, 'crm:create_lead', { payload: { name: `Follow ${ulid()}` } });
    const leadPid = created.body.data.pid as string;
    const { body } = await startRun(sales.token, 'lead_follow_up', { leadPid });
    const { runPid } = body.data;
    await until('it asks', async () => (await getRun(sales.token, runPid)).body.data.steps.at(-1).id === 'approval');

    await act(sales.token, body.data.runPid, 'approve', { approved: true });

    const run = await runIs(sales.token, body.data.runPid, ['SUCCEEDED', 'FAILED']);
    expect(run).toMatchObject({ status: 'SUCCEEDED' });
    const lead = await call(`/api/dynamic/leads/${leadPid}`, { token: sales.token });
    expect(lead.body.data.status).toBe('open');
    const filters = [{ fieldName: 'lead', operator: 'eq', value: leadPid }];
    expect((await list(sales.token, 'tasks', { filters })).body.data.total).toBe(1);
  });
});

describe('an AUTOMATION resource', () => {
  it('cannot name what is not there, nor lose what it names', async () => {
    const broken = newAutomation({ steps: [{ id: 'x', type: 'command', commandCode: 'crm:there_is_none' }] });
    await expect(broken).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { fieldErrors: expect.objectContaining({}) },
    });
    const command = `test:c_${ulid().toLowerCase()}`;
    await save('dev', {
      resourceType: 'COMMAND',
      code: command,
      content: { name: 'C', modelCode: 'lead', operations: ['CREATE'] },
    });
    await newAutomation({ steps: [{ id: 'x', type: 'command', commandCode: command, payload: { name: '"x"' } }] });
    const admin = await newUser(['PLATFORM_ADMIN'], tenant);
    const removed = await execute(admin.token, 'meta:delete', { payload: { resourceType: 'COMMAND', code: command } });
    expectRefusal(removed, 'VALIDATION_ERROR');
  });
});
