import { ulid } from 'ulid';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from '../../src/foundation/database/pool.ts';
import { RepeatedStarts } from '../../src/foundation/jobs/repeated-starts.ts';
import { unavailable } from '../../src/foundation/errors/application-error.ts';
import { EventRelay, type EventConsumer } from '../../src/platform/events/outbox/event-relay.ts';
import { takeEvents, type OutboxEvent } from '../../src/platform/events/outbox/outbox.ts';
import { leaseSlots } from '../../src/features/webhooks/deliveries/delivery-queue.ts';
import { recordVisibility } from '../../src/platform/records/reader/row-visibility.ts';
import { EventVisibility } from '../../src/platform/events/audience/event-visibility.ts';
import { eventMatcher } from '../../src/features/webhooks/matching/event-matcher.ts';
import { SubscriptionMatcher } from '../../src/features/webhooks/matching/subscription-matcher.ts';
import { readDrafts } from '../../scripts/database/load-application.ts';
import { startOwnNode } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import { subscribe } from '../support/webhooks.ts';
import { container, newTenant, newUser, type TestTenant } from '../support/world.ts';

/** Setup: a database of the test's own, where nobody else relays: its only program is an API. */
let tenant: TestTenant;

beforeAll(async () => {
  await startOwnNode('relay', { KEELSON_ROLES: 'api' });
  await (await container()).resources.save('dev', await readDrafts(), null);
});
beforeEach(async () => {
  tenant = await newTenant();
  await runSql('update platform.event set dispatched_at = now() where dispatched_at is null');
});

/** Who writes down what it is given; `fails` says which events it chokes on, and how. */
class Listener implements EventConsumer {
  readonly heard: string[] = [];
  readonly fails: (event: OutboxEvent) => Error | null;

  constructor(fails: (event: OutboxEvent) => Error | null = () => null) {
    this.fails = fails;
  }

  async consume(_transaction: Transaction, events: readonly OutboxEvent[]): Promise<() => Promise<void>> {
    // Long enough for another relay to come in between.
    await sleep(5);
    for (const event of events) {
      const failure = this.fails(event);
      if (failure) throw failure;
    }
    return async () => void this.heard.push(...events.map(({ pid }) => pid));
  }
}

async function relayTo(...consumers: EventConsumer[]): Promise<EventRelay> {
  const { database, store, logger } = await container();
  return new EventRelay(database, consumers, store, logger);
}

/**
 * Events as commands leave them; gives their pids. @param record what each has changed: the record alone, or
 * also the one it tells `of`
 */
async function emit(count: number, record?: { pid: string; phone: string; of?: string }): Promise<string[]> {
  const pids = Array.from({ length: count }, () => ulid());
  const body = { commandCode: 'crm:update_lead', modelCode: 'lead', payload: { phone: record?.phone }, result: {} };
  for (const pid of pids) {
    await runSql(
      `with tenant as (select set_config('keelson.tenant_id', $1, false)), changed as (
         insert into platform.change_log (environment, tenant_id, model_code, record_pid, action, after, user_pid)
         select 'dev', $2, 'lead', pid, 'UPDATE', $3::jsonb, 'a-test' from tenant, unnest($4::text[]) pid returning id)
       insert into platform.event (pid, environment, tenant_id, event_type, command_code, model_code, body, trace_id, record_pid, change_ids)
       select $5, 'dev', $6, 'crm:update_lead', 'crm:update_lead', 'lead', $7, 't', $8, array(select id from changed)`,
      [
        tenant.id,
        tenant.id,
        JSON.stringify({ phone: record?.phone }),
        `{${[record?.of, record?.pid].filter((one) => one !== undefined).join(',')}}`,
        pid,
        tenant.id,
        JSON.stringify(body),
        record?.of ?? record?.pid ?? null,
      ],
    );
  }
  return pids;
}

const eventRow = async (pid: string | undefined) => {
  const [row] = await runSql<{ dispatched: boolean; failures: number; aside: boolean }>(
    `select dispatched_at is not null as dispatched, dispatch_failures as failures,
       dispatch_after is not null as aside
     from platform.event where pid = $1`,
    [pid],
  );
  return row;
};

describe('the relay', () => {
  it('puts an event aside that its consumer chokes on, and goes on with the others', async () => {
    const pids = await emit(5);
    const [, poison] = pids;
    const listener = new Listener(({ pid }) => (pid === poison ? new Error('what is this?') : null));
    const relay = await relayTo(listener);

    expect(await relay.relay()).toBe(5);

    expect(listener.heard.sort()).toEqual(pids.filter((pid) => pid !== poison).sort());
    expect(await eventRow(poison)).toEqual({ dispatched: false, failures: 1, aside: true });
    await runSql(`update platform.event set dispatch_after = now() + interval '1 minute' where pid = $1`, [poison]);
    expect(await relay.relay()).toBe(0);
  });

  it('puts an event aside whose relays die, and gives the others of its batch to the next one', async () => {
    const pids = await emit(3);
    const [, poison = ''] = pids;
    await runSql(`update platform.event set created_at = now() - interval '1 minute' where dispatched_at is null`);
    const { store } = await container();
    const heard: string[][] = [];
    const listener = new Listener((event) => {
      heard.at(-1)?.push(event.pid);
      return null;
    });
    const relay = await relayTo(listener);
    // What relays that died have left is their counts: of the batch, then of the event by itself.
    await new RepeatedStarts(store, 'events').count(pids);
    await new RepeatedStarts(store, 'event').count([poison]);
    await new RepeatedStarts(store, 'event').count([poison]);

    heard.push([]);
    await relay.relay();

    expect(heard).toEqual([pids.filter((pid) => pid !== poison)]);
    expect(await eventRow(poison)).toEqual({ dispatched: false, failures: 1, aside: true });
    await runSql(`update platform.event set dispatch_after = now() - interval '1 second' where pid = $1`, [poison]);
    await relay.relay();
    expect(heard).toEqual([pids.filter((pid) => pid !== poison)]);
    expect(await eventRow(poison)).toMatchObject({ failures: 2 });
  });

  it('takes an event that was put aside again when its pause is over; the pause doubles', async () => {
    const [poison] = await emit(1);
    const relay = await relayTo(new Listener(() => new Error('again')));
    for (let failures = 1; failures <= 3; failures += 1) {
      const [{ before } = { before: '' }] = await runSql<{ before: string }>('select now()::text as before');
      await relay.relay();
      const [row] = await runSql(
        // The column is exact to a millisecond.
        `select make_interval(secs => $1) between dispatch_after - now() - interval '1 millisecond'
           and dispatch_after - $2::timestamptz + interval '1 millisecond' as fits
         from platform.event where pid = $3`,
        [2 ** (failures - 1), before, poison],
      );
      expect([failures, row]).toEqual([failures, { fits: true }]);
      await runSql(`update platform.event set dispatch_after = now() - interval '1 second' where pid = $1`, [poison]);
    }

    const later = new Listener();
    await (await relayTo(later)).relay();

    expect(later.heard).toEqual([poison]);
    expect(await eventRow(poison)).toMatchObject({ dispatched: true, failures: 3 });
  });

  it('delivers each event once where two work on one outbox', async () => {
    const pids = await emit(250);
    const listener = new Listener();
    const drain = async (): Promise<void> => {
      const relay = await relayTo(listener);
      while ((await relay.relay()) > 0);
    };

    await Promise.all([drain(), drain()]);

    expect(listener.heard).toHaveLength(250);
    expect(listener.heard.sort()).toEqual(pids.sort());
  });

  it('finds an event that commits late, behind others with higher ids', async () => {
    const { database } = await container();
    const listener = new Listener();
    const relay = await relayTo(listener);
    const late = ulid();
    let early: string[] = [];
    await database.transaction(async (transaction) => {
      await transaction.query(
        `insert into platform.event (pid, environment, tenant_id, event_type, command_code, model_code, body, trace_id)
         values ($1, 'dev', $2, 'x', 'x', '', '{}', 't')`,
        [late, tenant.id],
      );
      early = await emit(1);
      expect(await relay.relay()).toBe(1);
    });

    expect(await relay.relay()).toBe(1);

    expect(listener.heard).toEqual([...early, late]);
  });

  it('leaves all events to do while Redis or Postgres is away, and blames none', async () => {
    const pids = await emit(3);
    const listener = new Listener(() => (isAway ? unavailable('redis') : null));
    let isAway = true;
    const relay = await relayTo(listener);

    await expect(relay.relay()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    for (const pid of pids) {
      expect(await eventRow(pid)).toEqual({ dispatched: false, failures: 0, aside: false });
    }

    isAway = false;
    expect(await relay.relay()).toBe(3);
    expect(listener.heard.sort()).toEqual(pids.sort());
  });

  it('marks nothing that one of several consumers has not written down', async () => {
    const pids = await emit(2);
    const first = new Listener();
    const relay = await relayTo(first, new Listener(() => unavailable('redis')));

    await expect(relay.relay()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });

    expect(first.heard).toEqual([]);
    expect(await eventRow(pids[0])).toMatchObject({ dispatched: false });
  });
});

/**
 * Setup: two events of one record, a subscription to `record.*` that asks for the record's order.
 * Timeline: one relay has the first event and is slow; another one relays the second event; then the first is
 * done. What this proves: the first event is sent first, whoever was quicker.
 */
describe('the order of a record’s events', () => {
  it.each([
    ['record.updated', 'the record', [['1'], ['2']]],
    // Each record has its own queue.
    ['record.updated', 'another record', [['1', '1'], ['2']]],
    ['crm:update_lead', 'the record', [['1'], ['2']]],
    ['*', 'the record', [['1'], ['1'], ['2'], ['2']]],
  ])('holds over two relays for %s, the first event being one of %s', async (eventType, of, expected) => {
    const { database, snapshots, scheduler } = await container();
    const user = await newUser(['ADMIN'], tenant);
    const pid = await subscribe(tenant, user, 'http://127.0.0.1:1/', { eventType, ordering: 'record' });
    const record = ulid();
    const [first] = await emit(1, { pid: record, phone: '1', ...(of === 'another record' && { of: ulid() }) });
    await emit(1, { pid: record, phone: '2' });
    // Its follow-up is left out: nobody sends anything here.
    const matcher = eventMatcher(
      new SubscriptionMatcher(snapshots, new EventVisibility(recordVisibility)),
      scheduler,
      [50],
    );
    const consumer: EventConsumer = {
      consume: async (transaction, events) => {
        await matcher.consume(transaction, events);
        return async () => undefined;
      },
    };
    const relay = await relayTo(consumer);
    const bounds = { circuitFailures: 0, maxInFlight: 8, most: 8 };
    const granted = () => database.transaction((transaction) => leaseSlots(transaction, [pid], bounds));
    await database.transaction(async (slow) => {
      expect(await takeEvents(slow, 1)).toMatchObject([{ pid: first }]);
      expect(await relay.relay()).toBe(1);
      expect(await granted()).toEqual([]);
    });
    expect(await relay.relay()).toBe(1);

    const rounds: string[][] = [];
    for (let next = await granted(); next.length > 0; next = await granted()) {
      const pids = next.map((delivery) => delivery.pid);
      const sent = await runSql<{ phone: string }>(
        `update platform.webhook_delivery d set status = 'SUCCEEDED', slot_until = null from platform.event e
         where e.pid = d.event_pid and d.pid = any($1::text[]) returning e.body::json -> 'payload' ->> 'phone' as phone`,
        [`{${pids.join(',')}}`],
      );
      rounds.push(sent.map(({ phone }) => phone));
    }
    expect(rounds).toEqual(expected);
  });
});
