import { deepStrictEqual } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOGIN } from './bench-data.ts';
import { load, type Requests, type Speed } from './http-load.ts';
import { describeMachine } from './machine.ts';
import { busyShare } from './quiet.ts';
import { printTable, summarise, writeDocument, type Measured } from './report.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import { readSettings } from './settings.ts';

/** The first round finds cold code and cold caches. */
const WARM_UP_SECONDS = { first: 2, later: 1 } as const;
/** What is under way when a measurement ends must not run into the next one. */
const PAUSE_MS = 300;
/** The idle stack takes a few hundredths of the cores; from here on something else is at work. */
const BUSY = 0.1;

const url = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing: this is a part of npm run bench`);
  return value;
};
const servers = { api: url('BENCH_API_URL'), sql: url('BENCH_SQL_URL'), workflow: url('BENCH_WORKFLOW_URL') };
const all = scenarios(servers, await logIn());
const settings = readSettings(process.env, all);
const chosen = all.filter(({ name }) => settings.only?.includes(name) ?? true);
const minutes = (chosen.length * settings.rounds * 2 * (settings.seconds + 2)) / 60;
console.log(`  Measuring for about ${Math.ceil(minutes)} minutes ...`);

const measured: Measured[] = [];
const busy: number[] = [];
for (const scenario of chosen) {
  await check(scenario);
  busy.push(await busyShare());
  measured.push(await measure(scenario));
}
const results = measured.map(summarise);
printTable(results);
const busyBeside = busy.reduce((sum, share) => sum + share, 0) / busy.length;
if (busyBeside > BUSY) {
  console.log(
    `\n  The machine was ${Math.round(busyBeside * 100)} % busy with other things: repeat this on a quiet one.`,
  );
}
if (settings.complete) await writeDocument(results, settings, await describeMachine(), busyBeside);
else console.log('\n  A shortened run: docs/benchmarks.md stays as it is.');

async function logIn(): Promise<string> {
  const answer = await fetch(`${servers.api}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(LOGIN),
  });
  const { code, data } = (await answer.json()) as { code: string; data: { jwt: string } };
  if (code !== '0') throw new Error(`the log-in answered ${code}`);
  return data.jwt;
}

/** One request to either side: both must succeed, and reads must give the same. */
async function check({ title, ours, baseline, sameData }: Scenario): Promise<void> {
  const data = await Promise.all([dataOf(ours), dataOf(baseline)]);
  if (sameData) deepStrictEqual(data[0], data[1], `${title}: the two sides answer differently`);
}

async function dataOf({ url, paths, method = 'GET', headers = {}, body }: Requests): Promise<unknown> {
  const path = typeof paths === 'function' ? paths() : paths[0];
  const answer = await fetch(`${url}${path}`, { method, headers, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  return text === '' ? null : (JSON.parse(text) as { data: unknown }).data;
}

/** Both sides in turn, the first one changing from round to round, so that what disturbs the machine disturbs both. */
async function measure(scenario: Scenario): Promise<Measured> {
  const rounds: { ours: Speed; baseline: Speed }[] = [];
  for (let round = 0; round < settings.rounds; round += 1) {
    const one = (side: 'ours' | 'baseline') => measureSide(scenario[side], scenario.connections, round === 0);
    if (round % 2 === 0) rounds.push({ ours: await one('ours'), baseline: await one('baseline') });
    else {
      const baseline = await one('baseline');
      rounds.push({ ours: await one('ours'), baseline });
    }
  }
  return { scenario, rounds };
}

async function measureSide(requests: Requests, connections: number, first: boolean): Promise<Speed> {
  await load(requests, connections, first ? WARM_UP_SECONDS.first : WARM_UP_SECONDS.later);
  await sleep(PAUSE_MS);
  const speed = await load(requests, connections, settings.seconds);
  await sleep(PAUSE_MS);
  return speed;
}
