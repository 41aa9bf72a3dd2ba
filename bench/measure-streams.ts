import { readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ulid } from 'ulid';
import { readConfig } from '../src/config/config.ts';
import { createContainer } from '../src/container.ts';
import { PromotionEntity } from '../src/promotions/promotion.entity.ts';
import { streamKey } from '../src/streams/stream-key.ts';
import { LOGIN } from './bench-data.ts';

/**
 * Open streams on one node while events flow to all of them: from write to client, beside the bare tools doing the
 * same, and what it costs the node in memory.
 */
const STREAMS = 200;
/** Of each stream; one write of one event each time. */
const EVENTS_PER_SECOND = 5;
const WARM_UP_SECONDS = 3;
const TARGET_P95_MS = 100;

const need = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing: this is a part of npm run bench`);
  return value;
};
const apiUrl = need('BENCH_API_URL');
const baselineUrl = need('BENCH_STREAM_URL');
const seconds = Number(process.env.BENCH_SECONDS || 10);

const container = await createContainer(readConfig());
const { orm, store, streamWriter } = container;
await store.connect();
const token = await logIn();
const pids = Array.from({ length: STREAMS }, () => ulid());
await orm.em.fork().transactional(async (em) => {
  for (const pid of pids) {
    const ends = { sourceEnvId: 1, targetEnvId: 2, units: '*' as const, status: 'DRAFT' as const };
    em.create(PromotionEntity, {
      ...ends,
      pid,
      resolutions: [],
      conflicts: [],
      createdBy: 'bench',
      createdByName: 'Bench',
    });
  }
});

const now = (): number => performance.timeOrigin + performance.now();
const ours = await measure(
  processAt(apiUrl),
  pids.map((pid) => `${apiUrl}/api/admin/promotions/${pid}/stream`),
  async (index, n) => {
    await streamWriter.append(streamKey('promotion', pids[index] ?? ''), { event: 'tick', data: { n, at: now() } });
  },
);
const baseline = await measure(
  processAt(baselineUrl),
  pids.map((pid) => `${baselineUrl}/${pid}`),
  async (index, n) => {
    await store.together([['publish', pids[index] ?? '', JSON.stringify({ n, at: now() })]]);
  },
);
print('ours', ours);
print('baseline', baseline);
const verdict = ours.p95Ms < TARGET_P95_MS ? 'met' : 'MISSED';
console.log(
  `\n  p95 is ${(ours.p95Ms / baseline.p95Ms).toFixed(1)} times the baseline's; target ${TARGET_P95_MS} ms ${verdict}`,
);
await container.close();

interface Result {
  readonly events: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** Resident memory of the node: when all streams were open and warm, the most since, in MiB. */
  readonly memory: { readonly warm: number; readonly most: number };
}

async function measure(
  pid: number,
  urls: readonly string[],
  write: (index: number, n: number) => Promise<void>,
): Promise<Result> {
  const latencies: number[] = [];
  const seen = new Map<string, number>();
  let isMeasuring = false;
  const take = (url: string, { n, at }: { n: number; at: number }): void => {
    const before = seen.get(url) ?? -1;
    if (n !== before + 1) throw new Error(`${url}: event ${n} came after ${before}`);
    seen.set(url, n);
    if (isMeasuring) latencies.push(now() - at);
  };
  const leave = await Promise.all(urls.map((url) => open(url, (tick) => take(url, tick))));
  const total = (WARM_UP_SECONDS + seconds) * EVENTS_PER_SECOND;
  let memory = { warm: 0, most: 0 };
  for (let n = 0; n < total; n += 1) {
    if (n === WARM_UP_SECONDS * EVENTS_PER_SECOND) {
      isMeasuring = true;
      memory = { warm: residentMiB(pid), most: 0 };
    }
    memory = { ...memory, most: Math.max(memory.most, residentMiB(pid)) };
    // Spread over the time: producers know nothing of each other.
    const writing = urls.map(async (_, index) => {
      await sleep((index / urls.length) * (1000 / EVENTS_PER_SECOND));
      await write(index, n);
    });
    await Promise.all([...writing, sleep(1000 / EVENTS_PER_SECOND)]);
  }
  for (let waited = 0; [...seen.values()].some((n) => n < total - 1); waited += 1) {
    if (waited > 100) throw new Error('events are missing');
    await sleep(50);
  }
  for (const close of leave) close();
  latencies.sort((a, b) => a - b);
  const of = (share: number): number => latencies[Math.floor(share * (latencies.length - 1))] ?? Number.NaN;
  return { events: latencies.length, p50Ms: of(0.5), p95Ms: of(0.95), p99Ms: of(0.99), memory };
}

/** Resolves when the stream is there. */
function open(url: string, take: (tick: { n: number; at: number }) => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}` };
    const request = get(url, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${url} answered ${response.statusCode}`));
      let rest = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        resolve(() => request.destroy());
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const data = /^event: tick\ndata: (.*)$/m.exec(block)?.[1];
          if (data) take(JSON.parse(data));
        }
      });
      response.on('error', () => undefined);
    });
    request.on('error', reject);
  });
}

/** The process that `run.mjs` has started for a URL: of those with its port, the largest (the others only guard it). */
function processAt(url: string): number {
  const port = `\0PORT=${new URL(url).port}\0`;
  const own = readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && `\0${readFileSync(`/proc/${name}/environ`, 'utf8')}`.includes(port);
    } catch {
      return false; // Somebody else's, or gone.
    }
  });
  return Math.max(
    0,
    ...own
      .map(Number)
      .sort((a, b) => residentMiB(b) - residentMiB(a))
      .slice(0, 1),
  );
}

function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

function print(side: string, { events, p50Ms, p95Ms, p99Ms, memory }: Result): void {
  const ms = [p50Ms, p95Ms, p99Ms].map((value) => value.toFixed(1)).join(' / ');
  const mib = `${memory.warm.toFixed(0)} MiB, at most ${memory.most.toFixed(0)} MiB`;
  console.log(`  ${side.padEnd(9)} ${STREAMS} streams, ${events} events: p50 / p95 / p99 ${ms} ms; memory ${mib}`);
}

async function logIn(): Promise<string> {
  const answer = await fetch(`${apiUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(LOGIN),
  });
  const { code, data } = (await answer.json()) as { code: string; data: { jwt: string } };
  if (code !== '0') throw new Error(`the log-in answered ${code}`);
  return data.jwt;
}
