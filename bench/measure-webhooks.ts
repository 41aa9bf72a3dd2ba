import { setTimeout as sleep } from 'node:timers/promises';
import { ulid } from 'ulid';
import { readConfig } from '../src/foundation/config/config.ts';
import { sqlRunnerOf } from '../src/foundation/database/sql-runner.ts';
import { createApplication } from '../src/application.ts';
import { SubscriptionEntity } from '../src/features/webhooks/subscription.entity.ts';
import { logIn } from './api-session.ts';
import { LOGIN } from './bench-data.ts';
import { load } from './http-load.ts';
import { processAt, residentMiB } from './process-memory.ts';
import { requiredUrl } from './settings.ts';
import { percentile } from './statistics.ts';
import { insertEvents, startReceiver, subscribe } from './webhook-load.ts';

/** Measures webhooks: latency, throughput, and the effect of an unresponsive endpoint on the others. */
const LATENCY = { commandsPerSecond: 10, seconds: 20 } as const;
const SUSTAINED = { events: 2_000, subscriptions: 4, atOnce: 32 } as const;
const BLACK_HOLE = { events: 2_000, healthyEvents: 200 } as const;
const BURST = { events: 10_000, connections: 16 } as const;
const BACKLOG = { events: 100_000, endpoints: 1_000 } as const;
const WAIT_MS = 120_000;
const BACKLOG_WAIT_MS = 600_000;
const SAMPLE_EVERY_MS = 250;

const api = requiredUrl('BENCH_API_URL');
const baseline = requiredUrl('BENCH_WORKFLOW_URL');
const application = await createApplication(readConfig());
const { orm, database } = application;

/** Arrival time of each delivery, by the lead's name. */
const arrived = new Map<string, number>();
let count = 0;
const receiver = await startReceiver((path, body) => {
  if (path === '/black-hole') return false;
  const name = /"name":"([^"]+)"/.exec(body)?.[1];
  if (name) arrived.set(name, performance.now());
  count += 1;
  return true;
});

const subscribeTo = (...wanted: (readonly [path: string, eventType: string])[]) =>
  subscribe(
    orm,
    LOGIN.email,
    wanted.map(([path, eventType]) => ({ targetUrl: `${receiver.url}${path}`, eventType })),
  );

async function unsubscribe(pids: readonly string[]): Promise<void> {
  await orm.em.fork().nativeUpdate(SubscriptionEntity, { pid: { $in: [...pids] } }, { enabled: false });
  await sqlRunnerOf(orm.em.fork()).query(
    `update platform.webhook_delivery set status = 'CANCELLED', next_attempt_at = null, slot_until = null, queued_at = null where status in ('PENDING', 'RETRYING')`,
  );
}

async function until(wanted: number, waitMs: number = WAIT_MS): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (count < wanted) {
    if (Date.now() > deadline) throw new Error(`only ${count} of ${wanted} deliveries arrived within ${waitMs} ms`);
    await sleep(2);
  }
}

/** Milliseconds from a command's response to the POST at the receiver. */
async function latency(token: string, perSecond: number, seconds: number): Promise<number[]> {
  const answered = new Map<string, number>();
  const pending: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let index = 0; index < perSecond * seconds; index += 1) {
    await sleep(Math.max(0, startedAt + (index * 1_000) / perSecond - performance.now()));
    const name = `lead-${ulid()}`;
    const request = fetch(`${api}/api/meta/commands/execute/crm:create_lead`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ payload: { name } }),
    });
    pending.push(request.then((response) => response.text()).then(() => void answered.set(name, performance.now())));
  }
  await Promise.all(pending);
  const deadline = Date.now() + WAIT_MS;
  while ([...answered.keys()].some((name) => !arrived.has(name)) && Date.now() < deadline) await sleep(10);
  return [...answered].map(([name, at]) => Math.max(0, (arrived.get(name) ?? Number.POSITIVE_INFINITY) - at));
}

const token = await logIn(api);
const only = process.env.BENCH_WEBHOOKS?.split(',');
const wants = (name: string): boolean => only?.includes(name) ?? true;
const line = (text: string): void => console.log(`  ${text}`);

if (wants('latency')) {
  const pids = await subscribeTo(['/ok', 'crm:create_lead']);
  await latency(token, LATENCY.commandsPerSecond, 2);
  const delays = await latency(token, LATENCY.commandsPerSecond, LATENCY.seconds);
  line(
    `From a command's response to the POST, at ${LATENCY.commandsPerSecond} commands/s: p50 ${percentile(delays, 0.5).toFixed(1)} ms (target 40), p95 ${percentile(delays, 0.95).toFixed(1)} ms (target 150)`,
  );
  await unsubscribe(pids);
}

if (wants('sustained')) {
  const ratios: number[] = [];
  const types = Array.from({ length: SUSTAINED.subscriptions }, (_, index) => `bench.${index}`);
  const pids = await subscribeTo(...types.map((type) => ['/ok', type] as const));
  for (let round = 0; round < 3; round += 1) {
    count = 0;
    const startedAt = performance.now();
    await insertEvents(database, types, SUSTAINED.events);
    await until(SUSTAINED.events);
    const ours = (SUSTAINED.events * 1_000) / (performance.now() - startedAt);
    await sleep(500);
    const empty = { url: baseline, method: 'POST', paths: ['/activity'] } as const;
    const theirs = (await load(empty, SUSTAINED.atOnce, 15)).requestsPerSecond;
    ratios.push(ours / theirs);
    line(
      `Deliveries: ${ours.toFixed(1)}/s, an eager workflow with one empty activity: ${theirs.toFixed(1)}/s, ratio ${(ours / theirs).toFixed(2)} (target 5.0)`,
    );
    await sleep(500);
  }
  await unsubscribe(pids);
}

if (wants('burst')) {
  // Commands at 16 connections, as fast as they are accepted, to one endpoint that answers at once.
  const pids = await subscribeTo(['/ok', 'crm:create_lead']);
  const scans = () =>
    database.query<{ relname: string; seqScan: string; seqTupRead: string }>(
      `select relname, seq_scan, seq_tup_read from pg_stat_user_tables where schemaname = 'platform' and seq_tup_read > 100000 order by seq_tup_read desc limit 5`,
    );
  count = 0;
  const startedAt = performance.now();
  let left: number = BURST.events;
  const send = async (): Promise<void> => {
    while (left-- > 0) {
      const response = await fetch(`${api}/api/meta/commands/execute/crm:create_lead`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ payload: { name: `lead-${ulid()}` } }),
      });
      await response.text();
      if (response.status !== 200) left += 1;
    }
  };
  await Promise.all(Array.from({ length: BURST.connections }, send));
  const acceptedMs = performance.now() - startedAt;
  await until(BURST.events);
  const deliveredMs = performance.now() - startedAt;
  line(
    `A burst of ${BURST.events} commands at ${BURST.connections} connections: ${((BURST.events * 1_000) / acceptedMs).toFixed(0)} accepted/s, ${((BURST.events * 1_000) / deliveredMs).toFixed(0)} delivered/s, the last ${((deliveredMs - acceptedMs) / 1_000).toFixed(1)} s after the last answer`,
  );
  for (const { relname, seqScan, seqTupRead } of await scans()) {
    line(`  ${relname}: ${seqScan} sequential scans, ${seqTupRead} rows`);
  }
  await unsubscribe(pids);
}

if (wants('black-hole')) {
  const pids = await subscribeTo(['/black-hole', 'bench.hole'], ['/ok', 'crm:create_lead']);
  await insertEvents(database, ['bench.hole'], BLACK_HOLE.events);
  const delays = await latency(token, LATENCY.commandsPerSecond, BLACK_HOLE.healthyEvents / LATENCY.commandsPerSecond);
  line(
    `Beside ${BLACK_HOLE.events} events to an endpoint that never answers, a healthy one: p50 ${percentile(delays, 0.5).toFixed(1)} ms, p95 ${percentile(delays, 0.95).toFixed(1)} ms (target 2000)`,
  );
  await unsubscribe(pids);
}

// Events that are all there at once: for one endpoint, and for many.
for (const [name, endpoints] of [
  ['backlog', 1],
  ['backlog-of-many', BACKLOG.endpoints],
] as const) {
  if (wants(name)) {
    const types = Array.from({ length: endpoints }, (_, index) => `backlog.${endpoints}.${index}`);
    const pids = await subscribeTo(...types.map((type, index) => [`/ok/${index}`, type] as const));
    const pid = processAt(api);
    const before = residentMiB(pid);
    let highest = before;
    const sampling = setInterval(() => (highest = Math.max(highest, residentMiB(pid))), SAMPLE_EVERY_MS);
    count = 0;
    const startedAt = performance.now();
    await insertEvents(database, types, BACKLOG.events);
    await until(BACKLOG.events, BACKLOG_WAIT_MS);
    const perSecond = (BACKLOG.events * 1_000) / (performance.now() - startedAt);
    clearInterval(sampling);
    await sleep(1_000);
    line(
      `${BACKLOG.events} events at once for ${endpoints} endpoints: ${perSecond.toFixed(0)} delivered/s, ${count - BACKLOG.events} twice, resident ${before.toFixed(0)} MiB before, ${highest.toFixed(0)} at most`,
    );
    await unsubscribe(pids);
  }
}

receiver.server.closeAllConnections();
receiver.server.close();
await application.close();
