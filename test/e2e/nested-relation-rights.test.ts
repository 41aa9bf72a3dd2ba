import type { OpenApiDocument } from '../../src/features/api-docs/openapi-document.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, execute, type Answered } from '../support/api.ts';
import { rowsOf } from '../support/faults.ts';
import { changeModel, insert, newModel, newRole, type TestModel } from '../support/models.ts';
import { ApiDocument } from '../support/openapi.ts';
import { LINE_FIELDS, linesRelation, newOrderCommand, newOrders, ORDER_FIELDS, orderField } from '../support/orders.ts';
import { failureOf } from '../support/platform.ts';
import { newUser, signedInForEach } from '../support/world.ts';

const [amount] = LINE_FIELDS as [FieldContent];

let orders: TestModel;
let lines: TestModel;
let command: string;

beforeAll(async () => {
  ({ orders, lines, command } = await newOrders());
});
const { tenant, user } = signedInForEach('ADMIN');

const create = (of: string, payload: object, { token } = user): Promise<Answered> =>
  execute(token, of, { operationType: 'CREATE', payload: { name: 'o', ...payload } });
const update = (of: string, targetRecordId: string, payload: object, { token } = user) =>
  execute(token, of, { operationType: 'UPDATE', targetRecordId, payload });
const clerkOf = async (of: string, ...codes: string[]) =>
  newUser([await newRole([`command:execute:${of}`, ...codes])], tenant);

describe('the related records of a command', () => {
  it('need the permission of the command alone, and that of each protected field', async () => {
    const guarded = await newModel({
      fields: [orderField(orders, { writePermission: true }), { ...amount, writePermission: true }],
    });
    const of = await newOrderCommand(orders, [linesRelation(guarded)]);
    const payload = { lines: { create: [{ amount: 1 }] } };

    expect(await create(command, payload, await clerkOf(command))).toMatchObject({ status: 200 });
    expect(await create(of, payload, await clerkOf(of))).toMatchObject({
      status: 403,
      body: { data: { permission: `field:write:${guarded.code}.amount` } },
    });
    // The command sets the relation: that is its effect, and no value of the caller's.
    const allowed = await clerkOf(of, `field:write:${guarded.code}.amount`);
    expect(await create(of, payload, allowed)).toMatchObject({ status: 200 });
    expect(await create(command, payload, await newUser(['VIEWER'], tenant))).toMatchObject({ status: 403 });
  });

  it('are not found by a relation that the caller may not read', async () => {
    const masked = await newModel({ fields: [orderField(orders, { readPermission: true }), ...LINE_FIELDS] });
    const of = await newOrderCommand(orders, [linesRelation(masked)]);
    const { body } = await create(of, { lines: { create: [{ amount: 1 }] } });
    const { pid, lines: made } = body.data;

    const refused = await update(of, pid, { lines: { delete: [made.create[0].pid] } }, await clerkOf(of));

    expect(refused).toMatchObject({ status: 403, body: { data: { permission: `field:read:${masked.code}.order` } } });
  });

  it('leave out of the answer and of the event what the reader may not read, unless the command reveals it', async () => {
    const cost = `${lines.code}.cost`;
    const revealing = await newOrderCommand(orders, [linesRelation(lines)], { reveals: [cost] });
    const [clerk, other, boss] = [
      await clerkOf(command),
      await clerkOf(revealing),
      await clerkOf(command, `field:read:${cost}`),
    ];
    const payload = { lines: { create: [{ amount: 1, cost: 7 }] } };
    const lineIn = ({ body }: Answered) => body.data.lines.create[0];

    const hidden = await create(command, payload, clerk);
    expect(lineIn(hidden)).toMatchObject({ amount: '1' });
    expect(lineIn(hidden)).not.toHaveProperty('cost');
    expect(lineIn(await create(command, payload, boss))).toMatchObject({ cost: 7 });
    expect(lineIn(await create(revealing, payload, other))).toMatchObject({ cost: 7 });
    const { body } = await execute(clerk.token, command, {
      operationType: 'CREATE',
      payload: { name: 'o', ...payload },
      dryRun: true,
    });
    expect(JSON.stringify(body.data)).not.toContain('"cost"');
    const reader = await clerkOf(command, `record:read:${orders.code}`, `record:read:${lines.code}`);
    const seen = await execute(reader.token, command, {
      operationType: 'CREATE',
      payload: { name: 'o', ...payload },
      dryRun: true,
    });
    expect(seen.body.data.events[0].body).toMatchObject({
      payload: { lines: { create: [{ amount: 1 }] } },
      result: { lines: { create: [{ amount: '1' }] } },
    });
    expect(JSON.stringify(seen.body.data)).not.toContain('"cost"');
  });

  it('are bound by row rules in what is written', async () => {
    const rule = { name: 'cheap', unless: 'all:see', conditions: [{ fieldName: 'amount', operator: 'lt', value: 5 }] };
    const bound = await newModel({ fields: [orderField(orders), ...LINE_FIELDS], rowRules: [rule] as never });
    const of = await newOrderCommand(orders, [linesRelation(bound)]);
    const clerk = await clerkOf(of);

    const refused = await create(of, { lines: { create: [{ amount: 1 }, { amount: 5 }] } }, clerk);

    expect(refused).toMatchObject({
      status: 403,
      body: {
        data: {
          reason: 'ROW_RULE',
          path: 'lines.create[1]',
          fieldErrors: { 'lines.create[1].amount': expect.any(String) },
        },
      },
    });
    expect(await rowsOf(tenant.id, `select 1 from dev.mt_${orders.code}`)).toEqual([]);
    expect(await create(of, { lines: { create: [{ amount: 4 }] } }, clerk)).toMatchObject({ status: 200 });
  });

  it('are read by rules in the form of their types, with defaults and with all lists', async () => {
    const of = await newOrderCommand(orders, [linesRelation(lines)], {
      rules: [
        { assert: 'payload.lines.create.all(l, l.amount > 1.5 && l.state == "open")', message: 'Too small' },
        { assert: 'size(payload.lines.delete) < 2 && size(payload.lines.unlink) == 0', message: 'Too many' },
        {
          assert: 'payload.lines.update.all(l, l.pid != "" && (!has(l.amount) || l.amount < 10))',
          message: 'Too large',
        },
      ],
    });
    const sayOf = async (work: Promise<Answered>) => (await work).body.message;

    expect(await sayOf(create(of, { lines: { create: [{ amount: '1.5' }] } }))).toBe('Too small');
    const made = await create(of, { lines: { create: [{ amount: '1.51' }, { amount: 2 }] } });
    expect(made).toMatchObject({ status: 200 });
    const { pid, lines: of_ } = made.body.data;
    const pids = of_.create.map((line: { pid: string }) => line.pid);
    expect(await sayOf(update(of, pid, { lines: { delete: pids } }))).toBe('Too many');
    expect(await sayOf(update(of, pid, { lines: { update: [{ pid: pids[0], amount: 10 }] } }))).toBe('Too large');
    expect(await update(of, pid, { name: 'x' })).toMatchObject({ status: 200 });
    const wrong = newOrderCommand(orders, [linesRelation(lines)], {
      rules: [{ assert: 'payload.lines.create.all(l, l.amuont > 1)', message: 'x' }],
    });
    expect(await failureOf(wrong)).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('follow an UPSERT: what it creates can only have new ones', async () => {
    const of = await newOrderCommand(orders, [linesRelation(lines)], { operations: ['UPSERT'], matchOn: ['no'] });
    const upsert = (payload: object) => execute(user.token, of, { payload });

    const made = await upsert({ no: 'A', name: 'o', lines: { create: [{ amount: 1, no: 'X' }] } });
    const [line] = made.body.data.lines.create;
    expect(await upsert({ no: 'A', lines: { update: [{ pid: line.pid, amount: 2 }] } })).toMatchObject({
      body: { data: { pid: made.body.data.pid, version: 2, lines: { update: [{ amount: '2' }] } } },
    });
    expect(await upsert({ no: 'B', name: 'o', lines: { update: [{ pid: line.pid, amount: 3 }] } })).toMatchObject({
      status: 400,
      body: { data: { fieldErrors: { 'lines.update': 'is not for a create' } } },
    });
    expect(await upsert({ no: 'B', name: 'o', lines: { create: [{ amount: 1, no: 'X' }] } })).toMatchObject({
      status: 409,
      body: { data: { path: 'lines.create[0]' } },
    });
    expect(await rowsOf(tenant.id, `select no from dev.mt_${orders.code}`)).toEqual([{ no: 'A' }]);
  });

  it('say from which version they start where their model demands it', async () => {
    const strict = await newModel({ fields: [orderField(orders), ...LINE_FIELDS], concurrency: 'required' });
    const of = await newOrderCommand(orders, [linesRelation(strict)]);
    const [pid = ''] = await insert(tenant, orders.code, [{ name: 'a' }]);
    const [line = ''] = await insert(tenant, strict.code, [{ amount: 1, order: pid }]);

    expect(await update(of, pid, { lines: { unlink: [line] } })).toMatchObject({ status: 428 });
    expect(await update(of, pid, { lines: { unlink: [{ pid: line, expectedVersion: 1 }] } })).toMatchObject({
      status: 200,
    });
  });
});

describe('a COMMAND with relations', () => {
  const problemsOf = async (relation: object, content: object = {}) => {
    const failed = await failureOf(newOrderCommand(orders, [linesRelation(lines, relation)], content));
    const { fieldErrors } = failed.data as { fieldErrors: Record<string, string> };
    return Object.fromEntries(
      Object.entries(fieldErrors).map(([path, problem]) => [path.replace(/^.* /, ''), problem]),
    );
  };

  it('is refused when it cannot work', async () => {
    const required = await newModel({ fields: [orderField(orders, { required: true }), ...LINE_FIELDS] });
    const at = 'content.relations.0';

    expect(await problemsOf({ modelCode: 'no_such_model' })).toHaveProperty([`${at}.modelCode`]);
    expect(await problemsOf({ field: 'no_such_field' })).toHaveProperty([`${at}.field`]);
    expect(await problemsOf({ field: 'lead' })).toEqual({ [`${at}.field`]: `is not a relation to ${orders.code}` });
    expect(await problemsOf({ field: 'amount' })).toEqual({ [`${at}.field`]: `is not a relation to ${orders.code}` });
    expect(await problemsOf({ code: 'name' })).toEqual({ [`${at}.code`]: `is a field of ${orders.code}` });
    expect(await problemsOf({ code: 'version' })).toHaveProperty([`${at}.code`]);
    expect(await problemsOf({ modelCode: required.code })).toEqual({
      [`${at}.operations`]: 'has UNLINK, but the field is required: use DELETE',
    });
    expect(await problemsOf({ relations: [] })).toHaveProperty([`${at}.relations`]);
    expect(await problemsOf({}, { operations: ['CREATE'] })).toEqual({
      [`${at}.operations`]: 'is CREATE alone where the command does not update',
    });
    const steps = [{ id: 'a', operation: 'CREATE', modelCode: orders.code, values: { name: '"x"' } }];
    for (const content of [{ operations: ['DELETE'] }, { steps }, { operations: ['CUSTOM'], steps }]) {
      expect(await problemsOf({ operations: ['CREATE'] }, content)).toEqual({
        'content.relations': 'is for commands without steps that create or update a record',
      });
    }
    const twice = [linesRelation(lines), linesRelation(lines)];
    expect(await problemsOf({}, { relations: twice })).toEqual({
      'content.relations.1.code': 'is named twice',
      'content.relations.1.field': 'is named twice',
    });
    const fine = [linesRelation(required, { operations: ['CREATE', 'UPDATE', 'DELETE'] })];
    expect(await newOrderCommand(orders, fine)).toEqual(expect.any(String));
  });

  it('keeps its models from losing what it names', async () => {
    const { orders: parent, lines: child } = await newOrders();

    expect(await failureOf(changeModel(child, { fields: LINE_FIELDS }))).toMatchObject({ code: 'VALIDATION_ERROR' });
    const named = { code: 'lines', name: 'Lines', type: 'string' as const };
    expect(await failureOf(changeModel(parent, { fields: [...ORDER_FIELDS, named] }))).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('describes its payload and its result to its callers', async () => {
    const { body } = await call('/api/meta/app', { token: user.token });
    const { payloadSchema } = body.data.commands.find((each: { code: string }) => each.code === command);
    const { create: created, update: updated, unlink } = payloadSchema.properties.lines.properties;

    expect(payloadSchema.properties.lines).toMatchObject({ type: 'object', additionalProperties: false });
    expect(created).toMatchObject({ type: 'array', maxItems: 100, items: { required: ['amount'] } });
    expect(Object.keys(created.items.properties)).toEqual(['amount', 'no', 'state', 'cost', 'data', 'lead']);
    expect(updated.items.required).toEqual(['pid']);
    expect(Object.keys(updated.items.properties)).toEqual([
      'pid',
      'expectedVersion',
      'amount',
      'no',
      'state',
      'cost',
      'data',
      'lead',
    ]);
    expect(unlink.items.anyOf).toHaveLength(2);
    const headers = { authorization: `Bearer ${user.token}` };
    const response = await fetch(`${process.env.KEELSON_TEST_URL}/api/meta/openapi.json`, { headers });
    const api = new ApiDocument((await response.json()) as OpenApiDocument);
    const operation = api.operation('POST', `/api/meta/commands/execute/${command}`);
    const bodyWith = (related: object) => ({ operationType: 'CREATE', payload: { name: 'o', lines: related } });
    expect(api.problemOfBody(operation, bodyWith({ create: [{ amount: 1 }], delete: ['a'] }))).toBeNull();
    for (const wrong of [{ create: [{}] }, { update: [{ amount: 1 }] }, { set: [] }, { unlink: [1] }]) {
      expect(api.problemOfBody(operation, bodyWith(wrong))).not.toBeNull();
    }
    const made = await create(command, { lines: { create: [{ amount: 1 }] } });
    expect(api.problemOfAnswer(operation, 200, made.body)).toBeNull();
    const broken = { ...made.body, data: { ...made.body.data, lines: { create: [{}] } } };
    expect(api.problemOfAnswer(operation, 200, broken)).not.toBeNull();
  });
});
