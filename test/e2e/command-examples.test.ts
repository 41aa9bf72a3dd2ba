import { call, execute, dataOf } from '../support/api.ts';
import { rowsOf } from '../support/faults.ts';
import { newCode, newModel, roleDraft, save, type TestModel } from '../support/models.ts';
import { failureOf } from '../support/platform.ts';
import { newAdmin, unitOf, type Admin } from '../support/promotions.ts';
import { newTenant, newUser } from '../support/world.ts';

let admin: Admin;
let model: TestModel;

beforeAll(async () => {
  admin = await newAdmin();
  const fields = [
    { code: 'name', name: 'Name', type: 'string' as const, required: true, unique: true },
    { code: 'price', name: 'Price', type: 'decimal' as const },
    { code: 'parent', name: 'Parent', type: 'string' as const },
  ];
  model = await newModel({ fields });
});

/** A command that makes a copy of a record at a higher price. */
const copies = (examples: object[], rest: object = {}) => ({
  name: 'Copy',
  modelCode: model.code,
  operations: ['CUSTOM'],
  target: true,
  payload: [{ code: 'factor', name: 'Factor', type: 'integer', required: true }],
  rules: [{ assert: 'payload.factor > 1', message: 'Too little', code: 'VALIDATION_ERROR', field: 'factor' }],
  steps: [
    {
      id: 'copy',
      operation: 'CREATE',
      modelCode: model.code,
      values: { name: 'record.name + " (copy)"', price: 'record.price * payload.factor', parent: 'record.pid' },
    },
  ],
  examples,
  ...rest,
});
/** A copy of the one record that is given. */
const doubled = (rest: object = {}) => ({
  name: 'a copy at twice the price',
  given: [{ id: 'one', modelCode: model.code, values: { name: 'One', price: '1.50' } }],
  targetRecordId: '$given.one',
  payload: { factor: 2 },
  expect: { result: { copy: { name: 'One (copy)', price: 3, parent: '$given.one' } }, changes: [{ action: 'CREATE' }] },
  ...rest,
});
const error = { code: 'VALIDATION_ERROR', field: 'factor' };
const refused = (rest: object = {}) => doubled({ name: 'refused', payload: { factor: 1 }, expect: { error }, ...rest });
const wrong = () => doubled({ name: 'wrong', expect: { result: { copy: { name: 'Two' } } } });

async function newCommand(examples: object[]) {
  const code = `test:${newCode()}`;
  await save('dev', { resourceType: 'COMMAND', code, content: copies(examples) });
  return code;
}
const run = (code: string, body: object = {}) =>
  call(`/api/meta/commands/examples/${code}`, { token: admin.user.token, body });

describe('POST /api/meta/commands/examples/{commandCode}', () => {
  it('tries each example in a tenant that has nothing else, and leaves nothing behind', async () => {
    const expected = {
      ...doubled().expect,
      changes: [{ modelCode: model.code, action: 'CREATE', after: { price: 3 } }],
    };
    const code = await newCommand([doubled({ expect: expected }), refused(), wrong()]);
    // A record that an example would stumble over, were it to see it.
    await execute(admin.user.token, model.command, { payload: { name: 'One' } });

    expect(dataOf(await run(code))).toMatchObject({
      commandCode: code,
      passed: 2,
      failed: 1,
      skipped: 0,
      examples: [
        { name: doubled().name, status: 'PASSED', differences: [], error: null },
        {
          name: 'refused',
          status: 'PASSED',
          error: { code: 'VALIDATION_ERROR', data: { fieldErrors: { factor: 'Too little' } } },
        },
        {
          name: 'wrong',
          status: 'FAILED',
          differences: [{ path: 'result.copy.name', expected: 'Two', actual: 'One (copy)' }],
        },
      ],
    });
    expect(await rowsOf('0', `select * from dev.mt_${model.code}`)).toEqual([]);
  });

  it('tries a content that is not saved, and refuses one that could not be', async () => {
    const code = await newCommand([]);

    expect(dataOf(await run(code, { content: copies([wrong()]) }))).toMatchObject({ failed: 1 });
    expect(dataOf(await run(`test:${newCode()}`, { content: copies([doubled()]) }))).toMatchObject({ passed: 1 });
    expect(dataOf(await run(code))).toMatchObject({ passed: 0, failed: 0, examples: [] });
    const { status, body } = await run(code, { content: copies([doubled()], { modelCode: 'nope' }) });
    expect({ status, fields: Object.keys(body.data.fieldErrors as object) }).toEqual({
      status: 400,
      fields: expect.arrayContaining([expect.stringContaining('content.modelCode')]),
    });
    expect(await run('test:nope')).toMatchObject({ status: 404 });
  });

  it('executes with the rights of the role that an example names', async () => {
    const role = `T_${newCode().toUpperCase()}`;
    await save('dev', roleDraft(role, [`record:read:${model.code}`]));
    const forbidden = { error: { code: 'FORBIDDEN' } };
    const code = await newCommand([refused({ name: 'a reader may not', as: role, expect: forbidden })]);

    expect(dataOf(await run(code)).examples).toMatchObject([{ status: 'PASSED' }]);
  });

  it('needs admin:metadata', async () => {
    const { token } = await newUser(['ADMIN'], await newTenant());

    expect(await call('/api/meta/commands/examples/crm:create_lead', { token, body: {} })).toMatchObject({
      status: 403,
    });
  });
});

describe('the examples of a COMMAND', () => {
  it.each<[string, () => object[], string]>([
    ['a name that another one has', () => [doubled(), doubled()], 'content.examples.1.name'],
    [
      'a record that is not given',
      () => [doubled({ targetRecordId: '$given.two' })],
      'content.examples.0.targetRecordId',
    ],
    [
      'both a result and an error',
      () => [doubled({ expect: { result: {}, error } })],
      'content.examples.0.expect.error',
    ],
    ['nothing expected', () => [doubled({ expect: {} })], 'content.examples.0.expect'],
  ])('are refused with %s', async (_what, examples, path) => {
    const { data } = (await failureOf(newCommand(examples()))) as { data: { fieldErrors: object } };

    expect(Object.keys(data.fieldErrors)).toEqual([path]);
  });

  it('that fail are a warning of meta:save', async () => {
    const payload = { resourceType: 'COMMAND', code: `test:${newCode()}`, content: copies([doubled(), wrong()]) };

    const { warnings } = dataOf(await execute(admin.user.token, 'meta:save', { payload }));

    expect(warnings).toEqual([
      { path: 'content.examples.1', message: 'wrong: result.copy.name is "One (copy)", not "Two"' },
    ]);
  });

  it('that fail in the target are a conflict of a promotion', async () => {
    const models = [await unitOf('MODEL', model.code)];
    const code = await newCommand([wrong()]);
    const unit = await unitOf('COMMAND', code);
    // The table is still to be made: there is nothing to try the example with.
    const both = await admin.created([...models, unit]);
    expect(dataOf(await admin.validate(both))).toMatchObject({ status: 'VALIDATED', conflicts: [] });
    await admin.act(both, 'cancel');
    await admin.promote(models);

    const pid = await admin.created([unit]);
    const { conflicts } = await admin.conflicting(pid);

    expect(conflicts).toMatchObject([
      { type: 'EXAMPLE_FAILED', severity: 'blocking', code, details: { path: 'content.examples.0' } },
    ]);
    const resolutions = [{ resourcePid: unit.resourcePid, type: 'EXAMPLE_FAILED', resolution: 'use_source' }];
    expect(dataOf(await admin.validate(pid, { resolutions }))).toMatchObject({ status: 'VALIDATED' });
    const good = await unitOf('COMMAND', await newCommand([doubled({ expect: { result: { copy: { price: 3 } } } })]));
    expect(dataOf(await admin.validate(await admin.created([good])))).toMatchObject({
      status: 'VALIDATED',
      conflicts: [],
    });
  });
});
