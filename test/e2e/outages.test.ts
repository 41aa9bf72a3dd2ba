import { setTimeout as sleep } from 'node:timers/promises';
import { call, execute } from '../support/api.ts';
import { newAutomation, runIs, startRun } from '../support/automations.ts';
import { holdRecord, proxied, rowsOf, until, type Proxy } from '../support/faults.ts';
import { askForImport, endedImport, importStateOf } from '../support/imports.ts';
import { insert, newModel, save, type TestModel } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { freePort, startProgram, type Program } from '../support/program.ts';
import { Receiver } from '../support/receiver.ts';
import { deliveriesOnce, subscribe } from '../support/webhooks.ts';
import { signedInForEach } from '../support/world.ts';

/*
 * Setup: an API node and a worker on a database of their own; the worker reaches Postgres and Redis through
 * proxies. Timeline: one of everything that is put aside when it is begun too often is under way; what the
 * worker needs is away for 15 s. What this proves: such a fault uses up no start of theirs.
 */
const AWAY_MS = 15_000;
const ROWS = 20_000;
const ITEMS = 20;

let worker: Program;
let away: Record<'Postgres' | 'Redis', Proxy>;
let receiver: Receiver;
/** Of the import alone: no subscription hears its events. */
let imported: TestModel;
let model: TestModel;

beforeAll(async () => {
  // What was asked before an outage is answered after it.
  await startOwnNode('outages', { KEELSON_ROLES: 'api', COMMAND_WAIT_MS: '60000' });
  const [postgres, redis] = await Promise.all([
    proxied(process.env.DATABASE_URL ?? ''),
    proxied(process.env.REDIS_URL ?? ''),
  ]);
  away = { Postgres: postgres.proxy, Redis: redis.proxy };
  const reached = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  worker = await startProgram({ ...reached, KEELSON_ROLES: 'worker', PORT: String(await freePort()) });
});
afterAll(async () => {
  await worker.stop('SIGKILL');
});
const { tenant, user } = signedInForEach('ADMIN');
beforeEach(async () => {
  receiver = await Receiver.start();
  const content = { fields: [{ code: 'name', name: 'Name', type: 'string', required: true } as const] };
  [imported, model] = [await newModel(content), await newModel(content)];
});

const create = (name: string) => execute(user.token, model.command, { payload: { name } });

async function beginImport(): Promise<string> {
  const content = `name\n${Array.from({ length: ROWS }, (_, index) => `n${index}\n`).join('')}`;
  const { body } = await askForImport(user, { pageKey: imported.code, content, body: {} });
  const { importPid } = body.data;
  await until('the import has made progress', async () => (await importStateOf(user, importPid)).done > 0);
  return importPid;
}

/** A run with a step under way. */
async function beginRun(): Promise<string> {
  const url = `"${receiver.urlOf('steps')}"`;
  const payload = { name: 'string(item)' };
  const code = await newAutomation({
    steps: [
      {
        id: 'each',
        type: 'forEach',
        concurrency: 2,
        items: `[${Array.from({ length: ITEMS }, (_, index) => index).join(', ')}]`,
        steps: [
          { id: 'call', type: 'http', url },
          { id: 'make', type: 'command', commandCode: model.command, operationType: 'CREATE', payload },
        ],
      },
    ],
  });
  const { body } = await startRun(user.token, code);
  await until('a step is under way', () => receiver.at('steps').length > 0);
  return body.data.runPid as string;
}

/** The code of a command that starts a run. */
async function startingCommand(): Promise<string> {
  const automationCode = await newAutomation({ steps: [{ id: 'pause', type: 'wait', seconds: 1 }] });
  const code = `${model.command}_start`;
  const steps = [
    { id: 'row', operation: 'CREATE', modelCode: model.code, values: { name: 'payload.name' } },
    { id: 'start', type: 'startAutomation', automationCode },
  ];
  const content = { name: 'Start', modelCode: model.code, operations: ['CREATE'], steps };
  await save('dev', { resourceType: 'COMMAND', code, content });
  return code;
}

/** A batch with an item that waits for a record. */
function beginBatch(mode: string, targetRecordId: string) {
  const items = Array.from({ length: 10 }, (_, index) =>
    index === 5
      ? { operationType: 'UPDATE', targetRecordId, payload: { name: mode } }
      : { operationType: 'CREATE', payload: { name: `${mode} ${index}` } },
  );
  return call(`/api/meta/commands/execute/${model.command}/batch`, { token: user.token, body: { mode, items } });
}

/** A subscription with failed deliveries that are recovered. @returns its pid */
async function beginRecovery(): Promise<string> {
  receiver.answer = () => ({ status: 500 });
  const eventType = model.command;
  const pid = await subscribe(tenant, user, receiver.urlOf('recovered'), { eventType, maxRetries: 0 });
  for (const name of ['a', 'b', 'c']) await create(name);
  await deliveriesOnce(pid, 3);
  receiver.answer = () => ({ delayMs: 300 });
  const since = new Date(Date.now() - 600_000).toISOString();
  const { status } = await call(`/api/webhooks/${pid}/recover`, { token: user.token, body: { since } });
  expect(status).toBe(202);
  return pid;
}

describe.each(['Redis', 'Postgres'] as const)('%s away for 15 s', (what) => {
  it('puts no import, run, step, batch, command, event, delivery or recovery aside', async () => {
    const starting = await startingCommand();
    const [held = ''] = await insert(tenant, model.code, [{ name: 'held' }]);
    const recovered = await beginRecovery();
    const heard = await subscribe(tenant, user, receiver.urlOf('heard'), { eventType: model.command });
    receiver.answer = ({ path }) => ({ delayMs: path.endsWith('heard') ? 3_000 : 300 });
    await create('before');
    const importPid = await beginImport();
    const runPid = await beginRun();
    const record = await holdRecord(tenant.id, `dev.mt_${model.code}`, held);
    const batches = ['atomic', 'partial'].map((mode) => beginBatch(mode, held));
    await record.waiting(2);
    const started = execute(user.token, starting, { operationType: 'CREATE', payload: { name: 'starts' } });

    const arrived = receiver.at('heard').length;
    await create('heard by then');
    await until('a request is out', () => receiver.at('heard').length > arrived);
    away[what].cut();
    await record.release();
    const during = [create('during 1'), create('during 2')];
    await sleep(AWAY_MS);
    await away[what].restore();

    const answers = await Promise.all([...during, started]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await Promise.all(batches)).toMatchObject([
      { status: 200, body: { data: { succeeded: 10, failed: 0 } } },
      { status: 200, body: { data: { succeeded: 10, failed: 0 } } },
    ]);
    expect(await endedImport(user, importPid)).toMatchObject({ status: 'SUCCEEDED', created: ROWS, failed: 0 });
    expect((await runIs(user.token, runPid, ['SUCCEEDED', 'FAILED'])).status).toBe('SUCCEEDED');
    await until('the run of the step has ended', async () => {
      const runs = await rowsOf(tenant.id, `select status from platform.automation_run where tenant_id = $1`, [
        tenant.id,
      ]);
      return runs.length === 2 && runs.every(({ status }) => status === 'SUCCEEDED');
    });
    await deliveriesOnce(recovered, 3, ({ status }) => status === 'SUCCEEDED');
    // Of the commands of the test, the items of the batches and those of the run.
    const deliveries = await deliveriesOnce(heard, 24 + ITEMS, ({ status }) => status === 'SUCCEEDED');
    // On a slow machine one may outlive its lease, and is made again, as it is not known how it ended.
    expect(deliveries.every(({ failedCount }) => failedCount === 0)).toBe(true);
    const failed = await rowsOf(
      tenant.id,
      `select command_code, status, error from platform.command_execution where tenant_id = $1 and status <> 'SUCCEEDED'`,
      [tenant.id],
    );
    expect(failed).toEqual([]);
    const postponed = await rowsOf(
      tenant.id,
      `select event_type from platform.event where tenant_id = $1 and dispatch_failures > 0`,
      [tenant.id],
    );
    expect(postponed).toEqual([]);
  });
});
