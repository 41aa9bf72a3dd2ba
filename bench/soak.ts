import { writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ulid } from 'ulid';
import { readConfig } from '../src/foundation/config/config.ts';
import { createApplication } from '../src/application.ts';
import { PromotionEntity } from '../src/features/promotions/promotion/promotion.entity.ts';
import { MembershipEntity } from '../src/platform/auth/accounts/membership.entity.ts';
import { streamKey } from '../src/platform/streams/stream-entry.ts';
import { logIn } from './api-session.ts';
import { LOGIN } from './bench-data.ts';
import { processAt, residentMiB } from './process-memory.ts';
import { requiredUrl } from './settings.ts';
import { judgeSoak, soakPicture, type Sample } from './soak-verdict.ts';
import { insertEvents, startReceiver, subscribe } from './webhook-load.ts';

/**
 * Keeps the program under a steady load, and says whether its memory stays flat. `--minutes` shortens it;
 * `--full-speed` sends commands and reads as fast as they are answered.
 */
const COMPLETE_MINUTES = 30;
const RATES = { commands: 50, reads: 500, streams: 50, streamEvents: 1, webhooks: 20 } as const;
const FULL_SPEED_CLIENTS = 16;
const SAMPLE_EVERY_MS = 5_000;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: String(COMPLETE_MINUTES) }, 'full-speed': { type: 'boolean' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0 && minutes <= 24 * 60)) throw new Error('--minutes must be from 0.1 to 1440');
const isFullSpeed = values['full-speed'] === true;

const api = requiredUrl('BENCH_API_URL');
const application = await createApplication(readConfig());
const { orm, store, database, streamWriter } = application;
await store.connect();
const em = orm.em.fork();
for (const membership of await em.findAll(MembershipEntity)) membership.roles = ['PLATFORM_ADMIN', 'ADMIN'];
await em.flush();

const counts = { commands: 0, reads: 0, events: 0, webhooks: 0, failures: 0 };
const endsAt = performance.now() + minutes * 60_000;
const isOver = () => performance.now() >= endsAt;
let token = await logIn(api);
const anyLead = findLead();
const renewing = setInterval(() => void logIn(api).then((jwt) => (token = jwt)), 600_000);

const receiver = await startReceiver(() => {
  counts.webhooks += 1;
  return true;
});
await subscribe(orm, LOGIN.email, [{ targetUrl: `${receiver.url}/ok`, eventType: 'soak.tick' }]);
const streams = await openStreams();
const pid = processAt(api);
const samples: Sample[] = [];
const startedAt = performance.now();

await Promise.all([
  sampling(),
  ...(isFullSpeed
    ? Array.from({ length: FULL_SPEED_CLIENTS }, (_, n) => unpaced(n % 2 === 0 ? command : read))
    : [paced(RATES.commands, command), paced(RATES.reads, read)]),
  paced(RATES.streamEvents, tick),
  paced(1, () => insertEvents(database, ['soak.tick'], RATES.webhooks)),
]);
clearInterval(renewing);
streams.close();
receiver.server.closeAllConnections();
receiver.server.close();
report();
await application.close();

async function ask(path: string, options: RequestInit = {}): Promise<string> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${api}${path}`, { ...options, headers });
  const body = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${body.slice(0, 200)}`);
  return body;
}

async function command(): Promise<void> {
  const body = JSON.stringify({ payload: { name: `Soak ${ulid()}` } });
  await ask('/api/meta/commands/execute/crm:create_lead', { method: 'POST', body });
  counts.commands += 1;
}

/**
 * A list or a detail, in turn. Without a total: with a write between any two reads, each would count 100,000
 * records again, and Postgres alone would be measured.
 */
async function read(): Promise<void> {
  const isList = counts.reads % 2 === 0;
  counts.reads += 1;
  await ask(isList ? '/api/dynamic/leads/list?pageSize=20&count=none' : `/api/dynamic/leads/${await anyLead}`);
}

async function findLead(): Promise<string> {
  const { data } = JSON.parse(await ask('/api/dynamic/leads/list?pageSize=1')) as {
    readonly data: { readonly records: readonly { readonly pid: string }[] };
  };
  return data.records[0]?.pid ?? '';
}

/** Repeats work so many times a second, without waiting for its end. */
async function paced(perSecond: number, work: () => Promise<void>): Promise<void> {
  const from = performance.now();
  const open = new Set<Promise<void>>();
  for (let n = 0; !isOver(); n += 1) {
    await sleep(Math.max(0, from + (n * 1_000) / perSecond - performance.now()));
    // A program that has fallen behind is not buried.
    if (open.size >= perSecond) continue;
    const one = tried(work).finally(() => open.delete(one));
    open.add(one);
  }
  await Promise.all(open);
}

async function unpaced(work: () => Promise<void>): Promise<void> {
  while (!isOver()) await tried(work);
}

async function tried(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    counts.failures += 1;
    if (counts.failures <= 3) console.error(error);
  }
}

async function openStreams() {
  const pids = Array.from({ length: RATES.streams }, () => ulid());
  await orm.em.fork().transactional(async (em) => {
    const ends = { sourceEnvId: 1, targetEnvId: 2, units: '*' as const, status: 'DRAFT' as const };
    const maker = { resolutions: [], conflicts: [], createdBy: 'bench', createdByName: 'Bench' };
    for (const one of pids) em.create(PromotionEntity, { ...ends, ...maker, pid: one });
  });
  const requests = pids.map((one) => {
    const headers = { Authorization: `Bearer ${token}` };
    const request = get(`${api}/api/admin/promotions/${one}/stream`, { headers, agent: false }, (response) => {
      response.on('data', () => (counts.events += 1)).on('error', () => undefined);
    });
    return request.on('error', () => undefined);
  });
  return { pids, close: () => requests.forEach((request) => request.destroy()) };
}

async function tick(): Promise<void> {
  for (const one of streams.pids) {
    await streamWriter.append(streamKey('promotion', one), { event: 'tick', data: { at: Date.now() } });
  }
}

async function sampling(): Promise<void> {
  while (!isOver()) {
    const metrics = await ask('/actuator/prometheus').catch(() => '');
    const heap = Number(/^nodejs_heap_size_used_bytes ([\d.e+]+)/m.exec(metrics)?.[1] ?? 0);
    const seconds = (performance.now() - startedAt) / 1_000;
    samples.push({ seconds, residentMiB: residentMiB(pid), heapMiB: heap / 1_048_576 });
    await sleep(SAMPLE_EVERY_MS);
  }
}

function report(): void {
  const elapsed = (performance.now() - startedAt) / 1_000;
  const rate = (count: number) => (count / elapsed).toFixed(1);
  const { isFlat, growth, mostMiB } = judgeSoak(samples);
  const load = `${rate(counts.commands)} commands/s, ${rate(counts.reads)} reads/s, ${RATES.streams} streams, ${rate(counts.webhooks)} webhooks/s`;
  const first = samples[0]?.residentMiB ?? 0;
  const last = samples.at(-1)?.residentMiB ?? 0;
  console.log(`  ${(elapsed / 60).toFixed(1)} minutes of ${load}; ${counts.failures} failures`);
  console.log(
    `  Resident: ${first.toFixed(0)} MiB at first, ${last.toFixed(0)} at last, ${mostMiB.toFixed(0)} at most`,
  );
  console.log(`  ${isFlat ? 'FLAT' : 'GROWING'}: ${(growth * 100).toFixed(1)} % from warm-up to end; 5 % allowed`);
  const isComplete = minutes >= COMPLETE_MINUTES && !isFullSpeed;
  if (!isComplete) console.log(`  A short run: the verdict counts from ${COMPLETE_MINUTES} minutes on.`);
  const file = isComplete ? join('docs', 'soak.svg') : join(tmpdir(), 'keelson-soak.svg');
  writeFileSync(file, soakPicture(`${(elapsed / 60).toFixed(0)} minutes: ${load}`, samples));
  console.log(`  The curve: ${file}`);
  if (isComplete && (!isFlat || counts.failures > 0)) process.exitCode = 1;
}
