import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import { ulid } from 'ulid';
import { createApplication } from '../src/application.ts';
import { readConfig } from '../src/foundation/config/config.ts';
import { insertRecords } from '../src/platform/records/seeding/insert-records.ts';
import { MembershipEntity } from '../src/platform/auth/accounts/membership.entity.ts';
import { logIn } from './api-session.ts';
import { TENANTS } from './bench-data.ts';
import { Target, type Attack, type Setup } from './hostile/attack.ts';
import { ATTACKS } from './hostile/attacks.ts';
import { processAt, residentMiB } from './process-memory.ts';
import { busyShare } from './quiet.ts';
import { requiredUrl } from './settings.ts';
import { percentile } from './statistics.ts';

/**
 * Runs the attacks of bench/hostile all at once, and tells whether the node lives, how long liveness and
 * memory took, and what the attackers were told. Fails on death, on liveness over 200 ms, and on a 5xx other
 * than 503 with Retry-After. BENCH_ONLY names attacks.
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
const MAX_LIVENESS_MS = 200;
const LOOK_AT_MEMORY_EVERY_MS = 50;
const CONNECTIONS = 64;
/** Liveness is asked for so long before the attacks: what it takes then is the machine's. */
const QUIET_MS = 3_000;

const url = requiredUrl('BENCH_API_URL');
const only = process.env.BENCH_ONLY?.split(',');
const attacks = ATTACKS.filter(({ name }) => only?.includes(name) ?? true);
if (attacks.length === 0) throw new Error(`BENCH_ONLY names none of ${ATTACKS.map(({ name }) => name).join(', ')}`);

await prepare();
const token = await logIn(url);
const pid = processAt(url);
const busy = await busyShare();
const pool = new Pool(url, { connections: CONNECTIONS, bodyTimeout: 0, headersTimeout: 60_000 });

let livenessMs: number[] = [];
const watch = new Worker(new URL('watch-liveness.ts', import.meta.url), { workerData: { url } });
watch.on('message', (tookMs: number) => livenessMs.push(tookMs));
await sleep(QUIET_MS);
const quietMs = livenessMs;
livenessMs = [];
let isOver = false;
const memory = watchMemory();
const told = await Promise.all(attacks.map(repeatAttack));
isOver = true;
const maxMiB = await memory;
const isAlive = await fetch(`${url}/actuator/health/liveness`).then(
  ({ ok }) => ok,
  () => false,
);
await watch.terminate();
await pool.close();

const slowest = livenessMs.includes(-1) ? Infinity : percentile(livenessMs, 1);
for (const { name, rounds, statuses } of told) {
  const counts = [...statuses].toSorted().map(([status, count]) => `${status}: ${count}`);
  console.log(`  ${name.padEnd(28)} ${String(rounds).padStart(4)} rounds   ${counts.join(', ')}`);
}
console.log(
  `\n  ${isAlive ? 'Alive' : 'DEAD'} after ${SECONDS} s. Liveness p99 ${percentile(livenessMs, 0.99).toFixed(1)} ms, ` +
    `at most ${slowest.toFixed(1)} ms. Resident memory at most ${maxMiB.toFixed(0)} MiB.`,
);
console.log(
  `  The machine was ${Math.round(busy * 100)} % busy with other things: before the attacks liveness took at most ` +
    `${percentile(quietMs, 1).toFixed(1)} ms.`,
);
const faults = told.flatMap(({ name, faults: of }) => [...of].map(([fault, count]) => `${name}: ${count} x ${fault}`));
if (!isAlive) faults.push('the node has ended');
if (slowest > MAX_LIVENESS_MS) faults.push(`liveness took more than ${MAX_LIVENESS_MS} ms`);
for (const fault of faults) console.log(`  FAILED: ${fault}`);
if (faults.length > 0) process.exitCode = 1;

async function prepare(): Promise<void> {
  const application = await createApplication(readConfig());
  await application.store.connect();
  const em = application.orm.em.fork();
  for (const membership of await em.findAll(MembershipEntity)) membership.roles = ['ADMIN'];
  await em.flush();
  const setup: Setup = {
    save: async (...drafts) => void (await application.resources.save('dev', drafts, null)),
    async insert(modelCode, records) {
      const model = (await application.snapshots.current('dev')).model(modelCode);
      const seeds = records.map((record) => ({ ...record, pid: ulid() }));
      await application.database.transaction((transaction) =>
        insertRecords(transaction, model, TENANTS[0].id, 'bench', seeds),
      );
      return seeds.map((seed) => seed.pid);
    },
  };
  for (const attack of attacks) await attack.prepare(setup);
  await application.close();
}

async function repeatAttack({ name, attack }: Attack) {
  const statuses = new Map<string, number>();
  const faults = new Map<string, number>();
  const target = new Target(pool, token, ({ status, start }, retryAfter) => {
    const label = [status, outcomeOf(start)].join(' ').trim();
    statuses.set(label, (statuses.get(label) ?? 0) + 1);
    const isFault = status === 0 || (status >= 500 && !(status === 503 && retryAfter !== undefined));
    if (isFault) faults.set(`${status} ${start}`, (faults.get(`${status} ${start}`) ?? 0) + 1);
  });
  const endsAt = performance.now() + SECONDS * 1_000;
  let rounds = 0;
  for (; performance.now() < endsAt && !isOver; rounds += 1) {
    await attack(target);
    // A dead node is asked no more.
    if (livenessMs.at(-1) === -1) isOver = true;
  }
  return { name, rounds, statuses, faults };
}

/** The code and the reason of an envelope; nothing of a success. */
function outcomeOf(start: string): string {
  const code = /^\{"code":"([A-Z_]+)"/.exec(start)?.[1] ?? '';
  return `${code} ${/"reason":"([A-Z_]+)"/.exec(start)?.[1] ?? ''}`.trim();
}

async function watchMemory(): Promise<number> {
  let max = 0;
  while (!isOver) {
    try {
      max = Math.max(max, residentMiB(pid) || 0);
    } catch {
      isOver = true;
    }
    await sleep(LOOK_AT_MEMORY_EVERY_MS);
  }
  return max;
}
