import { readConfig } from '../src/foundation/config/config.ts';
import { sqlRunnerOf } from '../src/foundation/database/sql-runner.ts';
import { createApplication } from '../src/application.ts';
import { logIn } from './api-session.ts';
import { load, type Requests, type Speed } from './http-load.ts';
import { requiredUrl } from './settings.ts';

/** Measures what commands that hold their transaction for long do to the others: every hundredth sleeps. */
const CONNECTIONS = 64;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const EVERY = 100;
const SLEEP_SECONDS = 1.5;
const SLEEPER = 'Bench Sleeper';

const api = requiredUrl('BENCH_API_URL');
const application = await createApplication(readConfig());
const { orm } = application;
await sqlRunnerOf(orm.em.fork()).query(`create function dev.bench_sleep() returns trigger language plpgsql as $$
  begin
    perform pg_sleep(${SLEEP_SECONDS});
    return new;
  end $$`);
await sqlRunnerOf(orm.em.fork()).query(`create trigger bench_sleep before insert on dev.mt_lead for each row
  when (new.name = '${SLEEPER}') execute function dev.bench_sleep()`);

const headers = { Authorization: `Bearer ${await logIn(api)}`, 'Content-Type': 'application/json' };
const path = '/api/meta/commands/execute/crm:create_lead';
const bodyOf = (name: string): string => JSON.stringify({ payload: { name, status: 'new', amount: '1250.50' } });
const others: Requests = { url: api, method: 'POST', paths: [path], headers, body: bodyOf('Bench Lead') };

const sleepers: Promise<number>[] = [];
async function sleeper(): Promise<number> {
  const answer = await fetch(`${api}${path}`, { method: 'POST', headers, body: bodyOf(SLEEPER) });
  await answer.text();
  return answer.status;
}
let answered = 0;
const withSleepers = (): void => {
  answered += 1;
  if (answered % EVERY === 0) sleepers.push(sleeper());
};

const show = (what: string, { requestsPerSecond, p50Ms, p99Ms }: Speed): void =>
  console.log(`  ${what}: ${requestsPerSecond.toFixed(1)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`);
await load(others, CONNECTIONS, 2);
show(`${CONNECTIONS} at once`, await load(others, CONNECTIONS, SECONDS));
show(
  `the others, while 1 % sleep ${SLEEP_SECONDS} s (target p99 700 ms)`,
  await load(others, CONNECTIONS, SECONDS, withSleepers),
);
const statuses = Map.groupBy(await Promise.all(sleepers), (status) => status);
console.log(`  sleepers by status: ${[...statuses].map(([status, all]) => `${status}: ${all.length}`).join(', ')}`);
await application.close();
