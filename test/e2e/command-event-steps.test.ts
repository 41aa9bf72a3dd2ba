import { randomUUID } from 'node:crypto';
import { call, execute, type Answered, expectRefusal, dataOf } from '../support/api.ts';
import { getRun, newAutomation, runIs } from '../support/automations.ts';
import { rowsOf, until } from '../support/faults.ts';
import { upload } from '../support/files.ts';
import { newCode, newModel, newRole, save as publish, type TestModel } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { newAdmin, unitOf } from '../support/promotions.ts';
import { Receiver } from '../support/receiver.ts';
import { subscribe } from '../support/webhooks.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let admin: TestUser;
/** `score` is protected. */
let lead: TestModel;
let other: TestModel;
let receiver: Receiver;

beforeAll(async () => {
  await startOwnNode('command-steps');
  tenant = await newTenant();
  admin = await newUser(['PLATFORM_ADMIN'], tenant);
  const name = { code: 'name', name: 'Name', type: 'string' as const };
  const score = { code: 'score', name: 'Score', type: 'integer' as const, readPermission: true };
  lead = await newModel({ fields: [name, score] });
  other = await newModel({ fields: [name] });
  receiver = await Receiver.start();
});

const ENDS = ['SUCCEEDED', 'FAILED', 'CANCELLED'];
const made = () => ({
  id: 'made',
  operation: 'CREATE',
  modelCode: lead.code,
  values: { name: 'payload.name', score: 'payload.score' },
});
const payload = [
  { code: 'name', name: 'Name', type: 'string' },
  { code: 'score', name: 'Score', type: 'integer' },
  { code: 'note', name: 'Note', type: 'text' },
] as const;

function content(steps: readonly object[], more: object = {}) {
  return {
    name: 'Win',
    modelCode: lead.code,
    operations: ['CUSTOM'] as const,
    payload,
    steps: [made(), ...steps],
    ...more,
  };
}

async function command(steps: readonly object[], code = `test:${newCode()}`): Promise<string> {
  await publish('dev', { resourceType: 'COMMAND', code, content: content(steps) });
  return code;
}

const run = (
  code: string,
  given: object = {},
  { token } = admin,
  headers: Record<string, string> = {},
): Promise<Answered> => execute(token, code, { payload: { name: 'Ada', score: 97 }, ...given }, { headers });

async function problems(steps: readonly object[], code = `test:${newCode()}`): Promise<Record<string, string>> {
  const resource = { resourceType: 'COMMAND', code, content: content(steps) };
  const { body } = await execute(admin.token, 'meta:save', { payload: resource });
  const errors = Object.entries((body.data?.fieldErrors ?? {}) as Record<string, string>);
  return Object.fromEntries(errors.map(([path, problem]) => [path.split(' ').at(-1) ?? '', problem]));
}

const pauseOf = (seconds: number) => [{ id: 'pause', type: 'wait', seconds }];
const newType = (): string => `won.${newCode()}`;
const emit = (eventType: string, more: object = {}) => ({
  id: 'tell',
  type: 'emit',
  eventType,
  payload: { who: 'steps.made.name', points: 'steps.made.score' },
  ...more,
});
const heard = (name: string): object[] => receiver.at(name).map(({ body }) => JSON.parse(body) as object);

describe('a step of type emit', () => {
  it("emits an event of its own type, beside the command's own and with its commit", async () => {
    const eventType = newType();
    const code = await command([emit(eventType)]);
    const failing = await command([
      emit(eventType),
      { ...made(), id: 'bad', values: { name: 'string(int(payload.name))' } },
    ]);
    await subscribe(tenant, admin, receiver.urlOf('type'), { eventType });
    await subscribe(tenant, admin, receiver.urlOf('own'), { eventType: code });

    const failed = await run(failing);
    const { body } = await run(code);

    expect(failed.status).toBe(400);
    expect(body.data).toMatchObject({ made: { name: 'Ada' }, tell: { eventPid: expect.any(String) } });
    await until('both are heard', () => (heard('type').length > 0 && heard('own').length > 0) || null);
    expect(heard('type')).toEqual([
      { commandCode: code, modelCode: lead.code, payload: { who: 'Ada', points: 97 }, result: {} },
    ]);
    expect(heard('own')).toHaveLength(1);
    const rows = await rowsOf(
      tenant.id,
      'select event_type, record_pid, step_id from platform.event where tenant_id = $1 and command_code in ($2, $3) order by id',
      [tenant.id, code, failing],
    );
    const record_pid = body.data.made.pid;
    expect(rows).toEqual([
      { event_type: code, record_pid, step_id: '' },
      { event_type: eventType, record_pid, step_id: 'tell' },
    ]);
  });

  it('is listed by a dry run, left out by `when`, and part of each item of a batch', async () => {
    const eventType = newType();
    const code = await command([emit(eventType, { when: 'payload.score > 5' })]);
    const pid = await subscribe(tenant, admin, receiver.urlOf('dry'), { eventType, name: 'dry' });
    await subscribe(tenant, admin, receiver.urlOf('batch'), { eventType: code });

    const { events, subscriptions } = (await run(code, { dryRun: true })).body.data;
    const low = await run(code, { payload: { name: 'Bo', score: 1 }, dryRun: true });
    const items = [3, 7, 9].map((score) => ({ payload: { name: 'Bo', score } }));
    const batch = await call(`/api/meta/commands/execute/${code}/batch`, { token: admin.token, body: { items } });

    expect(events).toMatchObject([
      { eventType: code },
      { eventType, modelCode: lead.code, body: { payload: { who: 'Ada' } } },
      { eventType: 'record.created' },
    ]);
    expect(subscriptions).toContainEqual({ pid, name: 'dry' });
    expect(low.body.data.result.tell).toBeNull();
    expect(low.body.data.events).toHaveLength(2);
    expect(batch.body.data.succeeded).toBe(3);
    await until('all are heard', () => (heard('dry').length >= 2 && heard('batch').length >= 3) || null);
    expect(heard('dry')).toHaveLength(2);
  });

  it('shows nothing that its reader may not read, and is not heard without the models', async () => {
    const eventType = newType();
    const code = await command([emit(eventType)]);
    const told = [
      { id: 'found', type: 'query', modelCode: other.code },
      emit(eventType, { payload: { n: 'size(steps.found.records)' } }),
    ];
    const reading = await command(told);
    const roles = [await newRole(lead.permissions)];
    await subscribe(tenant, admin, receiver.urlOf('cut'), { eventType, roles });
    await subscribe(tenant, admin, receiver.urlOf('none'), { eventType, roles: [await newRole(other.permissions)] });
    await subscribe(tenant, admin, receiver.urlOf('whole'), { eventType });

    await run(code);
    await run(reading);

    await until('all are heard', () => (heard('whole').length === 2 && heard('cut').length >= 1) || null);
    expect(heard('whole')).toMatchObject([{ payload: { who: 'Ada', points: 97 } }, { payload: { n: 0 } }]);
    expect(heard('cut')).toMatchObject([{ commandCode: code }]);
    expect(heard('cut')[0]).toMatchObject({ payload: { who: 'Ada' } });
    expect(JSON.stringify(heard('cut'))).not.toContain('points');
    expect(heard('none')).toEqual([]);
  });

  it('triggers automations by its type; a trigger on the command hears the own event alone', async () => {
    const eventType = newType();
    const code = await command([emit(eventType)]);
    const input = [{ code: 'who', name: 'Who', type: 'string' as const }];
    const steps = pauseOf(1);
    const byType = await newAutomation({
      trigger: { type: 'event', eventType, input: { who: 'event.payload.who' } },
      input,
      steps,
    });
    const byCommand = await newAutomation({ trigger: { type: 'command', commandCode: code }, steps });

    await run(code);

    const runsOf = async (automation: string) =>
      (await call(`/api/automations/runs?automationCode=${automation}`, { token: admin.token })).body.data.records;
    await until(
      'both have run',
      async () => (await runsOf(byType)).length + (await runsOf(byCommand)).length >= 2 || null,
    );
    expect(await runsOf(byType)).toMatchObject([{ input: { who: 'Ada' } }]);
    expect(await runsOf(byCommand)).toHaveLength(1);
  });

  it('is known to subscriptions: as a type with a sample, and in the check of a filter', async () => {
    const eventType = newType();
    const code = await command([emit(eventType)]);
    const body = { name: 'x', targetUrl: receiver.urlOf('x'), eventType };
    const warned = async (more: object): Promise<string[]> =>
      (await call('/api/webhooks', { token: admin.token, body: { ...body, ...more } })).body.data.warnings;

    const { records } = (await call('/api/webhooks/event-types', { token: admin.token })).body.data;

    const type = records.find((each: { eventType: string }) => each.eventType === eventType);
    expect(type).toMatchObject({ commandCode: code, sample: { payload: { who: null } } });
    expect(await warned({ filterExpression: 'who == "Ada"' })).not.toContainEqual(expect.stringContaining('eventType'));
    expect(await warned({ filterExpression: 'nobody == "Ada"' })).toContainEqual(expect.stringContaining('nobody'));
  });

  it('is refused where its type is not the author’s to emit, and fails where its payload is too large', async () => {
    const mine = await command([]);
    const code = `test:${newCode()}`;
    for (const type of ['record.created', 'record:create', 'automation.x.done', 'webhook.disabled', 'meta:save']) {
      const problem = await problems([emit(type)]);
      expect(problem).toEqual({ 'content.steps.1.eventType': expect.stringMatching(/^must not begin with /) });
    }
    expect(await problems([emit(mine)])).toEqual({
      'content.steps.1.eventType': 'is the code of a command, and the type of its event',
    });
    expect(await problems([emit(code)], code)).toEqual({
      'content.steps.1.eventType': "is the type of the command's own event",
    });
    expect(await problems([emit('Not a type')])).toMatchObject({
      'content.steps.1.eventType': expect.stringContaining('must match'),
    });
    expect(await problems([emit('a.b', { payload: { x: 'steps.later.y' } })])).toEqual({
      'content.steps.1.payload.x': 'later is not an earlier step',
    });
    const large = await command([emit(newType(), { payload: { text: 'payload.note' } })]);
    expect(await run(large, { payload: { name: 'x', score: 1, note: 'x'.repeat(70_000) } })).toMatchObject({
      status: 400,
      body: { data: { fieldErrors: { 'tell.payload': 'must not be larger than 65536 bytes' } } },
    });
  });
});

describe('a step of type startAutomation', () => {
  const input = [
    { code: 'who', name: 'Who', type: 'string' as const, required: true },
    { code: 'points', name: 'Points', type: 'integer' as const },
  ];
  const start = (automationCode: string, more: object = {}) => ({
    id: 'start',
    type: 'startAutomation',
    automationCode,
    input: { who: 'steps.made.name', points: 'steps.made.score' },
    ...more,
  });
  const pause = pauseOf(1);

  it('starts one run with the commit, whose pid is answered and which the trace shows', async () => {
    const automation = await newAutomation({ input, steps: pause });
    const code = await command([start(automation)]);
    const traceId = randomUUID().replaceAll('-', '');
    const headers = { traceparent: `00-${traceId}-${'1'.repeat(16)}-01`, 'X-Idempotent-Key': newCode() };

    const { body } = await run(code, {}, admin, headers);
    const again = await run(code, {}, admin, headers);

    const { runPid } = body.data.start;
    expect(again.body.data.start.runPid).toBe(runPid);
    expect(await runIs(admin.token, runPid, ENDS)).toMatchObject({
      automationCode: automation,
      status: 'SUCCEEDED',
      trigger: 'command',
      input: { who: 'Ada', points: 97 },
    });
    const { data } = (await call(`/api/meta/trace/${traceId}`, { token: admin.token })).body;
    expect(data.executions[0].events).toMatchObject([{ eventType: code, runs: [{ runPid }] }]);
    const runs = await rowsOf(tenant.id, 'select pid from platform.automation_run where automation_code = $1', [
      automation,
    ]);
    expect(runs).toEqual([{ pid: runPid }]);
  });

  it('starts nothing where the command fails, is rehearsed, or leaves the step out', async () => {
    const automation = await newAutomation({ input, steps: pause });
    const bad = { ...made(), id: 'bad', values: { name: 'string(int(payload.name))' } };
    const failing = await command([start(automation), bad]);
    const code = await command([start(automation, { when: 'payload.score > 500' })]);

    expect((await run(failing)).status).toBe(400);
    expect((await run(code)).body.data.start).toBeNull();
    expect((await run(code, { payload: { name: 'x', score: 501 }, dryRun: true })).body.data.result).toMatchObject({
      start: { runPid: expect.any(String) },
    });
    const last = await run(code, { payload: { name: 'x', score: 502 } });
    await runIs(admin.token, last.body.data.start.runPid, ENDS);
    const runs = await rowsOf(tenant.id, 'select pid from platform.automation_run where automation_code = $1', [
      automation,
    ]);
    expect(runs).toHaveLength(1);
  });

  it('needs the permission to run the automation, which then has the role that it names', async () => {
    const role = await newRole([`record:read:${lead.code}`]);
    const automation = await newAutomation({ input, steps: pause, runAs: role });
    const code = await command([start(automation)]);
    const may = [`command:execute:${code}`];
    const stranger = await newUser([await newRole(may)], tenant);
    const clerk = await newUser([await newRole([...may, `automation:run:${automation}`])], tenant);

    expectRefusal(await run(code, {}, stranger), 'FORBIDDEN', { permission: `automation:run:${automation}` });
    const { runPid } = (await run(code, {}, clerk)).body.data.start;
    // The clerk may not read the lead, or its score.
    expect(await runIs(clerk.token, runPid, ENDS)).toMatchObject({ status: 'SUCCEEDED', input: {} });
    const [row] = await rowsOf(tenant.id, 'select roles, user_pid from platform.automation_run where pid = $1', [
      runPid,
    ]);
    expect(row).toEqual({ roles: [role], user_pid: clerk.pid });
  });

  it('cuts a chain of runs that start each other: the last one is FAILED', async () => {
    const [automation, code] = [newCode(), `test:${newCode()}`];
    await newAutomation({ steps: pause }, automation);
    await command([start(automation, { input: {} })], code);
    const again = { id: 'again', type: 'command', commandCode: code, payload: { name: '"Loop"' } };
    await newAutomation({ steps: [again] }, automation);

    const { runPid } = (await run(code)).body.data.start;

    await runIs(admin.token, runPid, ENDS);
    const runs = await until('the chain is cut', async () => {
      const rows = await rowsOf(
        tenant.id,
        'select status, depth, error from platform.automation_run where automation_code = $1 order by depth',
        [automation],
      );
      return rows.at(-1)?.status === 'FAILED' ? rows : null;
    });
    expect(runs.map(({ depth }) => depth)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(runs.at(-1).error).toMatchObject({ code: 'CONFLICT', data: { reason: 'LIMIT' } });
  });

  it('is refused with a place where the automation or its input is wrong', async () => {
    const automation = await newAutomation({ input, steps: pause });

    expect(await problems([start('no_such_automation')])).toEqual({
      'content.steps.1.automationCode': 'no_such_automation is not an automation',
    });
    expect(await problems([start(automation, { input: { points: '"many"', wat: '1' } })])).toEqual({
      'content.steps.1.input.who': 'is required',
      'content.steps.1.input.points': expect.any(String),
      'content.steps.1.input.wat': 'is not an input of this automation',
    });
    expect(await problems([start(automation, { input: { who: 'steps.made.wat' } })])).toEqual({
      'content.steps.1.input.who': expect.stringContaining('wat'),
    });
    const code = await command([start(automation)]);
    const large = await command([start(automation, { input: { who: 'payload.note' } })]);
    expect(await run(large, { payload: { name: 'x', note: 'x'.repeat(70_000) } })).toMatchObject({ status: 400 });
    expect(await run(code, { payload: { score: 1 } })).toMatchObject({
      status: 400,
      body: { data: { fieldErrors: { 'start.who': 'is required' } } },
    });
    expect(
      (await execute(admin.token, 'meta:delete', { payload: { resourceType: 'AUTOMATION', code: automation } })).status,
    ).toBe(400);
    expect((await getRun(admin.token, 'nothing')).status).toBe(404);
  });
});

describe('a promotion of a command', () => {
  it('needs the automation that the command starts, and may bring it along', async () => {
    const designer = await newAdmin();
    const automation = await newAutomation({ steps: pauseOf(1) });
    const code = await command([{ id: 'start', type: 'startAutomation', automationCode: automation }]);
    const pid = await designer.created([await unitOf('COMMAND', code)]);

    const missing = dataOf(await designer.validate(pid)).conflicts;
    const included = dataOf(await designer.validate(pid, { autoInclude: true }));

    expect(missing).toContainEqual(expect.objectContaining({ message: `${automation} is not in the target` }));
    expect(included).toMatchObject({ status: 'VALIDATED', conflicts: [] });
    expect(included.plan.items).toContainEqual(
      expect.objectContaining({ resourceType: 'AUTOMATION', code: automation }),
    );
  });
});

describe('an import', () => {
  it('emits and starts for each of its rows, as the command does', async () => {
    const [eventType, code] = [newType(), `test:${newCode()}`];
    const automation = await newAutomation({ steps: pauseOf(1) });
    const row = { id: 'row', operation: 'CREATE', modelCode: other.code, values: { name: 'payload.name' } };
    const told = emit(eventType, { payload: { who: 'steps.row.name' } });
    const started = { id: 'start', type: 'startAutomation', automationCode: automation };
    const whole = { name: 'Row', modelCode: other.code, operations: ['CREATE'], steps: [row, told, started] };
    await publish('dev', { resourceType: 'COMMAND', code, content: whole });
    await subscribe(tenant, admin, receiver.urlOf('rows'), { eventType });
    const file = await upload(admin, 'name\nAda\nBo\n', { name: 'a.csv', type: 'text/csv' });
    const body = { filePid: file.body.data.pid, format: 'csv', commandCode: code, mapping: { name: 'name' } };

    expect((await call(`/api/dynamic/${other.code}/imports`, { token: admin.token, body })).status).toBe(202);

    await until('both rows are heard', () => heard('rows').length === 2 || null);
    expect(heard('rows')).toMatchObject([{ commandCode: code }, { commandCode: code }]);
    await until('both runs have begun', async () => {
      const found = await rowsOf(tenant.id, 'select pid from platform.automation_run where automation_code = $1', [
        automation,
      ]);
      return found.length === 2 || null;
    });
  });
});
