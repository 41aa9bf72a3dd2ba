import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, execute, type Answered } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { collectFiles, download, expireFiles, storedFiles, upload } from '../support/files.ts';
import { changeModel, newModel, newRole, type TestModel } from '../support/models.ts';
import { failureOf } from '../support/platform.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const FIELDS: FieldContent[] = [
  { code: 'name', name: 'Name', type: 'string' },
  { code: 'owner', name: 'Owner', type: 'user' },
  { code: 'front', name: 'Front', type: 'file' },
  { code: 'back', name: 'Back', type: 'file' },
  { code: 'picture', name: 'Picture', type: 'file', accept: ['image/*', 'application/pdf'] },
  { code: 'small', name: 'Small', type: 'file', maxBytes: 3 },
  { code: 'secret', name: 'Secret', type: 'file', readPermission: true },
];
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
const ZIP = Buffer.from('504b0304140000000000000021000000000000000000000000000000', 'hex');

let model: TestModel;
let tenant: TestTenant;
/** Read and write, each sees what they own. */
let ada: TestUser;
let bea: TestUser;
/** Writes, and reads nothing. */
let clerk: TestUser;
/** Sees and reads all. */
let boss: TestUser;

beforeAll(async () => {
  model = await newModel({ fields: FIELDS });
  const unless = `record:read_all:${model.code}`;
  const conditions = [{ fieldName: 'owner', operator: 'eq' as const, value: '$user.pid' }];
  await changeModel(model, { fields: FIELDS, rowRules: [{ name: 'Own', unless, conditions }] });
  tenant = await newTenant();
  const role = await newRole(model.permissions);
  const writer = await newRole(model.permissions.filter((code) => !code.startsWith('record:read')));
  [ada, bea, clerk, boss] = await Promise.all([
    newUser([role], tenant),
    newUser([role], tenant),
    newUser([writer], tenant),
    newUser(['ADMIN'], tenant),
  ]);
});

const send = async (user: TestUser, content: Buffer | string = 'x'): Promise<string> =>
  (await upload(user, content)).body.data.pid as string;
const write = (user: TestUser, body: object) => execute(user.token, model.command, body);
const create = (user: TestUser, payload: object) => write(user, { payload: { owner: user.pid, ...payload } });
const update = (user: TestUser, targetRecordId: string, payload: object) =>
  write(user, { operationType: 'UPDATE', targetRecordId, payload });
const remove = (user: TestUser, targetRecordId: string) => write(user, { operationType: 'DELETE', targetRecordId });
const lifecycle = (command: string, pid: string) =>
  execute(boss.token, command, { payload: { modelCode: model.code, pid } });
const statuses = (pid: string, ...users: TestUser[]) =>
  Promise.all(users.map(async (user) => (await download(user, pid)).status));
const wrong = ({ status, body }: Answered) => ({ status, errors: body.data?.fieldErrors });
const notAFile = (code: string) => ({ status: 400, errors: { [code]: 'is not a file' } });

describe('a file that a record names', () => {
  it('is read by the readers of that field, and by no one else', async () => {
    const pid = await send(clerk);
    expect(await statuses(pid, clerk, ada, boss)).toEqual([200, 404, 404]);

    // The clerk gives it away: the record is none that the clerk reads.
    expect((await create(clerk, { front: pid })).status).toBe(200);
    expect(await statuses(pid, clerk, ada, boss)).toEqual([404, 404, 200]);
    const { body } = await create(ada, { front: await send(ada) });
    expect(await statuses(body.data.front, ada, bea, clerk, boss)).toEqual([200, 404, 404, 200]);
    expect((await call(`/api/files/${body.data.front}/info`, { token: boss.token })).body.data).toMatchObject({
      pid: body.data.front,
      size: 1,
    });
    const elsewhere = await download(boss, body.data.front, { headers: { 'x-environment': 'staging' } });
    expect(elsewhere.status).toBe(404);
    expect(await statuses(body.data.front, await newUser(['ADMIN'], await newTenant()))).toEqual([404]);
  });

  it('is not read through a field that is hidden', async () => {
    const { body } = await create(boss, { owner: ada.pid, secret: await send(boss) });
    expect(await statuses(body.data.secret, ada, boss)).toEqual([404, 200]);
  });

  it('is not removed after a day, nor by its uploader', async () => {
    const own = await newTenant();
    const user = await newUser(['ADMIN'], own);
    const pid = await send(user);
    await create(user, { front: pid });
    await expireFiles(own);
    await collectFiles();
    expect((await download(user, pid)).status).toBe(200);
    const refused = await call(`/api/files/${pid}`, { token: user.token, method: 'DELETE' });
    expect(refused).toMatchObject({ status: 409, body: { data: { reason: 'REFERENCE' } } });
  });

  it('is found while its record is, not in the trash, and again when it is restored', async () => {
    const { body } = await create(ada, { front: await send(ada) });
    const { pid, front } = body.data;
    await remove(ada, pid);
    expect(await statuses(front, ada, boss)).toEqual([404, 404]);
    await expireFiles(tenant);
    await collectFiles();
    expect((await lifecycle('record:restore', pid)).status).toBe(200);
    expect(await statuses(front, ada, boss)).toEqual([200, 200]);
  });
});

describe('naming a file', () => {
  it("refuses another's file like one that is not there", async () => {
    const pid = await send(bea);
    for (const front of [pid, '01ARZ3NDEKTSV4RRFFQ69G5FAV', await send(await newUser([], await newTenant()))]) {
      expect(wrong(await create(ada, { front }))).toEqual(notAFile('front'));
    }
    expect(wrong(await create(ada, { front: 'no pid!' })).errors).toEqual({ front: 'must be the pid of a file' });
    expect((await download(bea, pid)).status).toBe(200);
  });

  it('takes a file that another record names from those who may read it alone', async () => {
    const { body } = await create(ada, { front: await send(ada) });
    expect(wrong(await create(bea, { front: body.data.front }))).toEqual(notAFile('front'));
    const { body: hidden } = await create(boss, { owner: ada.pid, secret: await send(boss) });
    expect(wrong(await create(ada, { front: hidden.data.secret }))).toEqual(notAFile('front'));

    const copied = await create(boss, { owner: bea.pid, front: body.data.front });
    expect(copied.status).toBe(200);
    expect(await statuses(body.data.front, ada, bea)).toEqual([200, 200]);
  });

  it('checks what the field accepts by the bytes, whatever the client has said', async () => {
    const sent = async (content: Buffer | string, type: string) =>
      (await upload(ada, content, { name: 'a.png', type })).body.data.pid as string;
    const picture = 'must be a file of type image/*, application/pdf';
    expect(wrong(await create(ada, { picture: await sent(ZIP, 'image/png') }))).toEqual({
      status: 400,
      errors: { picture },
    });
    expect(wrong(await create(ada, { picture: await sent('hello', 'application/pdf') })).errors).toEqual({ picture });
    expect((await create(ada, { picture: await sent(PNG, 'text/plain') })).status).toBe(200);
    expect((await create(ada, { picture: await sent('%PDF-1.7', 'text/plain') })).status).toBe(200);
    expect(wrong(await create(ada, { small: await send(ada, 'four') })).errors).toEqual({
      small: 'must not be larger than 3 bytes',
    });
    expect((await create(ada, { small: await send(ada, 'thr') })).status).toBe(200);
  });

  it('lets a record exchange its own files, and keep them through other changes', async () => {
    const [front, back] = [await send(ada), await send(ada)];
    const { pid } = (await create(ada, { front, back })).body.data;
    expect((await update(ada, pid, { front: back, back: front })).body.data).toMatchObject({
      front: back,
      back: front,
    });
    await update(ada, pid, { name: 'x', front: back });
    expect(await statuses(front, ada)).toEqual([200]);
    expect(await statuses(back, ada)).toEqual([200]);
  });

  it('of a dry run, or of a command that fails, changes nothing', async () => {
    const front = await send(ada);
    expect((await write(ada, { payload: { owner: ada.pid, front }, dryRun: true })).status).toBe(200);
    expect((await create(ada, { owner: bea.pid, front })).status).toBe(403);
    expect(await statuses(front, ada)).toEqual([200]);
    expect((await call(`/api/files/${front}`, { token: ada.token, method: 'DELETE' })).status).toBe(200);
  });
});

describe('a file that has lost its last record', () => {
  let own: TestTenant;
  let user: TestUser;

  beforeEach(async () => {
    own = await newTenant();
    user = await newUser(['ADMIN'], own);
  });

  const left = async () => {
    await collectFiles();
    return storedFiles(own);
  };

  it.each([
    ['names none', false],
    ['names another', true],
  ])('is removed when the record %s', async (_what, isReplaced) => {
    const { pid, front } = (await create(user, { front: await send(user) })).body.data;
    const other = await send(user, 'yy');
    await update(user, pid, { front: isReplaced ? other : null });
    expect((await download(user, front)).status).toBe(404);
    // Another collector may be at it.
    await until('it is removed', async () => (await left())?.files === 1);
    expect(await left()).toMatchObject({ files: 1, bytes: '2' });
  });

  it('is removed when the record is purged', async () => {
    const { pid } = (await create(user, { front: await send(user), back: await send(user) })).body.data;
    await remove(user, pid);
    expect(await left()).toMatchObject({ files: 2, references: 2 });
    await execute(user.token, 'record:purge', { payload: { modelCode: model.code, pid } });
    expect(await left()).toEqual({ files: 0, chunks: 0, references: 0, bytes: '0' });
  });

  it('stays while another record names it, also when two lose it at once', async () => {
    const front = await send(user);
    const records = [];
    for (let count = 0; count < 3; count += 1) records.push((await create(user, { front })).body.data.pid as string);
    await update(user, records[0] ?? '', { front: null });
    expect((await download(user, front)).status).toBe(200);
    await Promise.all(records.slice(1).map((pid) => update(user, pid, { front: null })));
    expect(await left()).toEqual({ files: 0, chunks: 0, references: 0, bytes: '0' });
  });
});

describe('a model', () => {
  it.each<[object, object]>([
    [{ type: 'string', accept: ['image/*'] }, { accept: 'is for fields of type file' }],
    [{ type: 'file', default: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }, { default: 'is not possible for file' }],
    [{ type: 'file', accept: ['*/*'] }, { 'accept.0': expect.any(String) }],
    [{ type: 'file', maxBytes: 0 }, { maxBytes: expect.any(String) }],
  ])('with a field %j is refused', async (field, errors) => {
    const fields = [{ code: 'f', name: 'F', ...field } as FieldContent];
    const { data } = await failureOf(newModel({ fields }));
    const [[path, problem] = ['', '']] = Object.entries((data as { fieldErrors: object }).fieldErrors);
    expect({ [path.replace(/^.*fields\.0\./, '')]: problem as unknown }).toEqual(errors);
  });

  it('is described with what its fields accept', async () => {
    const { body } = await call('/api/meta/app', { token: ada.token });
    const { fields } = body.data.models.find(({ code }: { code: string }) => code === model.code);
    expect(fields).toContainEqual(
      expect.objectContaining({ code: 'picture', type: 'file', accept: ['image/*', 'application/pdf'] }),
    );
    expect(fields).toContainEqual(expect.objectContaining({ code: 'small', maxBytes: 3 }));
  });
});
