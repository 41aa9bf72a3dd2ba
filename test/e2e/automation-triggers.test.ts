import { ulid } from 'ulid';
import type { AutomationContent } from '../../src/features/automations/definition/automation-content.ts';
import { call, execute, list } from '../support/api.ts';
import { getRun, newAutomation, runIs, startRun, stepsOf } from '../support/automations.ts';
import { temporal, until } from '../support/faults.ts';
import { newModel, newRole, save } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import { Receiver } from '../support/receiver.ts';
import { subscribe } from '../support/webhooks.ts';
import { container, newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

/*
 * Setup: a program on a database of its own. What a database's schedules are is written down in it, and other
 * tests have workers of other task queues on the shared one.
 */
let tenant: TestTenant;
let user: TestUser;
const made: string[] = [];

beforeAll(async () => {
  await startOwnNode('autotriggers');
  tenant = await newTenant();
  user = await newUser(['ADMIN'], tenant);
});
/** What listens to events of every tenant is taken away again. */
afterEach(async () => {
  for (const code of made.splice(0)) await newAutomation({ steps: [{ id: 'x', type: 'wait', seconds: 1 }] }, code);
});

const nothing: AutomationContent['steps'] = [{ id: 'ok', type: 'condition', assert: 'true' }];
async function listening(content: Parameters<typeof newAutomation>[0]): Promise<string> {
  const code = await newAutomation(content);
  made.push(code);
  return code;
}
const createLead = (payload: object, who = user) => execute(who.token, 'crm:create_lead', { payload });
async function runsOf(code: string, who = user) {
  return (await call(`/api/automations/runs?automationCode=${code}`, { token: who.token })).body.data.records;
}
const until1 = (code: string) => until(`a run of ${code}`, async () => (await runsOf(code))[0]);
/** Resolves when the outbox has nothing left that was in it: what has not begun by now never will. */
async function settled(): Promise<void> {
  const [last] = await runSql<{ id: string }>('select max(id) as id from platform.event');
  await until('the outbox is empty', async () => {
    const [left] = await runSql<{ n: number }>(
      'select count(*)::int as n from platform.event where dispatched_at is null and id <= $1',
      [last?.id],
    );
    return left?.n === 0;
  });
}

describe('an event', () => {
  it('begins a run once, with the input mapped from it, as the person whose command it was', async () => {
    const name = `E ${ulid()}`;
    const code = await listening({
      trigger: {
        type: 'event',
        eventType: 'crm:create_*',
        modelCode: 'lead',
        filter: `name == "${name}" && amount > 10`,
        input: { leadPid: 'event.result.pid', total: 'event.payload.amount' },
      },
      input: [
        { code: 'leadPid', name: 'Lead', type: 'relation', target: 'lead', required: true },
        { code: 'total', name: 'Total', type: 'decimal' },
      ],
      steps: nothing,
    });
    await createLead({ name, amount: '5' });
    await createLead({ name: 'another', amount: '50' });

    const { body } = await createLead({ name, amount: '50' });

    const run = await until1(code);
    await settled();
    expect(await runsOf(code)).toHaveLength(1);
    expect(run).toMatchObject({
      trigger: 'event',
      input: { leadPid: body.data.pid, total: '50' },
      startedBy: { userPid: user.pid },
    });
    await runIs(user.token, run.runPid, ['SUCCEEDED']);
  });

  it('begins runs in its own tenant alone', async () => {
    const code = await listening({ trigger: { type: 'event', eventType: 'crm:create_lead' }, steps: nothing });
    const other = await newTenant();
    const stranger = await newUser(['ADMIN'], other);
    await createLead({ name: 'x' }, stranger);
    await until('a run there', async () => (await runsOf(code, stranger)).length === 1);
    expect(await runsOf(code)).toEqual([]);
  });

  it('of a record begins runs, too', async () => {
    const code = await listening({
      trigger: { type: 'event', eventType: 'record.updated', modelCode: 'lead', input: { pid1: 'event.recordPid' } },
      input: [{ code: 'pid1', name: 'P', type: 'string' }],
      steps: nothing,
    });
    const { body } = await createLead({ name: 'x' });
    const changed = { operationType: 'UPDATE', targetRecordId: body.data.pid, payload: { status: 'open' } };
    await execute(user.token, 'crm:update_lead', changed);
    expect(await until1(code)).toMatchObject({ input: { pid1: body.data.pid } });
  });

  it('that gives no right input leaves a failed run that says why', async () => {
    const code = await listening({
      trigger: { type: 'event', eventType: 'crm:create_lead', input: { n: 'int(event.payload.name)' } },
      input: [{ code: 'n', name: 'N', type: 'integer' }],
      steps: nothing,
    });
    await createLead({ name: 'x' });
    expect(await until1(code)).toMatchObject({
      status: 'FAILED',
      error: { code: 'VALIDATION_ERROR', data: { fieldErrors: { 'trigger.input.n': expect.any(String) } } },
    });
  });

  it('begins nothing while the automation is not enabled', async () => {
    const code = await listening({
      enabled: false,
      trigger: { type: 'event', eventType: 'crm:create_lead' },
      steps: nothing,
    });
    await createLead({ name: 'x' });
    await settled();
    expect(await runsOf(code)).toEqual([]);
  });

  it('shows a run no field that its role may not read', async () => {
    const role = await newRole(['record:read:lead', 'command:execute:crm:*', 'automation:run:*']);
    const code = await listening({
      trigger: {
        type: 'event',
        eventType: 'crm:create_lead',
        input: { score: 'has(event.result.score) ? event.result.score : -1' },
      },
      runAs: role,
      input: [{ code: 'score', name: 'S', type: 'integer' }],
      steps: nothing,
    });
    await createLead({ name: 'x', score: 7 });
    expect(await until1(code)).toMatchObject({ input: { score: -1 } });
  });
});

describe('a command', () => {
  it('begins a run when it is done, whatever its event is called', async () => {
    const command = `test:c_${ulid().toLowerCase()}`;
    const event = { type: `told.${ulid().toLowerCase()}` };
    const content = { name: 'C', modelCode: 'lead', operations: ['CREATE' as const], event };
    await save('dev', { resourceType: 'COMMAND', code: command, content });
    const code = await listening({ trigger: { type: 'command', commandCode: command }, steps: nothing });
    await execute(user.token, command, { payload: { name: 'x' } });
    expect(await until1(code)).toMatchObject({ trigger: 'command' });
  });
});

describe('an automation that causes what it listens to', () => {
  it('is begun again a few times, and then no more', async () => {
    const name = `Loop ${ulid()}`;
    const code = await listening({
      trigger: { type: 'event', eventType: 'crm:create_lead', filter: `name == "${name}"` },
      steps: [{ id: 'again', type: 'command', commandCode: 'crm:create_lead', payload: { name: `"${name}"` } }],
    });
    await createLead({ name });

    await until('six runs are done', async () => {
      const runs = await runsOf(code);
      return runs.length === 6 && runs.every(({ status }: { status: string }) => status === 'SUCCEEDED');
    });

    await settled();
    const runs = await runsOf(code);
    expect(runs).toHaveLength(6);
    expect(runs.filter(({ parentRunPid }: { parentRunPid: string | null }) => parentRunPid === null)).toHaveLength(1);
    const filters = [{ fieldName: 'name', operator: 'eq', value: name }];
    expect((await list(user.token, 'leads', { filters })).body.data.total).toBe(7);
  });
});

describe('a step that waits for an event', () => {
  it('goes on with the first one that its filter takes, and gives it to later steps', async () => {
    const code = await newAutomation({
      input: [{ code: 'want', name: 'W', type: 'string' }],
      steps: [
        {
          id: 'made',
          type: 'waitForEvent',
          eventType: 'crm:create_lead',
          modelCode: 'lead',
          filter: 'event.payload.name == input.want',
        },
        { id: 'is', type: 'condition', assert: 'steps.made.event.result.name == input.want', otherwise: 'fail' },
      ],
    });
    const want = `W ${ulid()}`;
    const { body } = await startRun(user.token, code, { want });
    const { runPid } = body.data;
    await runIs(user.token, runPid, ['WAITING']);
    await createLead({ name: 'another' });
    const stranger = await newUser(['ADMIN'], await newTenant());
    await createLead({ name: want }, stranger);
    await settled();
    expect((await getRun(user.token, runPid)).body.data.status).toBe('WAITING');

    await createLead({ name: want });

    expect(stepsOf(await runIs(user.token, runPid, ['SUCCEEDED', 'FAILED']))).toEqual([
      'made SUCCEEDED',
      'is SUCCEEDED',
    ]);
  });

  it('fails when none comes in time', async () => {
    const code = await newAutomation({
      steps: [{ id: 'none', type: 'waitForEvent', eventType: 'never.told', timeoutSeconds: 1 }],
    });
    const { body } = await startRun(user.token, code);
    expect(await runIs(user.token, body.data.runPid, ['FAILED'])).toMatchObject({
      error: { data: { reason: 'TIMEOUT', step: 'none' } },
    });
  });
});

describe('an event that the run may not read', () => {
  const trigger = (modelCode: string) => ({ type: 'event' as const, eventType: '*', modelCode });
  const write = (command: string, name: string) => execute(user.token, command, { payload: { name } });
  const secretModel = () =>
    newModel({
      fields: [{ code: 'name', name: 'Name', type: 'string' }],
      rowRules: [{ name: 'Public', conditions: [{ fieldName: 'name', operator: 'eq', value: 'public' }] }],
    });

  it('begins nothing where its model needs a record:read that the role lacks', async () => {
    const code = await listening({
      trigger: trigger('lead'),
      runAs: await newRole(['automation:run:*']),
      steps: nothing,
    });
    await createLead({ name: 'x' });
    await settled();
    expect(await runsOf(code)).toEqual([]);
  });

  it('begins nothing where its command writes a model that the role may not read', async () => {
    const role = await newRole(['record:read:lead', 'automation:run:*']);
    const code = await listening({
      trigger: { type: 'command', commandCode: 'crm:convert_lead' },
      runAs: role,
      steps: nothing,
    });
    const { body } = await createLead({ name: 'x' });
    expect((await execute(user.token, 'crm:convert_lead', { targetRecordId: body.data.pid })).status).toBe(200);
    await settled();
    expect(await runsOf(code)).toEqual([]);
  });

  it('begins nothing where a row rule hides its record', async () => {
    const model = await secretModel();
    const code = await listening({ trigger: trigger(model.code), steps: nothing });
    await write(model.command, 'hidden');
    await settled();
    expect(await runsOf(code)).toEqual([]);

    await write(model.command, 'public');

    // The event of the command, and the generic one of its record.
    await until('both runs', async () => (await runsOf(code)).length === 2);
  });

  it('does not end a step that waits for such an event', async () => {
    const model = await secretModel();
    const code = await newAutomation({
      steps: [
        { id: 'lead', type: 'waitForEvent', eventType: 'crm:create_lead', filter: 'event.payload.name == "wanted"' },
      ],
    });
    const inModel = await newAutomation({
      steps: [
        { id: 'any', type: 'waitForEvent', eventType: '*', modelCode: model.code },
        { id: 'is', type: 'condition', assert: 'steps.any.event.payload.name == "public"', otherwise: 'fail' },
      ],
    });
    const blind = await newUser([await newRole(['automation:run:*'])], tenant);
    const [waiting, waitingForRecord] = await Promise.all([startRun(blind.token, code), startRun(user.token, inModel)]);
    await runIs(user.token, waiting.body.data.runPid, ['WAITING']);
    await runIs(user.token, waitingForRecord.body.data.runPid, ['WAITING']);

    await createLead({ name: 'wanted' });
    await write(model.command, 'hidden');
    await write(model.command, 'public');

    await runIs(user.token, waitingForRecord.body.data.runPid, ['SUCCEEDED']);
    await settled();
    expect((await getRun(user.token, waiting.body.data.runPid)).body.data.status).toBe('WAITING');
  });
});

describe('a webhook step', () => {
  it('sends an event through the delivery engine', async () => {
    const receiver = await Receiver.start();
    const code = await newAutomation({
      steps: [{ id: 'tell', type: 'webhook', event: 'done', payload: { sum: '1 + 2' } }],
    });
    await subscribe(tenant, user, receiver.url, { eventType: `automation.${code}*` });

    const { body } = await startRun(user.token, code);

    const [request] = await receiver.have(1);
    const type = `automation.${code}.done`;
    expect(request?.headers['x-webhook-event']).toBe(type);
    expect(JSON.parse(request?.body ?? '')).toEqual({
      commandCode: type,
      modelCode: null,
      payload: { sum: 3 },
      result: { runPid: body.data.runPid, automationCode: code },
    });
  });
});

describe('a schedule', () => {
  const schedulesOf = async (code: string): Promise<string[]> => {
    const { schedule } = await temporal();
    // Workers of other queues, which other tests start, have schedules of their own.
    const id = `automation:${(await container()).temporal.taskQueue}:dev:${code}`;
    const ids: string[] = [];
    for await (const { scheduleId } of schedule.list()) if (scheduleId === id) ids.push(scheduleId);
    return ids;
  };

  it('begins runs with the role that is named, follows the configuration, and goes with it', async () => {
    const role = await newRole(['command:execute:crm:create_lead']);
    const name = `S ${ulid()}`;
    const trigger = { type: 'schedule' as const, everySeconds: 1, tenants: [tenant.id] };
    const steps: AutomationContent['steps'] = [
      { id: 'make', type: 'command', commandCode: 'crm:create_lead', payload: { name: `"${name}"` } },
    ];
    const code = await listening({ trigger, runAs: role, steps });

    await until('two runs', async () => (await runsOf(code)).length >= 2);

    const [, run] = await runsOf(code);
    expect(run).toMatchObject({ trigger: 'schedule', startedBy: { username: `automation:${code}` } });
    await runIs(user.token, run.runPid, ['SUCCEEDED']);
    expect(await schedulesOf(code)).toHaveLength(1);
    const changed = { trigger: { ...trigger, everySeconds: 3_600 }, runAs: role, steps };
    await newAutomation(changed, code);
    const { schedule } = await temporal();
    const [id = ''] = await schedulesOf(code);
    await until('the schedule has changed', async () => {
      const { spec } = await schedule.getHandle(id).describe();
      return Number(spec.intervals?.[0]?.every) === 3_600_000;
    });

    const admin = await newUser(['PLATFORM_ADMIN'], tenant);
    await execute(admin.token, 'meta:delete', { payload: { resourceType: 'AUTOMATION', code } });
    await until('the schedule has gone', async () => (await schedulesOf(code)).length === 0);
    // Temporal's goes first: a worker that dies in between finds the row, and goes on from there.
    await until('its row has gone', async () => {
      const left = await runSql('select 1 from platform.automation_schedule where code = $1', [code]);
      return left.length === 0;
    });
  });
});
