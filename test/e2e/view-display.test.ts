import { runSql } from '../support/platform.ts';
import { call } from '../support/api.ts';
import { changeModel, newModel, newRole, type TestModel } from '../support/models.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const state = { code: 'state', name: 'State', type: 'enum' as const, values: ['open', 'done'] };
const amount = { code: 'amount', name: 'Amount', type: 'decimal' as const };
const day = { code: 'day', name: 'Day', type: 'date' as const };

let tenant: TestTenant;
let model: TestModel;
let ada: TestUser;

beforeAll(async () => {
  tenant = await newTenant();
  model = await newModel({ fields: [amount, state, day, { ...amount, code: 'secret', readPermission: true }] });
  const secret = `field:read:${model.code}.secret`;
  ada = await newUser([await newRole([...model.permissions, secret])], tenant);
});

const create = (display: object, { token } = ada) =>
  call('/api/views', { token, body: { name: 'V', pageKey: model.code, display } });

describe('the display of a view', () => {
  it('keeps the shape, the groups, and the figures and widths of columns, and is changed with the view', async () => {
    const display = {
      shape: 'chart',
      groupBy: { fieldName: 'day', part: 'month' },
      measure: { fn: 'sum', fieldName: 'amount' },
      figures: [{ fieldName: 'amount', fn: 'none' }],
      widths: [{ fieldName: 'state', pixels: 200 }],
      pinned: ['state'],
      rows: 'roomy',
    };
    const { body } = await create(display);
    expect(body.data.display).toEqual(display);

    const path = `/api/views/${body.data.pid}`;
    const board = { shape: 'board', groupBy: { fieldName: 'state' } };
    const changed = await call(path, { method: 'PATCH', token: ada.token, body: { display: board } });
    expect(changed.body.data.display).toEqual(board);
    expect((await call(path, { token: ada.token })).body.data.display).toEqual(board);
  });

  it.each([
    ['a shape that is none', { shape: 'globe' }, 'display.shape'],
    ['a field that is none', { groupBy: { fieldName: 'none' } }, 'display.groupBy.fieldName'],
    ['a board by an amount', { shape: 'board', groupBy: { fieldName: 'amount' } }, 'display.groupBy.fieldName'],
    ['a calendar by a state', { shape: 'calendar', groupBy: { fieldName: 'state' } }, 'display.groupBy.fieldName'],
    ['a month of a state', { groupBy: { fieldName: 'state', part: 'month' } }, 'display.groupBy.part'],
    ['a sum of states', { measure: { fn: 'sum', fieldName: 'state' } }, 'display.measure.fn'],
    ['a width of nothing', { widths: [{ fieldName: 'x', pixels: 100 }] }, 'display.widths.0.fieldName'],
    ['a pin on nothing', { pinned: ['x'] }, 'display.pinned.0'],
  ])('with %s is a 400', async (_what, display, path) => {
    const { status, body } = await create(display);

    expect([status, Object.keys(body.data?.fieldErrors ?? {})]).toEqual([400, [path]]);
  });

  it('is shown without the fields that its user may not read any more, and follows renames', async () => {
    const { body } = await create({ groupBy: { fieldName: 'secret' }, pinned: ['secret', 'day'] });
    const path = `/api/views/${body.data.pid}`;
    const role = await newRole(model.permissions);
    const blind = await newUser([role], tenant);
    await runSql(`update platform.saved_view set user_pid = $1 where pid = $2`, [blind.pid, body.data.pid]);
    expect((await call(path, { token: blind.token })).body.data.display).toEqual({ pinned: ['day'] });

    const due = { ...day, code: 'due', renamedFrom: 'day' };
    await changeModel(model, { fields: [amount, state, due, { ...amount, code: 'secret', readPermission: true }] });
    expect((await call(path, { token: blind.token })).body.data.display).toEqual({ pinned: ['due'] });
  });
});
