import { randomUUID } from 'node:crypto';
import { call, execute, type Answered, expectRefusal } from '../support/api.ts';
import { newAutomation } from '../support/automations.ts';
import { until } from '../support/faults.ts';
import { newModel, newRole } from '../support/models.ts';
import { nodeInside } from '../support/nodes.ts';
import { startOwnNode } from '../support/own-node.ts';
import { Receiver } from '../support/receiver.ts';
import { subscribe } from '../support/webhooks.ts';
import { container, newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

/*
 * Setup: a lead is created. Its event starts a run, which creates a task and sends an event of its own. One
 * subscription hears of leads, one of the record, one of the run.
 */
let tenant: TestTenant;
let user: TestUser;
let automation: string;
let traceId: string;
let lead: Answered;

const newTrace = (): string => randomUUID().replaceAll('-', '');
const under = (trace: string) => ({ headers: { traceparent: `00-${trace}-${'1'.repeat(16)}-01` } });
const trace = (id: string, { token } = user, headers: Record<string, string> = {}): Promise<Answered> =>
  call(`/api/meta/trace/${id}`, { token, headers });
const executionOf = ({ headers }: Answered): string => headers.get('x-execution-pid') ?? '';

beforeAll(async () => {
  await startOwnNode('lineage');
  tenant = await newTenant();
  user = await newUser(['ADMIN'], tenant);
  const receiver = await Receiver.start();
  automation = await newAutomation({
    trigger: { type: 'event', eventType: 'crm:create_lead', filter: 'name == "Ada"' },
    steps: [
      { id: 'next', type: 'command', commandCode: 'crm:create_lead', payload: { name: '"Grace"' } },
      { id: 'tell', type: 'webhook', event: 'done' },
    ],
  });
  for (const eventType of ['crm:create_lead', 'record.created', `automation.${automation}.done`]) {
    await subscribe(tenant, user, receiver.urlOf('all'), { eventType });
  }
  traceId = newTrace();
  lead = await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } }, under(traceId));
  await receiver.have(5);
});

/** The tree once all deliveries of the scene have ended. */
const whole = () =>
  until('the trace is complete', async () => {
    const { body } = await trace(traceId);
    const text = JSON.stringify(body);
    return text.split('"status":"SUCCEEDED","attemptCount":1').length > 5 && !text.includes('"RUNNING"') ? body : null;
  });

describe('GET /api/meta/trace/{traceId}', () => {
  it('answers what a request has caused, as a tree', async () => {
    const { code, data } = await whole();

    const delivered = { status: 'SUCCEEDED', attemptCount: 1 };
    const changes = (recordPid: string, name: string) => [
      { modelCode: 'lead', recordPid, action: 'CREATE', changes: { name: { from: null, to: name } } },
    ];
    const [{ events }] = data.executions;
    const [run] = events.flatMap(({ runs }: { runs: object[] }) => runs);
    const [next] = run.executions;
    expect(code).toBe('0');
    expect(data).toMatchObject({ traceId, truncated: false, events: [], runs: [] });
    expect(data.executions).toMatchObject([
      {
        pid: executionOf(lead),
        commandCode: 'crm:create_lead',
        status: 'SUCCEEDED',
        userPid: user.pid,
        changes: changes(lead.body.data.pid, 'Ada'),
        events: [
          { eventType: 'crm:create_lead', deliveries: [delivered], runs: [{ automationCode: automation }] },
          { eventType: 'record.created', deliveries: [delivered], runs: [] },
        ],
      },
    ]);
    expect(run).toMatchObject({ status: 'SUCCEEDED', events: [{ eventType: `automation.${automation}.done` }] });
    expect(run.events[0].deliveries).toMatchObject([delivered]);
    expect(next).toMatchObject({
      commandCode: 'crm:create_lead',
      status: 'SUCCEEDED',
      changes: changes(expect.any(String) as string, 'Grace'),
      events: [
        { eventType: 'crm:create_lead', deliveries: [delivered], runs: [] },
        { eventType: 'record.created', deliveries: [delivered], runs: [] },
      ],
    });
  });

  it('shows deliveries only to who manages webhooks, and runs only to who may run their automation', async () => {
    const codes = ['command:execute:*', 'record:read:lead', 'execution:read'];
    const reader = await newUser([await newRole(codes)], tenant);
    await whole();

    const { data } = (await trace(traceId, reader)).body;

    // Without the run, its command stands at the top; and so does the event that it has sent.
    expect(data.executions.map(({ commandCode }: { commandCode: string }) => commandCode)).toHaveLength(2);
    expect(data.executions[0].events).toMatchObject([
      { eventType: 'crm:create_lead', deliveries: [], runs: [] },
      { eventType: 'record.created', deliveries: [], runs: [] },
    ]);
    expect(data.events).toMatchObject([{ eventType: `automation.${automation}.done`, deliveries: [] }]);
    expect(JSON.stringify(data)).not.toContain(automation.concat('"'));
  });

  it('leaves out hidden fields, and changes and events of records that a row rule hides', async () => {
    const text = (code: string) => ({ code, name: code, type: 'string' as const });
    const model = await newModel({
      fields: [text('name'), { ...text('secret'), readPermission: true }],
      rowRules: [{ name: 'Open', unless: 'all', conditions: [{ fieldName: 'name', operator: 'eq', value: 'open' }] }],
    });
    const role = await newRole(['command:execute:*', 'execution:read', ...model.permissions]);
    const reader = await newUser([role], tenant);
    const made = async (name: string) => {
      const id = newTrace();
      await execute(user.token, model.command, { operationType: 'CREATE', payload: { name, secret: 'x' } }, under(id));
      return (await trace(id, reader)).body.data.executions[0];
    };

    expect(await made('open')).toMatchObject({
      changes: [{ modelCode: model.code, changes: { name: { from: null, to: 'open' } } }],
      events: expect.arrayContaining([expect.objectContaining({ eventType: model.command })]),
    });
    expect((await made('open')).changes[0].changes).not.toHaveProperty('secret');
    expect(await made('closed')).toMatchObject({ status: 'SUCCEEDED', changes: [], events: [] });
  });

  it('shows the executions of others only with execution:read', async () => {
    const codes = ['command:execute:*', 'record:read:lead'];
    const other = await newUser([await newRole(codes)], tenant);
    const id = newTrace();
    const mine = await execute(other.token, 'crm:create_lead', { payload: { name: 'Eve' } }, under(id));
    await execute(user.token, 'crm:create_lead', { payload: { name: 'Bob' } }, under(id));

    expect((await trace(id, other)).body.data).toMatchObject({ executions: [{ pid: executionOf(mine) }], events: [] });
    expect((await trace(id)).body.data.executions).toHaveLength(2);
  });

  it('is NOT_FOUND in another tenant or environment, and for a request that has caused nothing', async () => {
    const stranger = await newUser(['ADMIN'], await newTenant());

    for (const answer of [
      await trace(traceId, stranger),
      await trace(traceId, user, { 'X-Environment': 'staging' }),
      await trace(newTrace()),
      await trace('x'),
    ]) {
      expectRefusal(answer, 'NOT_FOUND');
    }
    expect(await call(`/api/meta/trace/${traceId}`)).toMatchObject({ status: 401 });
  });

  it('costs as many statements for one command as for a chain of them', async () => {
    const { database } = await container();
    const baseUrl = await nodeInside();
    const id = newTrace();
    await execute(user.token, 'crm:create_lead', { payload: { name: 'Bob' } }, under(id));
    const costOf = async (path: string): Promise<number> => {
      const before = database.statements;
      expect(await call(`/api/meta/trace/${path}`, { token: user.token, baseUrl })).toMatchObject({ status: 200 });
      return database.statements - before;
    };
    await costOf(id);

    expect(await costOf(traceId)).toBe(await costOf(id));
  });
});

describe('GET /api/meta/commands/executions/{pid}', () => {
  it('answers what a command has changed, and which events it has made', async () => {
    const { body } = await call(`/api/meta/commands/executions/${executionOf(lead)}`, { token: user.token });

    expect(body.data).toMatchObject({
      traceId,
      changes: [{ modelCode: 'lead', recordPid: lead.body.data.pid, action: 'CREATE' }],
      events: [{ eventType: 'crm:create_lead' }, { eventType: 'record.created' }],
    });
  });
});
