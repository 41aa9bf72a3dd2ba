import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, execute, expectRefusal } from '../support/api.ts';
import { changeModel, newCode, newModel, newRole, save, type TestModel } from '../support/models.ts';
import { failureOf } from '../support/platform.ts';
import { newTenant, newUser, type TestUser, signedIn } from '../support/world.ts';

const values = ['new', 'open', 'solved'];
const transitions = { new: ['open'], open: ['solved', 'new'] };
const state: FieldContent = { code: 'state', name: 'State', type: 'enum', values, transitions };
const note: FieldContent = { code: 'note', name: 'Note', type: 'string' };

let ticket: TestModel;

const { tenant, user } = signedIn('ADMIN');
beforeAll(async () => {
  ticket = await newModel({ fields: [state, note] });
});

const create = async (payload: object): Promise<string> =>
  (await execute(user.token, ticket.command, { payload })).body.data.pid as string;
const update = (targetRecordId: string, payload: object, { token } = user) =>
  execute(token, ticket.command, { operationType: 'UPDATE', targetRecordId, payload });
const read = (pid: string) => call(`/api/dynamic/${ticket.code}/${pid}`, { token: user.token });

async function newCommand(content: object): Promise<string> {
  const code = `test:${newCode()}`;
  const common = { name: 'Solve', modelCode: ticket.code, operations: ['UPDATE'] };
  await save('dev', { resourceType: 'COMMAND', code, content: { ...common, ...content } });
  return code;
}

/** Where a save is refused, whether the resource is named or not. */
async function wrongPaths(saved: Promise<unknown>): Promise<string[]> {
  const { data } = (await failureOf(saved)) as { data: { fieldErrors: object } };
  return Object.keys(data.fieldErrors).map((path) => path.split(' ').at(-1) ?? '');
}

describe('an enum field with transitions', () => {
  it('changes only as they say; a value that they do not name is final', async () => {
    const pid = await create({ state: 'new' });

    expectRefusal(await update(pid, { state: 'solved' }), 'CONFLICT', {
      reason: 'STATE',
      field: 'state',
      state: 'new',
      allowed: ['open'],
    });
    expect(await update(pid, { state: 'open' })).toMatchObject({ status: 200 });
    expect(await update(pid, { state: 'solved', note: 'x' })).toMatchObject({ status: 200 });
    expect(await update(pid, { state: 'solved', note: 'y' })).toMatchObject({ status: 200 });
    expect(await update(pid, { state: null })).toMatchObject({ status: 409, body: { data: { allowed: [] } } });
  });

  it('may get any value on a record that has none', async () => {
    expect(await update(await create({ note: 'x' }), { state: 'solved' })).toMatchObject({ status: 200 });
  });

  it('binds the steps of commands', async () => {
    const values = { state: '"solved"' };
    const steps = [{ id: 'ticket', operation: 'UPDATE', modelCode: ticket.code, target: 'record.pid', values }];
    const command = await newCommand({ operations: ['CUSTOM'], target: true, steps });
    const targetRecordId = await create({ state: 'new' });

    expect(await execute(user.token, command, { targetRecordId })).toMatchObject({
      status: 409,
      body: { data: { reason: 'STATE' } },
    });
  });

  it('is not changed by a caller who may not read it: the answer would tell its value', async () => {
    const secret = await newModel({ fields: [{ ...state, readPermission: true }] });
    const writer = await newUser([await newRole(secret.permissions)], tenant);
    const made = await execute(writer.token, secret.command, { payload: { state: 'new' } });
    const { status, body } = await execute(writer.token, secret.command, {
      operationType: 'UPDATE',
      targetRecordId: made.body.data.pid,
      payload: { state: 'solved' },
    });

    const permission = `field:read:${secret.code}.state`;
    expect({ status, data: body.data }).toEqual({ status: 403, data: { permission } });
  });

  it.each<[string, Partial<FieldContent>, string]>([
    ['values that the field does not have', { transitions: { new: ['opn'] } }, 'content.fields.0.transitions.new.0'],
    ['states that the field does not have', { transitions: { nwe: ['open'] } }, 'content.fields.0.transitions.nwe'],
    ['other types', { type: 'string', values: undefined } as never, 'content.fields.0.transitions'],
  ])('is refused with %s', async (_what, options, path) => {
    expect(await wrongPaths(changeModel(ticket, { fields: [{ ...state, ...options }, note] }))).toEqual([path]);
  });
});

describe('a command with a transition', () => {
  const transition = { field: 'state', from: ['open'], to: 'solved' };

  it('gives its target the value, from the states that it names alone', async () => {
    const command = await newCommand({ transition, fields: ['note'] });
    const pid = await create({ state: 'new' });

    expect(await execute(user.token, command, { targetRecordId: pid })).toMatchObject({
      status: 409,
      body: { data: { reason: 'STATE', field: 'state', state: 'new', startsFrom: ['open'] } },
    });
    await update(pid, { state: 'open' });
    const { status, body } = await execute(user.token, command, { targetRecordId: pid, payload: { note: 'done' } });

    expect({ status, data: body.data }).toMatchObject({ status: 200, data: { state: 'solved', note: 'done' } });
  });

  it('takes no other value in its payload', async () => {
    const command = await newCommand({ transition });
    const targetRecordId = await create({ state: 'open' });

    expect(await execute(user.token, command, { targetRecordId, payload: { state: 'new' } })).toMatchObject({
      status: 400,
      body: { data: { fieldErrors: { state: 'is set by the command' } } },
    });
  });

  it('changes the state before its steps run', async () => {
    const values = { note: 'record.state' };
    const steps = [{ id: 'ticket', operation: 'UPDATE', modelCode: ticket.code, target: 'record.pid', values }];
    const command = await newCommand({ operations: ['CUSTOM'], target: true, transition, steps });
    const pid = await create({ state: 'open' });

    expect(await execute(user.token, command, { targetRecordId: pid })).toMatchObject({ status: 200 });
    expect((await read(pid)).body.data).toMatchObject({ state: 'solved', note: 'open' });
  });

  it.each<[string, object, string]>([
    ['that the field does not make', { transition: { ...transition, from: ['new'] } }, 'content.transition.from.0'],
    ['to an unknown value', { transition: { ...transition, to: 'x' } }, 'content.transition.to'],
    ['of a field that is no enum', { transition: { ...transition, field: 'note' } }, 'content.transition.field'],
    ['of a field that there is not', { transition: { ...transition, field: 'no' } }, 'content.transition.field'],
    ['beside another operation', { transition, operations: ['CREATE', 'UPDATE'] }, 'content.transition'],
  ])('is not saved with one %s', async (_what, content, path) => {
    expect(await wrongPaths(newCommand(content))).toEqual([path]);
  });
});

describe('GET /api/dynamic/{pageKey}/{recordId}/commands', () => {
  it('says what the caller may do with the record now, and why not', async () => {
    const solve = await newCommand({ transition: { field: 'state', from: ['open'], to: 'solved' } });
    const rules = [{ assert: 'record.note != null', message: '$i18n:crm.lead_already_converted' }];
    const noted = await newCommand({ name: 'Note', rules: [...rules, { assert: 'payload.note != ""', message: 'x' }] });
    const reader = await newUser([await newRole([...ticket.permissions, `command:execute:${solve}`])], tenant);
    const pid = await create({ state: 'new' });
    const commands = async ({ token }: TestUser) =>
      (await call(`/api/dynamic/${ticket.code}/${pid}/commands`, { token })).body.data as { code: string }[];
    const reason = 'Its State does not allow this now';

    const all = await commands(user);
    expect(all).toContainEqual({ code: solve, name: 'Solve', allowed: false, reason });
    expect(all).toContainEqual({
      code: noted,
      name: 'Note',
      allowed: false,
      reason: 'The lead has been converted already',
    });
    expect((await commands(reader)).map(({ code }) => code)).toEqual([solve, ticket.command].sort());

    await update(pid, { state: 'open', note: 'n' });
    const now = await commands(user);
    expect(now).toContainEqual({ code: solve, name: 'Solve', allowed: true, reason: null });
    expect(now).toContainEqual({ code: noted, name: 'Note', allowed: true, reason: null });
  });

  it("is 404 for another tenant's record", async () => {
    const foreign = await newUser(['ADMIN'], await newTenant());
    const pid = await create({ state: 'new' });
    expect(await call(`/api/dynamic/${ticket.code}/${pid}/commands`, { token: foreign.token })).toMatchObject({
      status: 404,
    });
  });
});
