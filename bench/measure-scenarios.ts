import { deepStrictEqual } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { load, type Requests, type Speed } from './http-load.ts';
import { busyShare } from './quiet.ts';
import { printTable, summarise, type Measured, type Result } from './report.ts';
import type { Scenario } from './scenarios.ts';
import type { Settings } from './settings.ts';

/** Longer in the first round, with cold code and caches. */
const WARM_UP_SECONDS = { first: 2, later: 1 } as const;
/** Pause for the requests that are in progress when a measurement ends. */
const PAUSE_MS = 300;
/** Share of the cores that shows other work: the idle stack takes a few hundredths. */
const BUSY = 0.1;

/**
 * Measures the scenarios of the settings, and prints their table.
 * @returns the results, and the share of the cores that other work took meanwhile
 */
export async function measureScenarios(
  all: readonly Scenario[],
  settings: Settings,
): Promise<{ results: Result[]; busyBeside: number }> {
  const chosen = all.filter(({ name }) => settings.only?.includes(name) ?? true);
  const minutes = (chosen.length * settings.rounds * 2 * (settings.seconds + 2)) / 60;
  console.log(`  Measuring for about ${Math.ceil(minutes)} minutes ...`);
  const measured: Measured[] = [];
  const busy: number[] = [];
  for (const scenario of chosen) {
    await check(scenario);
    busy.push(await busyShare());
    measured.push(await measure(scenario, settings));
  }
  const results = measured.map(summarise);
  printTable(results);
  const busyBeside = busy.reduce((sum, share) => sum + share, 0) / busy.length;
  if (busyBeside > BUSY) {
    console.log(
      `\n  The machine was ${Math.round(busyBeside * 100)} % busy with other things: repeat this on a quiet one.`,
    );
  }
  return { results, busyBeside };
}

/** Sends one request to each side: both must succeed, and reads must return the same data. */
async function check({ title, ours, baseline, sameData }: Scenario): Promise<void> {
  const data = await Promise.all([dataOf(ours), dataOf(baseline)]);
  if (sameData) deepStrictEqual(data[0], data[1], `${title}: the two sides return different data`);
}

async function dataOf({ url, paths, method = 'GET', headers = {}, body }: Requests): Promise<unknown> {
  const path = typeof paths === 'function' ? paths() : paths[0];
  const answer = await fetch(`${url}${path}`, { method, headers, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  if (text === '') return null;
  const { data } = JSON.parse(text) as { data: object };
  // The cursor of the next page is sealed anew each time.
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'nextCursor'));
}

/** Measures both sides in turn and in changing order, so that disturbances affect both. */
async function measure(scenario: Scenario, { rounds: count, seconds }: Settings): Promise<Measured> {
  const rounds: { ours: Speed; baseline: Speed }[] = [];
  for (let round = 0; round < count; round += 1) {
    const one = (side: 'ours' | 'baseline') => measureSide(scenario[side], scenario.connections, seconds, round === 0);
    if (round % 2 === 0) rounds.push({ ours: await one('ours'), baseline: await one('baseline') });
    else {
      const baseline = await one('baseline');
      rounds.push({ ours: await one('ours'), baseline });
    }
  }
  return { scenario, rounds };
}

async function measureSide(requests: Requests, connections: number, seconds: number, first: boolean): Promise<Speed> {
  await load(requests, connections, first ? WARM_UP_SECONDS.first : WARM_UP_SECONDS.later);
  await sleep(PAUSE_MS);
  const speed = await load(requests, connections, seconds);
  await sleep(PAUSE_MS);
  return speed;
}
