import { setTimeout as sleep } from 'node:timers/promises';
import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { logRetention } from '../../src/features/webhooks/log/delivery-log.ts';
import { ulid } from 'ulid';
import type { Actor } from '../../src/platform/auth/requests/actor.ts';
import type { DeliveryAdmin } from '../../src/features/webhooks/deliveries/delivery-admin.ts';
import { RecoveryEntity } from '../../src/features/webhooks/deliveries/delivery.entity.ts';
import { execute } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { startOwnNode } from '../support/own-node.ts';
import { failureOf, runSql } from '../support/platform.ts';
import { Receiver, type Received } from '../support/receiver.ts';
import {
  actorOf,
  attemptsOf,
  change,
  controlOf,
  deliveriesOf,
  deliveriesOnce,
  ended,
  subscribe,
  waiting,
  workflowEnd,
} from '../support/webhooks.ts';
import { container, newTenant, newUser, signedInForEach } from '../support/world.ts';

/** A delay that no test waits for. */
const NEVER = [600_000];
const ONE_FAILS = { maxRetries: 0 };

let actor: Actor;
let receiver: Receiver;
let control: DeliveryAdmin;

beforeAll(async () => {
  await startOwnNode('hookrecovery');
  control = await controlOf();
});
const { tenant, user } = signedInForEach('ADMIN');
beforeEach(async () => {
  actor = await actorOf(user, tenant);
  receiver = await Receiver.start();
  receiver.answer = () => ({ status: 500 });
});

const create = (name = 'Ada') => execute(user.token, 'crm:create_lead', { payload: { name } });
const nameIn = ({ body }: Received) => (JSON.parse(body) as { payload: { name: string } }).payload.name;
const heals = () => (receiver.answer = () => ({}));
const triggers = async (deliveryPid: string) => (await attemptsOf(deliveryPid)).map(({ trigger }) => trigger);
const STATE = { code: 'CONFLICT', data: { reason: 'STATE' } };

describe('resend', () => {
  it('sends a FAILED delivery again, with all its retries and the same bytes', async () => {
    const pid = await subscribe(tenant, user, receiver.url, { maxRetries: 1 });
    await create();
    const failed = await ended(pid);
    expect(failed).toMatchObject({ status: 'FAILED', attemptCount: 2 });
    receiver.answer = (_request, index) => ({ status: index === 2 ? 500 : 200 });

    await control.resend(actor, failed.pid);

    const [again] = await deliveriesOnce(pid, 1);
    expect(again).toMatchObject({ pid: failed.pid, status: 'SUCCEEDED', attemptCount: 4 });
    expect(await triggers(failed.pid)).toEqual(['event', 'retry', 'resend', 'retry']);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('fails a delivery whose attempts ended three workers in a row; another resend tries again', async () => {
    const pid = await subscribe(tenant, user, receiver.url, ONE_FAILS);
    await create();
    const failed = await ended(pid);
    // What workers that died have left: attempts without an end.
    await runSql(`update platform.webhook_attempt set finished_at = null where delivery_pid = $1`, [failed.pid]);
    await runSql(
      `insert into platform.webhook_attempt (delivery_pid, number, subscription_pid, trigger, started_at)
       select $1, number, $2, 'retry', now() from generate_series(2, 3) number`,
      [failed.pid, pid],
    );
    await runSql('update platform.webhook_delivery set attempt_count = 3 where pid = $1', [failed.pid]);
    heals();

    await control.resend(actor, failed.pid);

    const hasEnded = ({ status }: { status: string }) => status !== 'PENDING';
    const [aside] = await deliveriesOnce(pid, 1, (one) => one.attemptCount === 4 && hasEnded(one));
    expect(aside).toMatchObject({ status: 'FAILED' });
    expect((await attemptsOf(failed.pid)).at(-1)).toMatchObject({
      errorClass: 'blocked',
      errorMessage: 'the attempt was begun three times without an end',
    });
    expect(receiver.received).toHaveLength(1);

    await control.resend(actor, failed.pid);

    const [again] = await deliveriesOnce(pid, 1, (one) => one.attemptCount === 5 && hasEnded(one));
    expect(again).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('sends a SUCCEEDED delivery again', async () => {
    heals();
    const pid = await subscribe(tenant, user, receiver.url);
    await create();
    const { pid: deliveryPid } = await ended(pid);

    await control.resend(actor, deliveryPid);

    await deliveriesOnce(pid, 1, ({ status, attemptCount }) => status === 'SUCCEEDED' && attemptCount === 2);
    expect(receiver.received).toHaveLength(2);
  });

  it('sends one that waits for a retry at once, and goes on counting its retries', async () => {
    const pid = await subscribe(tenant, user, receiver.url, { retryScheduleMs: NEVER, maxRetries: 1 });
    await create();
    const { pid: deliveryPid } = await waiting(pid);

    await control.resend(actor, deliveryPid);

    expect(await ended(pid)).toMatchObject({ status: 'FAILED', attemptCount: 2, failedCount: 2 });
    expect(await triggers(deliveryPid)).toEqual(['event', 'resend']);
  });

  it('is not lost on a delivery whose retry is out', async () => {
    receiver.answer = (_request, index) => ({ status: index < 2 ? 500 : 200, delayMs: index === 1 ? 1_500 : 0 });
    const pid = await subscribe(tenant, user, receiver.url, { maxRetries: 1 });
    await create();
    await receiver.have(2);
    const [{ pid: deliveryPid } = { pid: '' }] = await deliveriesOf(pid);

    await control.resend(actor, deliveryPid);

    await receiver.have(3);
    expect(await ended(pid)).toMatchObject({ status: 'SUCCEEDED', attemptCount: 3 });
    expect(await triggers(deliveryPid)).toEqual(['event', 'retry', 'resend']);
  });

  it('is not lost on a delivery that was cancelled while its request was out', async () => {
    receiver.answer = (_request, index) => ({ status: index < 1 ? 500 : 200, delayMs: index < 1 ? 4_000 : 0 });
    const pid = await subscribe(tenant, user, receiver.url, ONE_FAILS);
    await create();
    await receiver.have(1);
    const [{ pid: deliveryPid } = { pid: '' }] = await deliveriesOf(pid);
    await control.cancel(actor, deliveryPid);

    await control.resend(actor, deliveryPid);

    await receiver.have(2);
    expect(await ended(pid)).toMatchObject({ status: 'SUCCEEDED', attemptCount: 2 });
  });

  it('is CONFLICT for a delivery that is about to be sent for the first time', async () => {
    const { promise: resent, resolve: answer } = Promise.withResolvers<void>();
    receiver.answer = () => ({ after: resent });
    const pid = await subscribe(tenant, user, receiver.url);
    await create();
    await receiver.have(1);
    const [{ pid: deliveryPid } = { pid: '' }] = await deliveriesOf(pid);

    expect(await failureOf(control.resend(actor, deliveryPid))).toMatchObject(STATE);
    answer();
    expect(await ended(pid)).toMatchObject({ status: 'SUCCEEDED', attemptCount: 1 });
  });

  it('is NOT_FOUND for another tenant’s delivery, as cancel and recover are', async () => {
    const pid = await subscribe(tenant, user, receiver.url, ONE_FAILS);
    await create();
    const { pid: deliveryPid } = await ended(pid);
    const theirs = await newTenant();
    const stranger = await actorOf(await newUser(['ADMIN'], theirs), theirs);

    for (const refused of [
      () => control.resend(stranger, deliveryPid),
      () => control.cancel(stranger, deliveryPid),
      () => control.recover(stranger, pid, new Date(0), new Date()),
      () => control.resend(actor, ulid()),
    ]) {
      expect(await failureOf(refused())).toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(receiver.received).toHaveLength(1);
  });

  it('tries once where the subscription is disabled, and is CONFLICT where it is deleted', async () => {
    const pid = await subscribe(tenant, user, receiver.url, ONE_FAILS);
    await create();
    const { pid: deliveryPid } = await ended(pid);
    await change(pid, { enabled: false });
    heals();

    await control.resend(actor, deliveryPid);
    expect(await ended(pid)).toMatchObject({ status: 'SUCCEEDED', attemptCount: 2 });
    receiver.answer = () => ({ status: 500 });
    await control.resend(actor, deliveryPid);
    expect(await ended(pid)).toMatchObject({ status: 'FAILED', attemptCount: 3 });

    await change(pid, { deletedAt: new Date() });
    expect(await failureOf(control.resend(actor, deliveryPid))).toMatchObject(STATE);
    expect(receiver.received).toHaveLength(3);
  });
});

describe('cancel', () => {
  it('ends a delivery that waits, and its workflow; one that has ended is CONFLICT; resend remains', async () => {
    const pid = await subscribe(tenant, user, receiver.url, { retryScheduleMs: NEVER });
    await create();
    const { pid: deliveryPid } = await waiting(pid);

    await control.cancel(actor, deliveryPid);

    expect(await workflowEnd(deliveryPid)).toBe('CANCELLED');
    expect(await ended(pid)).toMatchObject({ status: 'CANCELLED', attemptCount: 1 });
    expect(await failureOf(control.cancel(actor, deliveryPid))).toMatchObject(STATE);
    heals();
    await control.resend(actor, deliveryPid);
    expect(await ended(pid)).toMatchObject({ status: 'SUCCEEDED', attemptCount: 2 });
  });
});

describe('recover', () => {
  const recovery = async (pid: string) => (await container()).orm.em.fork().findOneOrFail(RecoveryEntity, { pid });
  async function done(pid: string) {
    await until('the recovery is done', async () => (await recovery(pid)).status !== 'RUNNING');
    return recovery(pid);
  }
  async function fail(count: number, fields: Parameters<typeof subscribe>[3] = ONE_FAILS): Promise<string> {
    const pid = await subscribe(tenant, user, receiver.url, fields);
    await Promise.all(Array.from({ length: count }, (_, n) => create(`lead ${n}`)));
    await deliveriesOnce(pid, count);
    return pid;
  }

  it('sends each failed delivery of its time once; its row has the progress', async () => {
    const pid = await fail(3);
    const until = new Date();
    const [first] = await deliveriesOf(pid);
    await create('after its time');
    await deliveriesOnce(pid, 4);
    heals();

    const { status, total, resent, finishedAt } = await done(
      await control.recover(actor, pid, first?.createdAt ?? until, until),
    );

    expect({ status, total, resent, finishedAt }).toEqual({
      status: 'DONE',
      total: 3,
      resent: 3,
      finishedAt: expect.any(Date),
    });
    const deliveries = await deliveriesOnce(pid, 4);
    expect(deliveries.map(({ status, attemptCount }) => [status, attemptCount])).toEqual([
      ...Array<unknown>(3).fill(['SUCCEEDED', 2]),
      ['FAILED', 1],
    ]);
    expect(await triggers(first?.pid ?? '')).toEqual(['event', 'recover']);
    expect(receiver.received.slice(4).map(nameIn).sort()).toEqual(['lead 0', 'lead 1', 'lead 2']);
  });

  it('goes on where the node that began it died before its workflow had started', async () => {
    const pid = await fail(1);
    heals();
    const orphan = ulid();
    const em = (await container()).orm.em.fork();
    const begun = {
      createdAt: new Date(Date.now() - 60_000),
      createdBy: user.pid,
      status: 'RUNNING' as const,
      total: 1,
    };
    const period = { since: new Date(Date.now() - 3_600_000), until: new Date() };
    const of = { subscriptionPid: pid, environment: 'dev', tenantId: tenant.id };
    em.create(RecoveryEntity, { pid: orphan, ...of, ...period, ...begun });
    // What a recovery takes has ended before it began.
    await runSql(
      `update platform.webhook_delivery set finished_at = now() - interval '2 minutes' where subscription_pid = $1`,
      [pid],
    );
    await em.flush();

    expect(await done(orphan)).toMatchObject({ status: 'DONE', resent: 1 });
    expect(await deliveriesOnce(pid, 1)).toMatchObject([{ status: 'SUCCEEDED' }]);
  });

  it('sends each once also where two are under way and the endpoint goes on failing', async () => {
    const pid = await fail(3);
    // Nobody works on this queue: the test takes the batches itself, in the worst order.
    const manual = await controlOf(`nobody-${ulid()}`);
    const [one, two] = [
      await manual.recover(actor, pid, new Date(0), new Date()),
      await manual.recover(actor, pid, new Date(0), new Date()),
    ];

    expect(await control.recoverBatch(one)).toBe(true);
    await deliveriesOnce(pid, 3, ({ status, attemptCount }) => status === 'FAILED' && attemptCount === 2);

    expect(await control.recoverBatch(two)).toBe(false);
    expect(await control.recoverBatch(one)).toBe(false);
    expect(await recovery(one)).toMatchObject({ status: 'DONE', resent: 3 });
    expect(await recovery(two)).toMatchObject({ status: 'DONE', resent: 0 });
    await deliveriesOnce(pid, 3);
    expect(receiver.received).toHaveLength(6);
  });

  it('waits for a delivery that something else holds, and does not end without it', async () => {
    const pid = await fail(1);
    const manual = await controlOf(`nobody-${ulid()}`);
    const one = await manual.recover(actor, pid, new Date(0), new Date());
    const { orm } = await container();
    const batch = await orm.em.fork().transactional(async (em) => {
      const hold = 'select 1 from platform.webhook_delivery where subscription_pid = $1 for update';
      await sqlRunnerOf(em).query(hold, [pid]);
      const taken = control.recoverBatch(one);
      await sleep(500);
      return { taken };
    });

    expect(await batch.taken).toBe(true);
    expect(await recovery(one)).toMatchObject({ status: 'RUNNING', resent: 1 });
  });

  it('takes what was cancelled with its subscription, but not what somebody has cancelled', async () => {
    const pid = await subscribe(tenant, user, receiver.url, { retryScheduleMs: NEVER });
    await create('by hand');
    const byHand = await waiting(pid);
    await control.cancel(actor, byHand.pid);
    await create('with the subscription');
    await deliveriesOnce(pid, 2, ({ nextAttemptAt, finishedAt }) => nextAttemptAt ?? finishedAt);
    await change(pid, { enabled: false });
    expect(await failureOf(control.recover(actor, pid, new Date(0), new Date()))).toMatchObject(STATE);
    await change(pid, { enabled: true });
    heals();

    await done(await control.recover(actor, pid, new Date(0), new Date()));

    const deliveries = await deliveriesOnce(pid, 2);
    expect(deliveries.map(({ status }) => status)).toEqual(['CANCELLED', 'SUCCEEDED']);
  });
});

describe('the log', () => {
  it('is forgotten when it is old, with its attempts and events, but nothing that is still to be done', async () => {
    const failing = await subscribe(tenant, user, receiver.url, ONE_FAILS);
    const retrying = await subscribe(tenant, user, receiver.url, { retryScheduleMs: NEVER });
    await create('failed and waiting');
    await ended(failing);
    await waiting(retrying);
    await create('young');
    await deliveriesOnce(failing, 2);
    await deliveriesOnce(retrying, 2, ({ nextAttemptAt }) => nextAttemptAt);
    await change(retrying, { enabled: false });
    // Nobody touches the rows once their workflows have ended.
    for (const { pid } of await deliveriesOf(retrying)) expect(await workflowEnd(pid)).toBe('CANCELLED');
    await runSql(
      `update platform.webhook_delivery set status = 'RETRYING' where subscription_pid = $1 and id in
      (select min(id) from platform.webhook_delivery where subscription_pid = $1)`,
      [retrying],
    );
    const [old, young] = await deliveriesOf(failing);
    const age = `created_at = now() - interval '31 days'`;
    await runSql(`update platform.webhook_delivery set ${age} where event_pid = $1`, [old?.eventPid]);
    await runSql(`update platform.event set ${age} where pid = $1`, [old?.eventPid]);

    const retention = logRetention((await container()).orm, 30);
    expect(await retention.purgeBatch()).toBe(false);

    expect(await deliveriesOf(failing)).toMatchObject([{ pid: young?.pid }]);
    expect(await attemptsOf(old?.pid ?? '')).toEqual([]);
    expect(await deliveriesOf(retrying)).toHaveLength(2);
    const events = () => runSql('select pid from platform.event where pid = $1', [old?.eventPid]);
    expect(await events()).toHaveLength(1);

    // What is left of it has ended, and so the event goes, too.
    await runSql(`update platform.webhook_delivery set status = 'CANCELLED' where subscription_pid = $1`, [retrying]);
    await retention.purgeBatch();
    expect(await deliveriesOf(retrying)).toHaveLength(1);
    expect(await events()).toEqual([]);
  });
});
