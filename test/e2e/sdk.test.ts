import {
  ConflictError,
  createClient,
  ForbiddenError,
  NotFoundError,
  PreconditionError,
  UnauthorizedError,
  ValidationError,
  type Client,
  type Session,
} from '../../sdk/src/index.ts';
import { insert, newModel, newRole, type TestModel } from '../support/models.ts';
import { newTenant, newUser, PASSWORD, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let model: TestModel;
let user: TestUser;
let client: Client;
const url = process.env.KEELSON_TEST_URL ?? '';

beforeAll(async () => {
  tenant = await newTenant();
  model = await newModel({
    fields: [
      { code: 'name', name: 'Name', type: 'string', required: true },
      { code: 'size', name: 'Size', type: 'integer', indexed: true },
    ],
  });
  user = await newUser([await newRole(model.permissions)], tenant);
  client = createClient({ url, token: user.token });
});

const create = (payload: object, options = {}, by: Client = client) => by.command(model.command)(payload, options);
const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

describe('createClient', () => {
  it('logs in, and refreshes once for all requests whose token is refused', async () => {
    const sessions: (Session | null)[] = [];
    const refreshes: string[] = [];
    const own = createClient({
      url,
      onSession: (session) => sessions.push(session),
      fetch: (input, init) => {
        if ((input as string).endsWith('/refresh')) refreshes.push(input as string);
        return fetch(input, init);
      },
      session: { ...(await createClient({ url }).login({ email: user.email, password: PASSWORD })), jwt: 'x.y.z' },
    });

    const answers = await Promise.all(Array.from({ length: 5 }, () => own.page(model.code).list()));

    expect(answers.every(({ total }) => typeof total === 'number')).toBe(true);
    expect(refreshes).toHaveLength(1);
    expect(sessions).toMatchObject([{ username: expect.any(String), jwt: await own.token() }]);
  });

  it('logs in with credentials when it first needs a token, and says so when the session has ended', async () => {
    const sessions: (Session | null)[] = [];
    const credentials = { email: user.email, password: PASSWORD };
    const lasting = createClient({ url, credentials });
    expect((await lasting.page(model.code).list()).pageNum).toBe(1);

    const ended = createClient({ url, onSession: (session) => sessions.push(session) });
    await ended.login(credentials);
    await ended.request('POST', '/api/auth/logout');
    await expect(ended.page(model.code).list()).rejects.toThrow(UnauthorizedError);
    expect(sessions.at(-1)).toBeNull();
    await expect(ended.login({ ...credentials, password: 'wrong-password' })).rejects.toThrow(UnauthorizedError);
  });

  it('asks its function for another token after a 401', async () => {
    const tokens = ['x.y.z', user.token];
    const own = createClient({ url, token: () => tokens.shift() ?? user.token });

    expect((await own.page(model.code).list()).pageNum).toBe(1);
  });

  it('acts in the tenant and the environment that it was made for', async () => {
    const [other, both] = [await newTenant(), await newTenant()];
    const member = await newUser([await newRole(model.permissions)], other, both);
    const made = createClient({ url, token: member.token, tenantId: both.id, environment: 'dev', language: 'zh-CN' });
    await create({ name: 'there' }, {}, made);

    expect((await made.page(model.code).list()).total).toBe(1);
    expect((await createClient({ url, token: member.token }).page(model.code).list()).total).toBe(0);
    const problem = (await failure(create({}, {}, made))) as ValidationError;
    expect(problem.fieldErrors.name).toMatch(/\p{Script=Han}/u);
  });
});

describe('client.page', () => {
  it('lists, queries, reads and measures', async () => {
    const own = await newUser([await newRole(model.permissions)], await newTenant());
    const page = createClient({ url, token: own.token }).page(model.code);
    const made = createClient({ url, token: own.token }).command(model.command);
    for (const size of [1, 2, 3]) await made({ name: `n${size}`, size });

    const filters = [{ fieldName: 'size', operator: 'gte' as const, value: 2 }];
    const found = await page.list({ filters, sortField: 'size', sortOrder: 'asc', fields: ['name'] });
    expect(found.records.map(({ name }) => name)).toEqual(['n2', 'n3']);
    expect(Object.keys(found.records[0] ?? {}).sort()).toEqual(['id', 'name', 'pid']);
    const sortFields = [{ fieldName: 'size', order: 'desc' as const }];
    const queried = await page.query({ conditions: filters, sortFields, pageSize: 1 });
    expect(queried).toMatchObject({ total: 2, records: [{ name: 'n3' }] });
    expect(await page.get(queried.records[0]?.pid ?? '')).toMatchObject({ size: 3 });
    const measures = [{ fn: 'sum' as const, fieldName: 'size', as: 'all' }];
    expect((await page.aggregate({ measures })).rows).toEqual([{ all: '6' }]);
    await expect(page.get('01ARZ3NDEKTSV4RRFFQ69G5FAV')).rejects.toThrow(NotFoundError);
  });

  it('walks over all records, page after page, and stops when it is left', async () => {
    const own = await newTenant();
    await insert(
      own,
      model.code,
      Array.from({ length: 250 }, (_, size) => ({ name: `n${size}`, size })),
    );
    const reader = await newUser([await newRole(model.permissions)], own);
    const requests: string[] = [];
    const page = createClient({
      url,
      token: reader.token,
      fetch: (input, init) => {
        requests.push(input as string);
        return fetch(input, init);
      },
    }).page(model.code);

    const sizes: unknown[] = [];
    for await (const { size } of page.all({ sortField: 'size', sortOrder: 'asc' })) sizes.push(size);
    expect(sizes).toEqual(Array.from({ length: 250 }, (_, size) => size));
    expect(requests).toHaveLength(3);

    for await (const { size } of page.all({ sortField: 'size', sortOrder: 'asc' })) if (size === 5) break;
    expect(requests).toHaveLength(4);
  });

  it('stops at the signal', async () => {
    const reason = new Error('enough');

    await expect(client.page(model.code).list({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('client.command', () => {
  it('executes, and answers a repeated key with the first result', async () => {
    const first = (await create({ name: 'one' }, { idempotencyKey: 'key-1' })) as { pid: string };
    const again = await create({ name: 'other' }, { idempotencyKey: 'key-1' });

    expect(again).toEqual(first);
  });

  it('changes the record that was read, and no later version of it', async () => {
    const record = (await create({ name: 'one' })) as { pid: string; version: number };
    const update = { operationType: 'UPDATE', targetRecordId: record.pid, ifMatch: record };

    expect(await create({ name: 'two' }, update)).toMatchObject({ name: 'two', version: 2 });
    const problem = await failure(create({ name: 'three' }, update));
    expect(problem).toBeInstanceOf(PreconditionError);
    expect(problem).toMatchObject({ code: 'PRECONDITION_FAILED', status: 412, traceId: expect.any(String) });
  });

  it('waits for one that was started, and says why it failed', async () => {
    const execution = await client.command(model.command).start({ name: 'later' });
    expect(await execution.wait()).toMatchObject({ name: 'later' });
    expect(await client.execution(execution.pid).get()).toMatchObject({
      status: 'SUCCEEDED',
      commandCode: model.command,
    });

    const options = { operationType: 'DELETE', targetRecordId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };
    const failed = await client.command(model.command).start({}, options);
    expect(await failure(failed.wait())).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('tells what a command would do, and does nothing', async () => {
    const before = (await client.page(model.code).list()).total;
    const { result, changes } = await client.command(model.command).dryRun({ name: 'never' });

    expect([result, changes]).toMatchObject([{ name: 'never' }, [{ action: 'CREATE' }]]);
    expect((await client.page(model.code).list()).total).toBe(before);
  });

  it('throws errors with fields, permissions and reasons', async () => {
    const wrong = (await failure(create({ size: 'big' }))) as ValidationError;
    expect(wrong).toBeInstanceOf(ValidationError);
    expect(wrong).toMatchObject({ code: 'VALIDATION_ERROR', status: 400, traceId: expect.any(String) });
    expect(Object.keys(wrong.fieldErrors).sort()).toEqual(['name', 'size']);

    const stranger = createClient({ url, token: (await newUser([], tenant)).token });
    const denied = await failure(create({ name: 'x' }, {}, stranger));
    expect(denied).toBeInstanceOf(ForbiddenError);
    expect(denied).toMatchObject({ data: { permission: `command:execute:${model.command}` } });

    const record = (await create({ name: 'one' })) as { pid: string };
    const options = { operationType: 'UPDATE', targetRecordId: record.pid };
    const body = { payload: { name: 'x' }, ...options, expectedVersion: 9 };
    const stale = await failure(client.request('POST', `/api/meta/commands/execute/${model.command}`, { body }));
    expect(stale).toBeInstanceOf(ConflictError);
    expect(stale).toMatchObject({ reason: 'VERSION' });
  });
});

describe('the events of an execution', () => {
  it('come one after the other up to the end, and go on after the last one that was read', async () => {
    const execution = await client.command(model.command).start({ name: 'watched' });
    await execution.wait();
    const all = [];
    for await (const event of execution.events()) all.push(event);
    expect(all.at(-1)?.event).toBe('end');
    expect(all.at(-2)).toMatchObject({ event: 'execution', data: { status: 'SUCCEEDED' } });

    const rest = [];
    for await (const event of execution.events({ lastEventId: all.at(-2)?.id ?? '' })) rest.push(event);
    expect(rest).toEqual(all.slice(-1));
  });

  it('are refused to others', async () => {
    const { pid } = await client.command(model.command).start({ name: 'own' });
    const other = createClient({ url, token: (await newUser([], tenant)).token });

    await expect(other.execution(pid).events().next()).rejects.toThrow(NotFoundError);
  });
});
