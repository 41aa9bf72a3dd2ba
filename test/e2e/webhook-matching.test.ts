import { ulid } from 'ulid';
import { execute } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { newAutomation } from '../support/automations.ts';
import { insert, newCode, newModel, newRole, roleDraft, save } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { Receiver } from '../support/receiver.ts';
import { deliveriesOf, subscribe } from '../support/webhooks.ts';
import { newTenant, newUser, signedInForEach } from '../support/world.ts';

let receiver: Receiver;
let subscriptions: Map<string, string>;

beforeAll(async () => {
  await startOwnNode('hookmatching');
  receiver = await Receiver.start();
});
const { tenant, user } = signedInForEach('ADMIN');
beforeEach(async () => {
  subscriptions = new Map();
});

/** A subscription that this test calls `name`. Who owns it reads with `roles`. */
async function listen(name: string, fields: Parameters<typeof subscribe>[3] = {}, owner = user): Promise<void> {
  const url = receiver.urlOf(`${tenant.id}-${name}`);
  subscriptions.set(name, await subscribe(tenant, owner, url, fields));
}

interface Heard {
  readonly type: string;
  readonly commandCode: string;
  readonly modelCode: string | null;
  readonly payload: Record<string, unknown>;
  readonly result: Record<string, unknown>;
}

/**
 * What a subscription has been sent, by event type; waits for `count`. An event is matched with all
 * subscriptions at once.
 */
async function heard(name: string, count: number): Promise<Heard[]> {
  const path = `${tenant.id}-${name}`;
  await until(`${count} events at ${name}`, () => receiver.at(path).length >= count);
  const events = receiver.at(path).map(({ headers, body }) => ({
    type: String(headers['x-webhook-event']),
    ...(JSON.parse(body) as Omit<Heard, 'type'>),
  }));
  return events.sort((a, b) => (`${a.type} ${a.modelCode}` < `${b.type} ${b.modelCode}` ? -1 : 1));
}

/**
 * How many events a subscription has been matched with, once somebody who hears of everything has heard of
 * `events`.
 */
async function matched(...names: string[]): Promise<Record<string, number>> {
  const counts = names.map(async (name) => [name, (await deliveriesOf(subscriptions.get(name) ?? '')).length] as const);
  return Object.fromEntries(await Promise.all(counts));
}

const create = (payload: Record<string, unknown>, { token } = user) =>
  execute(token, 'crm:create_lead', { payload }).then(({ body }) => body.data as { pid: string; name: string });
const onLead = (action: string, targetRecordId: string, rest: Record<string, unknown>) =>
  execute(user.token, `crm:${action}_lead`, { targetRecordId, ...rest });

describe('an event is matched by eventType', () => {
  it('the command code, the explicit type of the command, and wildcards', async () => {
    for (const eventType of ['crm:create_lead', 'crm:convert_lead', 'lead.converted', 'crm:*', 'lead.*', '*', 'crm']) {
      await listen(eventType, { eventType });
    }
    await listen('record', { eventType: 'record.*' });
    const { pid } = await create({ name: 'Ada' });

    await onLead('convert', pid, { payload: {} });

    const all = await heard('*', 7);
    expect(all.map(({ type, modelCode }) => [type, modelCode])).toEqual([
      ['crm:create_lead', 'lead'],
      ['lead.converted', 'lead'],
      ['record.created', 'account'],
      ['record.created', 'contact'],
      ['record.created', 'deal'],
      ['record.created', 'lead'],
      ['record.updated', 'lead'],
    ]);
    expect(await matched(...subscriptions.keys())).toEqual({
      'crm:create_lead': 1,
      'crm:convert_lead': 0,
      'lead.converted': 1,
      'crm:*': 1,
      'lead.*': 1,
      '*': 7,
      crm: 0,
      record: 5,
    });
  });

  it('modelCode, where the subscription names one', async () => {
    await listen('all', { eventType: 'record.created' });
    await listen('deals', { eventType: 'record.created', modelCode: 'deal' });
    await listen('commands on deals', { eventType: 'crm:*', modelCode: 'deal' });
    const { pid } = await create({ name: 'Ada' });
    await onLead('convert', pid, { payload: {} });

    await heard('all', 4);
    const [event] = await heard('deals', 1);

    expect(event).toMatchObject({ commandCode: 'crm:convert_lead', modelCode: 'deal', payload: { name: 'Ada' } });
    expect(await matched('deals', 'commands on deals')).toEqual({ deals: 1, 'commands on deals': 0 });
  });

  it('filterExpression over the payload fields', async () => {
    await listen('all');
    await listen('web', { filterExpression: "source == 'web'" });
    await listen('large web', { filterExpression: "source == 'web' && score > 50" });
    await listen('absent', { filterExpression: 'source == null' });
    await listen('result', { filterExpression: "result.status == 'new'" });
    await listen('cannot be evaluated', { filterExpression: 'source.size() > name' });

    await create({ name: 'Ada', source: 'web', score: 80 });
    await create({ name: 'Bea', source: 'web' });
    await create({ name: 'Cid' });

    await heard('all', 3);
    expect(await matched('web', 'large web', 'absent', 'result', 'cannot be evaluated')).toEqual({
      web: 2,
      'large web': 1,
      absent: 1,
      result: 3,
      'cannot be evaluated': 0,
    });
  });
});

describe('record.created, record.updated and record.deleted', () => {
  it('have the written fields as payload and the record as result', async () => {
    await listen('records', { eventType: 'record.*' });
    const created = await create({ name: 'Ada', phone: '1' });
    const updated = await onLead('update', created.pid, { operationType: 'UPDATE', payload: { phone: '2' } });
    await onLead('delete', created.pid, { operationType: 'DELETE' });

    const [creation, deletion, update] = await heard('records', 3);

    expect(creation).toEqual({
      type: 'record.created',
      commandCode: 'crm:create_lead',
      modelCode: 'lead',
      result: created,
      payload: expect.objectContaining({ name: 'Ada', phone: '1' }),
    });
    expect(update).toEqual({
      type: 'record.updated',
      commandCode: 'crm:update_lead',
      modelCode: 'lead',
      result: updated.body.data,
      payload: { phone: '2' },
    });
    expect(deletion).toEqual({
      type: 'record.deleted',
      commandCode: 'crm:delete_lead',
      modelCode: 'lead',
      payload: {},
      result: { pid: created.pid },
    });
  });

  it('are one for each record of a command with several', async () => {
    await listen('records', { eventType: 'record.*' });
    const { pid } = await create({ name: 'Ada' });
    const { body } = await onLead('convert', pid, { payload: { deal_name: 'Big' } });

    const events = (await heard('records', 5)).filter(({ commandCode }) => commandCode === 'crm:convert_lead');

    const { account, contact, deal, lead } = body.data;
    expect(events.map(({ type, modelCode, result }) => ({ type, modelCode, result }))).toEqual([
      { type: 'record.created', modelCode: 'account', result: account },
      { type: 'record.created', modelCode: 'contact', result: contact },
      { type: 'record.created', modelCode: 'deal', result: deal },
      { type: 'record.updated', modelCode: 'lead', result: lead },
    ]);
    expect(events[2]?.payload).toMatchObject({ name: 'Big', lead: pid });
    expect(events[3]?.payload).toEqual({ status: 'won', account: account.pid });
  });
});

describe('what does not arrive', () => {
  it('events of other tenants and other environments', async () => {
    const theirs = await newTenant();
    const stranger = await newUser(['ADMIN'], theirs);
    await listen('mine', { eventType: '*' });
    await listen('staging', { eventType: '*', environment: 'staging' });
    await create({ name: 'theirs' }, stranger);
    await create({ name: 'mine' });

    const events = await heard('mine', 2);

    expect(events.map(({ result }) => result.name)).toEqual(['mine', 'mine']);
    expect(await matched('mine', 'staging')).toEqual({ mine: 2, staging: 0 });
  });

  it('events of commands that fail', async () => {
    await listen('all', { eventType: '*' });
    const { pid } = await create({ name: 'Ada' });
    await onLead('convert', pid, { payload: {} });
    const before = (await heard('all', 7)).length;

    expect(await onLead('convert', pid, { payload: {} })).toMatchObject({ status: 409 });
    await create({ name: 'Bea' });

    expect(await heard('all', before + 2)).toHaveLength(before + 2);
    expect(await matched('all')).toEqual({ all: before + 2 });
  });

  it('a second event of a command that is replayed', async () => {
    await listen('all');
    const body = { payload: { name: 'Ada' }, clientRequestId: ulid() };
    await execute(user.token, 'crm:create_lead', body);
    expect((await execute(user.token, 'crm:create_lead', body)).body.code).toBe('IDEMPOTENT_REPLAY');
    await create({ name: 'Bea' });

    expect((await heard('all', 2)).map(({ result }) => result.name).sort()).toEqual(['Ada', 'Bea']);
    expect(await matched('all')).toEqual({ all: 2 });
  });

  it('what designers do, unless the subscription may design', async () => {
    const admin = await newUser(['PLATFORM_ADMIN'], tenant);
    await listen('designers', { eventType: 'meta:*', roles: ['PLATFORM_ADMIN'] }, admin);
    await listen('others', { eventType: '*' });
    const { resourceType, code, content } = roleDraft(`T_${ulid()}`, ['record:read:lead']);

    await execute(admin.token, 'meta:save', { payload: { resourceType, code, content } });

    const [event] = await heard('designers', 1);
    expect(event).toMatchObject({ commandCode: 'meta:save', modelCode: null, payload: { code }, result: { code } });
    expect(await matched('others')).toEqual({ others: 0 });
  });
});

describe('a subscription reads with the roles of who saved it', () => {
  it('fields it may not read are left out, at any depth, and no filter leads around that', async () => {
    await listen('admin', { eventType: '*' });
    await listen('viewer', { eventType: '*', roles: ['VIEWER'] });
    await listen('curious viewer', { roles: ['VIEWER'], filterExpression: 'score == 80' });
    const { pid } = await create({ name: 'Ada', score: 80 });
    await onLead('convert', pid, { payload: {} });

    const seen = await heard('viewer', 7);
    const [whole] = await heard('admin', 7);

    expect(whole).toMatchObject({ payload: { score: 80 }, result: { score: 80 } });
    const { score: _hidden, ...rest } = whole?.result ?? {};
    expect(seen[0]).toMatchObject({ type: 'crm:create_lead', payload: { name: 'Ada' }, result: rest });
    expect(JSON.stringify(seen)).not.toContain('score');
    expect(await matched('curious viewer')).toEqual({ 'curious viewer': 0 });
  });

  it('values are left out by the field that they come from, whatever their names are and become', async () => {
    const command = `test:${newCode()}`;
    const version = (result: Record<string, string>) =>
      save('dev', {
        resourceType: 'COMMAND',
        code: command,
        content: {
          name: command,
          modelCode: 'lead',
          operations: ['CUSTOM'],
          target: true,
          payload: [
            { code: 'points', name: 'Points', type: 'integer' },
            { code: 'score', name: 'Score', type: 'string' },
          ],
          steps: [
            {
              id: 'scored',
              operation: 'UPDATE',
              modelCode: 'lead',
              target: 'record.pid',
              values: { score: 'payload.points' },
            },
          ],
          result,
        },
      });
    await version({ s: 'steps.scored.score', score: 'record.name', lead: '{"pid": record.pid, "sum": record.score}' });
    const automation = await newAutomation({
      trigger: { type: 'command', commandCode: command },
      runAs: 'ADMIN',
      steps: [{ id: 'tell', type: 'webhook', payload: { s: 'event.result.s', name: 'event.result.score' } }],
    });
    // Inserted, as the event of a command could be matched after the subscriptions have been made.
    const [pid = ''] = await insert(tenant, 'lead', [{ name: 'Ada' }]);
    await listen('admin', { eventType: '*' });
    await listen('viewer', { eventType: '*', roles: ['VIEWER'] });
    const payload = { points: 88, score: 'free' };
    await execute(user.token, command, { operationType: 'CUSTOM', targetRecordId: pid, payload });
    // What an event tells of stays what it was when the command ran.
    await version({ s: 'record.name', score: 'record.name' });

    const [told, updated, done] = await heard('viewer', 3);

    expect(told).toMatchObject({ type: `automation.${automation}`, payload: { name: 'Ada' } });
    expect(updated).toMatchObject({ type: 'record.updated', payload: {} });
    expect(done).toMatchObject({ type: command, payload: { score: 'free' }, result: { score: 'Ada', lead: { pid } } });
    expect(JSON.stringify([told, updated, done])).not.toMatch(/\b88\b/);
    const [whole] = await heard('admin', 3);
    expect(whole).toMatchObject({ payload: { s: 88, name: 'Ada' } });
  });

  it('it hears nothing of models it may not read, nor of commands that write those', async () => {
    const roles = [await newRole(['record:read:lead', 'record:read:account', 'field:read:lead.score'])];
    await listen('all', { eventType: '*' });
    await listen('some', { eventType: '*', roles });
    await listen('none', { eventType: '*', roles: [] });
    const { pid } = await create({ name: 'Ada' });
    await onLead('convert', pid, { payload: {} });

    await heard('all', 7);
    const events = await heard('some', 4);

    expect(events.map(({ type, modelCode }) => `${type} ${modelCode}`)).toEqual([
      'crm:create_lead lead',
      'record.created account',
      'record.created lead',
      'record.updated lead',
    ]);
    expect(await matched('some', 'none')).toEqual({ some: 4, none: 0 });
  });

  it('it hears nothing of records that a row rule hides from its owner', async () => {
    const own = { name: 'Own', conditions: [{ fieldName: 'created_by', operator: 'eq', value: '$user.pid' }] };
    const fields = [{ code: 'name', name: 'Name', type: 'string' as const }];
    const model = await newModel({ fields, rowRules: [{ ...own, unless: 'record:read_all:t' }] });
    const role = await newRole(model.permissions);
    const boss = await newRole([...model.permissions, 'record:read_all:t']);
    const [ada, bea] = [await newUser([role, boss], tenant), await newUser([role], tenant)];
    const eventType = '*';
    await listen('boss', { eventType, roles: [boss] }, ada);
    await listen('ada', { eventType, roles: [role] }, ada);
    await listen('bea', { eventType, roles: [role] }, bea);

    const { body } = await execute(ada.token, model.command, { payload: { name: 'a' } });
    await execute(bea.token, model.command, { payload: { name: 'b' } });
    const pid = body.data.pid as string;
    await execute(ada.token, model.command, { operationType: 'DELETE', targetRecordId: pid });

    expect(await heard('boss', 6)).toHaveLength(6);
    const [created, deleted] = await heard('ada', 4);
    expect(created).toMatchObject({ type: 'record.created', payload: { name: 'a' } });
    expect(deleted).toMatchObject({ type: 'record.deleted', result: { pid } });
    expect((await heard('bea', 2)).map(({ payload }) => payload.name)).toEqual(['b', 'b']);
    expect(await matched('boss', 'ada', 'bea')).toEqual({ boss: 6, ada: 4, bea: 2 });
  });

  it('it hears nothing of a change after which a row rule hides the record', async () => {
    const model = await newModel({
      fields: [{ code: 'name', name: 'Name', type: 'string' }],
      rowRules: [{ name: 'None', conditions: [{ fieldName: 'name', operator: 'eq', value: 'visible' }] }],
    });
    await listen('bound', { eventType: '*' });
    const [pid = ''] = await insert(tenant, model.code, [{ name: 'visible' }]);
    const update = (name: string) =>
      execute(user.token, model.command, { operationType: 'UPDATE', targetRecordId: pid, payload: { name } });
    await update('visible');
    await heard('bound', 2);

    await update('hidden');
    await create({ name: 'Ada' });

    const events = await heard('bound', 4);
    expect(events.filter(({ modelCode }) => modelCode === model.code)).toHaveLength(2);
  });
});
