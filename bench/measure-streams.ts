import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ulid } from 'ulid';
import { readConfig } from '../src/foundation/config/config.ts';
import { createApplication } from '../src/application.ts';
import { PromotionEntity } from '../src/features/promotions/promotion/promotion.entity.ts';
import { streamKey } from '../src/platform/streams/stream-entry.ts';
import { logIn } from './api-session.ts';
import { processAt, residentMiB } from './process-memory.ts';
import { requiredUrl } from './settings.ts';
import { percentile } from './statistics.ts';

/**
 * Measures open streams on one node: the time from write to client, beside the baseline, and the node's
 * memory.
 */
const STREAMS = 200;
/** Per stream, one event per write. */
const EVENTS_PER_SECOND = 5;
const WARM_UP_SECONDS = 3;
const TARGET_P95_MS = 100;

const apiUrl = requiredUrl('BENCH_API_URL');
const baselineUrl = requiredUrl('BENCH_STREAM_URL');
const seconds = Number(process.env.BENCH_SECONDS || 10);

const application = await createApplication(readConfig());
const { orm, store, streamWriter } = application;
await store.connect();
const token = await logIn(apiUrl);
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
    await store.pipeline([['publish', pids[index] ?? '', JSON.stringify({ n, at: now() })]]);
  },
);
print('ours', ours);
print('baseline', baseline);
const verdict = ours.p95Ms < TARGET_P95_MS ? 'met' : 'MISSED';
console.log(
  `\n  p95 is ${(ours.p95Ms / baseline.p95Ms).toFixed(1)} times the baseline's; target ${TARGET_P95_MS} ms ${verdict}`,
);
await application.close();

interface Result {
  readonly events: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** Resident memory of the node in MiB, after the warm-up and at most since. */
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
  const receive = (url: string, { n, at }: { n: number; at: number }): void => {
    const before = seen.get(url) ?? -1;
    if (n !== before + 1) throw new Error(`${url}: event ${n} came after ${before}`);
    seen.set(url, n);
    if (isMeasuring) latencies.push(now() - at);
  };
  const closers = await Promise.all(urls.map((url) => open(url, (tick) => receive(url, tick))));
  const total = (WARM_UP_SECONDS + seconds) * EVENTS_PER_SECOND;
  let memory = { warm: 0, most: 0 };
  for (let n = 0; n < total; n += 1) {
    if (n === WARM_UP_SECONDS * EVENTS_PER_SECOND) {
      isMeasuring = true;
      memory = { warm: residentMiB(pid), most: 0 };
    }
    memory = { ...memory, most: Math.max(memory.most, residentMiB(pid)) };
    // Spread over the interval, like independent producers.
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
  for (const close of closers) close();
  const at = (share: number): number => percentile(latencies, share);
  return { events: latencies.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), memory };
}

/** Opens a stream. @returns a function that closes it */
function open(url: string, receive: (tick: { n: number; at: number }) => void): Promise<() => void> {
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
          if (data) receive(JSON.parse(data));
        }
      });
      response.on('error', () => undefined);
    });
    request.on('error', reject);
  });
}

function print(side: string, { events, p50Ms, p95Ms, p99Ms, memory }: Result): void {
  const ms = [p50Ms, p95Ms, p99Ms].map((value) => value.toFixed(1)).join(' / ');
  const mib = `${memory.warm.toFixed(0)} MiB, at most ${memory.most.toFixed(0)} MiB`;
  console.log(`  ${side.padEnd(9)} ${STREAMS} streams, ${events} events: p50 / p95 / p99 ${ms} ms; memory ${mib}`);
}
