import type { AddressInfo } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import { Redis } from 'ioredis';
import { SMTPServer } from 'smtp-server';
import type { AnyStep } from '../../src/features/automations/steps/step-schema.ts';
import { call, execute, list, dataOf } from '../support/api.ts';
import { act, getRun, newAutomation, runIs, startRun } from '../support/automations.ts';
import { saidBy, say } from '../support/chat.ts';
import { ModelServer } from '../support/model-server.ts';
import { newRole } from '../support/models.ts';
import { OwnTemporal, until } from '../support/faults.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { runSql } from '../support/platform.ts';
import { newAdmin, newUnits, type Admin } from '../support/promotions.ts';
import { Receiver } from '../support/receiver.ts';
import { createSubscription } from '../support/webhook-api.ts';
import { container, PASSWORD } from '../support/world.ts';

/*
 * Setup: a program with a Temporal server of its own; one of everything that Temporal has to bring on is
 * under way. Timeline: Temporal is killed and comes back without its data. What this proves: everything goes
 * on by itself, without a restart, because the rows in Postgres are the truth.
 */

let own: OwnProgram;
let server: OwnTemporal;
let smtp: SMTPServer;
let receiver: Receiver;
let models: ModelServer;
let admin: Admin;
const mails: string[] = [];
let isMailServerBusy = true;

beforeAll(async () => {
  smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onData(stream, _session, done) {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => {
        if (isMailServerBusy) return done(Object.assign(new Error('busy'), { responseCode: 451 }));
        mails.push(text);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void smtp.listen(0, '127.0.0.1', () => resolve()));
  const { port } = smtp.server.address() as AddressInfo;
  [server, receiver, models] = await Promise.all([OwnTemporal.start(), Receiver.start(), ModelServer.start()]);
  own = await startOwnProgram('emptied', {
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_WAIT_MS: '',
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    AI_BASE_URL: models.url,
    AI_MODEL: 'm',
  });
  await until('the worker', () => own.program.logs().includes('worker polling'));
  admin = await newAdmin();
});
afterAll(async () => {
  await own.stop();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
});

const token = () => admin.user.token;
const make = (name: string): AnyStep => ({
  id: 'make',
  type: 'command',
  commandCode: 'crm:create_lead',
  payload: { name: `"${name}"` },
});
const created = async (name: string) =>
  (await list(token(), 'leads', { keyword: name })).body.data.records as { name: string }[];

describe('Temporal without its data', () => {
  it('brings everything on that was under way', async () => {
    receiver.answer = () => ({ status: 500 });
    await createSubscription(admin.user, {
      targetUrl: receiver.url,
      retryScheduleMs: [8_000, 2_000],
      eventType: 'crm:create_lead',
    });
    const asking = await newAutomation({
      steps: [{ id: 'ok', type: 'approval', user: `"${admin.user.pid}"` }, make('Asked')],
    });
    const sleeping = await newAutomation({ steps: [{ id: 'nap', type: 'wait', seconds: 15 }, make('Slept')] });
    const scheduled = await newAutomation({
      trigger: { type: 'schedule', everySeconds: 60, tenants: [admin.tenant.id] },
      runAs: await newRole(['record:read:lead']),
      steps: [{ id: 'nap', type: 'wait', seconds: 1 }],
    });
    const name = { code: 'name', name: 'Name', type: 'string' } as const;
    const [later, waiting] = [await newUnits([name]), await newUnits([name])];
    const laterPid = await admin.validated(later.units);
    const waitingPid = await admin.validated(waiting.units);

    const done = await execute(token(), 'crm:create_lead', { payload: { name: 'Delivered' } });
    expect(done.status).toBe(200);
    await receiver.have(1);
    const [askingRun, sleepingRun] = await Promise.all(
      [asking, sleeping].map(async (code) => dataOf(await startRun(token(), code)).runPid),
    );
    for (const run of [askingRun, sleepingRun]) await runIs(token(), run, ['WAITING']);
    const applyAt = new Date(Date.now() + 12_000).toISOString();
    dataOf(await admin.apply(laterPid, { applyAt }));
    expect((await call('/api/auth/password-reset/request', { body: { email: admin.user.email } })).status).toBe(200);
    models.answer = () => ({ text: ['Half ', 'an '], hang: 'pieces' });
    const reply = await say(token(), 'Say half an answer');
    await reply.get(1, 'message.delta');
    await until('the reset is postponed', async () => {
      const [row] = await runSql('select 1 from platform.password_reset where postponed_at is not null');
      return row;
    });

    await server.empty();
    receiver.answer = () => ({});
    isMailServerBusy = false;
    models.answer = () => ({ text: ['answer'] });

    const again = () => execute(token(), 'crm:create_lead', { payload: { name: 'After' } });
    await until('commands work again', async () => (await again()).status === 200);
    await until('the delivery', () => receiver.received.length > 1);
    await runIs(token(), sleepingRun, ['SUCCEEDED']);
    expect(await created('Slept')).toHaveLength(1);
    const isApplied = async () => dataOf(await admin.promotion(laterPid)).status === 'APPLIED';
    await until('the scheduled apply', isApplied);
    expect(dataOf(await admin.apply(waitingPid)).status).toBe('APPLIED');
    expect((await getRun(token(), askingRun)).body.data.status).toBe('WAITING');
    dataOf(await act(token(), askingRun, 'approve', { approved: true }));
    await runIs(token(), askingRun, ['SUCCEEDED']);
    await reply.over();
    expect(reply.events.at(-1)).toMatchObject({ event: 'message.completed', data: { text: 'Half an answer' } });
    expect(saidBy(reply)).toBe('Half an answer');
    await until('the reset e-mail', () => mails.length > 0);
    await until('the schedules', () => hasSchedules(scheduled));
  });
});

/** Whether Temporal has the schedule of an automation, and that of the purge. */
async function hasSchedules(automation: string): Promise<boolean> {
  const connection = await Connection.connect({ address: server.address });
  try {
    const ids: string[] = [];
    for await (const { scheduleId } of new Client({ connection }).schedule.list()) ids.push(scheduleId);
    return ids.some((id) => id.endsWith(`dev:${automation}`)) && ids.some((id) => id.startsWith('purge:'));
  } finally {
    await connection.close();
  }
}

/** Deletes all keys of this installation. */
async function emptyRedis(): Promise<void> {
  const url = new URL((await container()).config.redisUrl);
  const prefix = url.searchParams.get('keyPrefix') ?? '';
  url.search = '';
  const redis = new Redis(url.href);
  const keys = await redis.keys(`${prefix}*`);
  expect(keys.length).toBeGreaterThan(0);
  await redis.del(...keys);
  redis.disconnect();
}

describe('Redis without its data', () => {
  it('ends access tokens, which a refresh replaces, and has totals counted again', async () => {
    const login = dataOf(await call('/api/auth/login', { body: { email: admin.user.email, password: PASSWORD } }));
    const before = dataOf(await list(login.jwt, 'leads')).total;

    await emptyRedis();

    expect((await list(login.jwt, 'leads')).status).toBe(401);
    const { jwt } = dataOf(await call('/api/auth/refresh', { body: { refreshToken: login.refreshToken } }));
    expect(dataOf(await list(jwt, 'leads')).total).toBe(before);
    expect((await execute(jwt, 'crm:create_lead', { payload: { name: 'Flushed' } })).status).toBe(200);
    expect(dataOf(await list(jwt, 'leads')).total).toBe(before + 1);
  });
});
