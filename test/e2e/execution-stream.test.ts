import { readFileSync } from 'node:fs';
import { ulid } from 'ulid';
import { call, execute, type Answered, expectRefusal } from '../support/api.ts';
import { executionRow, holdRecord, publishProbe, until, type HeldRecord } from '../support/faults.ts';
import { startNodeHere, type OwnNode } from '../support/own-node.ts';
import { freePort, startProgram } from '../support/program.ts';
import { watch, type Watched } from '../support/streams.ts';
import { container, newUser, signedInForEach } from '../support/world.ts';

const ASYNC = { headers: { Prefer: 'respond-async' } };

let other: OwnNode;
let lead: string;
let held: HeldRecord | null = null;

beforeAll(async () => {
  await publishProbe();
  other = await startNodeHere({ KEELSON_ROLES: 'api' });
});
const { tenant, user } = signedInForEach('ADMIN');
beforeEach(async () => {
  lead = (await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } })).body.data.pid;
});
afterEach(async () => {
  await held?.release();
  held = null;
});

/** A command that cannot end before the record is released. */
async function heldUp(options: object = ASYNC, more: object = {}): Promise<Answered> {
  held ??= await holdRecord(tenant.id, 'dev.mt_lead', lead);
  return execute(user.token, 'crm:update_lead', { ...update('1'), ...more }, options);
}
const update = (phone: string) => ({ operationType: 'UPDATE', targetRecordId: lead, payload: { phone } });
const executionOf = ({ headers }: Answered): string => headers.get('x-execution-pid') ?? '';
const pathOf = (pid: string): string => `/api/meta/commands/executions/${pid}/stream`;
const open = (pid: string, baseUrl?: string): Promise<Watched> =>
  watch(pathOf(pid), { token: user.token, ...(baseUrl && { baseUrl }) });

describe('Prefer: respond-async', () => {
  it('is answered 202 with executionPid and status, before the command has ended', async () => {
    const accepted = await heldUp();

    const executionPid = executionOf(accepted);
    expect(accepted).toMatchObject({ status: 202, body: { code: '0', data: { executionPid, status: 'RECEIVED' } } });
    expect(accepted.headers.get('location')).toBe(`/api/meta/commands/executions/${executionPid}`);
    expect(accepted.headers.get('preference-applied')).toBe('respond-async');
    await held?.release();
    held = null;
    await until('the command ends', async () => (await executionRow(executionPid)).status === 'SUCCEEDED');
  });

  it('with wait= is answered as usual when the command ends in that time', async () => {
    const done = await execute(user.token, 'crm:update_lead', update('1'), {
      headers: { Prefer: 'wait=20, respond-async' },
    });

    expect(done).toMatchObject({ status: 200, body: { code: '0', data: { phone: '1' } } });
    expect(done.headers.get('preference-applied')).toBeNull();
    const late = await heldUp({ headers: { Prefer: 'respond-async; x, wait=0, respond-async' } });
    expect(late).toMatchObject({ status: 202 });
  });

  it('gives a duplicate the execution that is running', async () => {
    const first = await heldUp(ASYNC, { clientRequestId: 'k' });
    const second = await heldUp(ASYNC, { clientRequestId: 'k' });

    expect(second.status).toBe(202);
    expect(executionOf(second)).toBe(executionOf(first));
    const another = await heldUp(ASYNC, { clientRequestId: 'k', payload: { phone: '2' } });
    expect(another).toMatchObject({ status: 409, body: { data: { reason: 'IN_PROGRESS' } } });
  });

  it('does not apply to a command that runs inline, or to other preferences', async () => {
    for (const [code, Prefer] of [
      ['probe:inline', 'respond-async'],
      ['probe:write', 'return=minimal'],
    ] as const) {
      const done = await execute(user.token, code, { payload: { name: 'A' } }, { headers: { Prefer } });
      expect(done).toMatchObject({ status: 200, body: { data: { name: 'A' } } });
      expect(done.headers.get('preference-applied')).toBeNull();
    }
  });
});

describe('the answer to a failed command', () => {
  it.each(['probe:write', 'probe:inline'])('names its execution (%s)', async (code) => {
    const body = { operationType: 'UPDATE', targetRecordId: ulid(), payload: { name: 'A' } };

    const failed = await execute(user.token, code, body);

    expectRefusal(failed, 'NOT_FOUND');
    expect(await executionRow(executionOf(failed))).toMatchObject({ status: 'FAILED', error: { code: 'NOT_FOUND' } });
  });
});

describe('GET /api/meta/commands/executions/{pid}/stream', () => {
  it('tells how the execution stands and how it ends, on any node, and is over then', async () => {
    const pid = executionOf(await heldUp());
    const clients = await Promise.all([open(pid), open(pid), open(pid, other.url)]);
    for (const client of clients) await client.get(1, 'execution');
    await held?.release();
    held = null;

    for (const client of clients) {
      await client.over();
      const states = client.named('execution').map(({ data }) => data);
      expect(states[0]).toEqual({
        pid,
        commandCode: 'crm:update_lead',
        status: expect.stringMatching('RECEIVED|RUNNING'),
        error: null,
        startedAt: expect.stringMatching(/Z$/),
        finishedAt: null,
        workflowId: `command:${pid}`,
        batchPid: null,
      });
      expect(states.at(-1)).toMatchObject({ pid, status: 'SUCCEEDED', finishedAt: expect.stringMatching(/Z$/) });
      expect(client.events.at(-1)).toMatchObject({ event: 'end', data: { pid, status: 'SUCCEEDED' } });
      expect(new Set(states.map(({ status }) => status as string)).size).toBe(states.length);
    }
  });

  it('answers the state of one that has ended, and ends', async () => {
    const body = { operationType: 'UPDATE', targetRecordId: ulid(), payload: { name: 'A' } };
    const pid = executionOf(await execute(user.token, 'crm:update_lead', body));

    const client = await open(pid);

    await client.over();
    expect(client.events.map(({ event }) => event)).toEqual(['execution', 'end']);
    expect(client.events[0]?.data).toMatchObject({ pid, status: 'FAILED', error: { code: 'NOT_FOUND' } });
    const again = await watch(pathOf(pid), { token: user.token, lastEventId: client.events[0]?.id ?? '' });
    await again.over();
    expect(again.events).toEqual([client.events[1]]);
  });

  it('is NOT_FOUND for everyone else', async () => {
    const pid = executionOf(await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } }));
    const colleague = await newUser(['ADMIN'], tenant);
    expectRefusal(await call(pathOf(pid), { token: colleague.token }), 'NOT_FOUND');
    expect(await call(pathOf(ulid()), { token: user.token })).toMatchObject({ status: 404 });
    expect(await call(pathOf(pid))).toMatchObject({ status: 401 });
  });

  it('costs a command that nobody watches nothing: it has no stream', async () => {
    const pid = executionOf(await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } }));
    const { store } = await container();
    expect(await store.pipeline([['exists', `keelson:stream:execution:${pid}`]])).toEqual([0]);
  });
});

describe('the client in docs/streams.md', () => {
  type WatchStream = (
    url: string,
    options: { token: () => string; onEvent: (event: { event: string; data: unknown }) => void },
  ) => Promise<void>;
  const document = readFileSync(new URL('../../docs/streams.md', import.meta.url), 'utf8');
  const [, source = ''] = /```js\n(.*?)```/s.exec(document) ?? [];
  // oxlint-disable-next-line typescript/no-implied-eval
  const watchStream = new Function(`${source}; return watchStream;`)() as WatchStream;
  const token = (): string => user.token;

  it('follows a stream to its end, and gives up where it may not read', async () => {
    const pid = executionOf(await heldUp());
    const events: string[] = [];
    const watching = watchStream(`${other.url}${pathOf(pid)}`, { token, onEvent: ({ event }) => events.push(event) });
    await until('the first event', () => events.length === 1);
    await held?.release();
    held = null;
    await watching;
    expect(events).toEqual(['execution', 'execution', 'end']);

    const nothing = watchStream(`${other.url}${pathOf(ulid())}`, { token, onEvent: () => undefined });
    await expect(nothing).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('goes on where it was when its node is stopped and another takes its place', async () => {
    const PORT = String(await freePort());
    let node = await startProgram({ KEELSON_ROLES: 'api', PORT });
    try {
      const pid = executionOf(await heldUp());
      const events: string[] = [];
      const watching = watchStream(`${node.url}${pathOf(pid)}`, { token, onEvent: ({ event }) => events.push(event) });
      await until('the first event', () => events.length === 1);
      await node.stop('SIGKILL');
      node = await startProgram({ KEELSON_ROLES: 'api', PORT });
      await held?.release();
      held = null;
      await watching;
      expect(events).toEqual(['execution', 'execution', 'end']);
    } finally {
      await node.stop();
    }
  });
});
