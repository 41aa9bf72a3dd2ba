import pg from 'pg';
import { logIn } from './api-session.ts';
import { TENANTS } from './bench-data.ts';
import { load, type Requests } from './http-load.ts';
import { requiredUrl } from './settings.ts';
import { median, percentile } from './statistics.ts';

/**
 * Measures queries beside the same without what they add, one request at a time, in turn: the ratio of the
 * median times. BENCH_SECONDS=2 shortens it, BENCH_TENANTS=10 loads 1,000,000 leads.
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ROUNDS = 3;
const DEEP = 50_000;
const STEP = 200;
const LIST = '/api/dynamic/leads/list?pageSize=10&count=none';
const AGGREGATE = { groupBy: [{ fieldName: 'status' }], measures: [{ fn: 'count', as: 'n' }] };
const [tenant] = TENANTS;

const api = requiredUrl('BENCH_API_URL');
const headers = { Authorization: `Bearer ${await logIn(api)}`, 'Content-Type': 'application/json' };
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
const get = (paths: Requests['paths']) => () => timeOf({ url: api, headers, paths });

await compare('The page after 50,000 leads by cursor', get([`${LIST}&cursor=${await cursorAfter(DEEP)}`]), {
  what: 'the first page',
  atMost: 1.5,
  measure: get([LIST]),
});
await compare('expand=account', get([`${LIST}&expand=account`]), {
  what: 'the plain list',
  atMost: 1.6,
  measure: get([LIST]),
});
await compare('Aggregate by status', () => timeOf(aggregate()), {
  what: 'the same SQL by hand',
  atMost: 1 / 0.8,
  measure: sqlByHand,
});
let searches = 0;
const keyword = (one: () => string) => get(() => `${LIST}&keyword=${encodeURIComponent(one())}`);
const selective = keyword(() => `abel.${((searches++ * 7_919) % tenant.leads).toString()}`);
await show('Keyword search for few leads', selective);
await show(
  'Keyword search for a common name',
  keyword(() => ['ada', 'bruno', 'grün', 'dilara'][searches++ % 4] ?? ''),
);
await pool.end();

/** @returns the median milliseconds of a request, sent one at a time */
async function timeOf(requests: Requests): Promise<number> {
  return (await load(requests, 1, SECONDS)).p50Ms;
}

function aggregate(): Requests {
  const path = '/api/dynamic/leads/aggregate';
  return { url: api, headers, method: 'POST', paths: [path], body: JSON.stringify(AGGREGATE) };
}

async function sqlByHand(): Promise<number> {
  const times: number[] = [];
  const text = `select status, count(*)::int as n from dev.mt_lead
    where tenant_id = $1 and deleted_at is null group by status order by status`;
  for (const endsAt = performance.now() + SECONDS * 1_000; performance.now() < endsAt;) {
    const startedAt = performance.now();
    await pool.query({ name: 'by-hand', text, values: [tenant.id] });
    times.push(performance.now() - startedAt);
  }
  return percentile(times, 0.5);
}

interface Beside {
  readonly what: string;
  readonly atMost: number;
  readonly measure: () => Promise<number>;
}

async function compare(title: string, measure: () => Promise<number>, beside: Beside): Promise<void> {
  await measure();
  const rounds: { readonly ours: number; readonly other: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ ours: await measure(), other: await beside.measure() });
  }
  const times = (name: 'ours' | 'other') => median(rounds.map((round) => round[name])).toFixed(2);
  const ratio = median(rounds.map(({ ours, other }) => ours / other)).toFixed(2);
  console.log(
    `  ${title}: ${times('ours')} ms, ${beside.what} ${times('other')} ms: ${ratio} (at most ${beside.atMost})`,
  );
}

async function show(title: string, measure: () => Promise<number>): Promise<void> {
  await measure();
  console.log(`  ${title}: ${(await measure()).toFixed(2)} ms (p50; at most 20)`);
}

/** Walks so many leads from the newest on. @returns the cursor of the page after them */
async function cursorAfter(leads: number): Promise<string> {
  let cursor = '';
  for (let walked = 0; walked < leads; walked += STEP) {
    const path = `/api/dynamic/leads/list?pageSize=${STEP}&count=none&fields=name${cursor && `&cursor=${cursor}`}`;
    const { data } = (await (await fetch(`${api}${path}`, { headers })).json()) as { data: { nextCursor: string } };
    cursor = encodeURIComponent(data.nextCursor);
  }
  return cursor;
}
