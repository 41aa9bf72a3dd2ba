import { ulid } from 'ulid';
import { Definitions } from '../../src/features/automations/runs/values/definitions.ts';
import { RunSignaller } from '../../src/features/automations/runs/run-signaller.ts';
import { automationTriggers } from '../../src/features/automations/triggers/automation-triggers.ts';
import { AwaitedEvents } from '../../src/features/automations/triggers/awaited-events.ts';
import { recordVisibility } from '../../src/platform/records/reader/row-visibility.ts';
import { eventMatcher } from '../../src/features/webhooks/matching/event-matcher.ts';
import { SubscriptionMatcher } from '../../src/features/webhooks/matching/subscription-matcher.ts';
import { EventRelay, type EventConsumer } from '../../src/platform/events/outbox/event-relay.ts';
import { EventVisibility } from '../../src/platform/events/audience/event-visibility.ts';
import { newAutomation } from '../support/automations.ts';
import { insert, newModel, newRole, type TestModel } from '../support/models.ts';
import { startOwnNode } from '../support/own-node.ts';
import { runSql } from '../support/platform.ts';
import { redisTrips } from '../support/round-trips.ts';
import { subscribe } from '../support/webhooks.ts';
import { container, newTenant, newUser, type TestTenant } from '../support/world.ts';

/*
 * Setup: a database of the test's own whose program is an API alone, so that nothing else relays.
 * Subscriptions and an automation that listen to all records of a model, whose row rule has to be asked for
 * each event and reader. Timeline: a relay takes one event, then a hundred. What this proves: both cost the
 * same number of statements and of trips to Redis.
 */
let model: TestModel;
let role: string;

beforeAll(async () => {
  await startOwnNode('relaytrips', { KEELSON_ROLES: 'api' });
  const fields = [{ code: 'name', name: 'Name', type: 'string' as const }];
  const rule = { name: 'Public', conditions: [{ fieldName: 'name', operator: 'eq' as const, value: 'public' }] };
  model = await newModel({ fields, rowRules: [rule] });
  role = await newRole(model.permissions);
  await newAutomation({
    trigger: { type: 'event', eventType: 'record.*', modelCode: model.code },
    runAs: role,
    steps: [{ id: 'pause', type: 'wait', seconds: 3_600 }],
  });
});

/** Events of changes of records, as commands leave them. */
async function emit(tenant: TestTenant, names: readonly string[]): Promise<void> {
  const pids = await insert(
    tenant,
    model.code,
    names.map((name) => ({ name })),
  );
  const body = { commandCode: model.command, modelCode: model.code, payload: {}, result: {} };
  // At once: an event that waits for seconds is counted as one that may have been begun before.
  await runSql(
    `with tenant as (select $1::bigint as id, set_config('keelson.tenant_id', $2, false)),
     written as (select * from unnest($3::text[], $4::text[]) as written (record_pid, event_pid)),
     changed as (
       insert into platform.change_log (environment, tenant_id, model_code, record_pid, action, after, user_pid)
       select 'dev', tenant.id, $5, record_pid, 'UPDATE', '{"name": "x"}', 'a-test' from tenant, written
       returning id, record_pid)
     insert into platform.event (pid, environment, tenant_id, event_type, command_code, model_code, body, trace_id, record_pid, change_ids)
     select event_pid, 'dev', tenant.id, $6, $7, $8, $9, 't', record_pid, array[changed.id]
     from tenant, written join changed using (record_pid)`,
    [
      tenant.id,
      tenant.id,
      `{${pids.join(',')}}`,
      `{${pids.map(() => ulid()).join(',')}}`,
      model.code,
      model.command,
      model.command,
      model.code,
      JSON.stringify(body),
    ],
  );
}

/** What relaying all that waits costs, without what follows the commit. */
async function costOfRelaying(): Promise<{ events: number; statements: number; redis: number }> {
  const { database, store, snapshots, scheduler, orm, temporal, logger } = await container();
  const visibility = new EventVisibility(recordVisibility);
  const signaller = new RunSignaller(database, temporal, logger);
  const awaited = new AwaitedEvents(database, new Definitions(orm), snapshots, visibility, signaller, logger);
  const consumers = [
    eventMatcher(new SubscriptionMatcher(snapshots, visibility), scheduler, [50]),
    automationTriggers({ snapshots, visibility, awaited, signaller, logger }),
  ].map((consumer): EventConsumer => ({
    consume: async (transaction, events) => {
      await consumer.consume(transaction, events);
      return async () => undefined;
    },
  }));
  const before = { statements: database.statements, redis: redisTrips(store) };
  const events = await new EventRelay(database, consumers, store, logger).relay();
  return { events, statements: database.statements - before.statements, redis: redisTrips(store) - before.redis };
}

describe('a batch of the relay', () => {
  it('costs the same statements and trips to Redis for one event and for a hundred', async () => {
    const tenant = await newTenant();
    const user = await newUser([role], tenant);
    const pids = [];
    for (const eventType of ['record.*', 'record.*', '*', 'record.updated', `${model.command}`]) {
      pids.push(await subscribe(tenant, user, 'http://127.0.0.1:1/', { eventType, roles: [role] }));
    }
    await emit(tenant, ['public']);
    const one = await costOfRelaying();
    await emit(tenant, [...Array.from({ length: 99 }, () => 'public'), 'hidden']);

    const hundred = await costOfRelaying();

    expect([one.events, hundred.events]).toEqual([1, 100]);
    expect(hundred).toEqual({ ...one, events: 100 });
    const counts = await runSql<{ count: number }>(
      `select count(*)::int as count from platform.webhook_delivery where subscription_pid = any($1::text[])
       group by subscription_pid, event_type order by 1, event_type`,
      [`{${pids.join(',')}}`],
    );
    // Five subscriptions, one of them with both types: of each the public records alone.
    expect(counts).toEqual(Array.from({ length: 6 }, () => ({ count: 100 })));
    const [runs] = await runSql<{ count: number }>(
      'select count(*)::int as count from platform.automation_run where tenant_id = $1',
      [tenant.id],
    );
    expect(runs?.count).toBe(100);
  });
});
