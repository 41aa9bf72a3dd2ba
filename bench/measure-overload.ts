import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { createApplication } from '../src/application.ts';
import { readConfig } from '../src/foundation/config/config.ts';
import { MembershipEntity } from '../src/platform/auth/accounts/membership.entity.ts';
import { logIn } from './api-session.ts';
import { LOGIN } from './bench-data.ts';
import { busyShare } from './quiet.ts';
import { requiredUrl } from './settings.ts';
import { percentile } from './statistics.ts';

/**
 * Measures what others notice of hostile work: the time of log-ins, and the longest silence of the node,
 * beside requests without a known caller and beside commands whose rules would never end.
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const REQUESTS_PER_SECOND = 1_500;
const COMMANDS_AT_ONCE = 10;
/** Of which the many requests come; all are loopback. Log-ins come from an address of their own. */
const ADDRESSES = Array.from({ length: 50 }, (_, index) => `127.0.1.${index + 1}`);
const LOG_IN_ADDRESS = '127.0.0.1';
const LOG_IN_EVERY_MS = 100;
const LISTEN_EVERY_MS = 10;

const ENDLESS = 'payload.j.all(x, payload.j.exists_one(y, y == x))';
const ENDLESS_IN_VAIN = 'payload.j.all(x, payload.j.exists(y, y.nothing == x) || x == x)';

interface Answer {
  readonly status: number;
  readonly tookMs: number;
}

const url = requiredUrl('BENCH_API_URL');
const quiet = new Pool(url, { localAddress: LOG_IN_ADDRESS, connections: 32 });
const hostile = ADDRESSES.map((localAddress) => new Pool(url, { localAddress, connections: 8 }));

const application = await createApplication(readConfig());
await application.store.connect();
const model = {
  resourceType: 'MODEL',
  code: 'bench_list',
  content: { name: 'List', fields: [{ code: 'j', name: 'J', type: 'json' }] },
};
const rule = (code: string, assert: string) => ({
  resourceType: 'COMMAND',
  code,
  content: { name: code, modelCode: model.code, operations: ['CREATE'], rules: [{ assert, message: 'No' }] },
});
await application.resources.save(
  'dev',
  [model, rule('bench:endless', ENDLESS), rule('bench:endless_in_vain', ENDLESS_IN_VAIN)],
  null,
);
const em = application.orm.em.fork();
for (const membership of await em.findAll(MembershipEntity)) membership.roles = ['ADMIN'];
await em.flush();
await application.close();

const token = await logIn(url);
const busy = await busyShare();
const payload = { j: Array.from({ length: 10_000 }, (_, index) => index) };
const unknownKey = () => `Bearer kls_1x${randomBytes(6).toString('hex')}_${randomBytes(32).toString('hex')}`;
const refresh = () => JSON.stringify({ refreshToken: randomBytes(32).toString('hex') });
let sent = 0;
const nextPool = (from: readonly Pool[]): Pool => from[sent++ % from.length] as Pool;

const kinds: Readonly<Record<string, () => Promise<Answer[]>>> = {
  'nothing else': () => sleep(SECONDS * 1_000, []),
  'unknown API keys, one address': () =>
    paced(() => ask(hostile[0] as Pool, 'GET', '/api/auth/me', { authorization: unknownKey() })),
  'unknown API keys, 50 addresses': () =>
    paced(() => ask(nextPool(hostile), 'GET', '/api/auth/me', { authorization: unknownKey() })),
  'wrong refresh tokens, 50 addresses': () =>
    paced(() => ask(nextPool(hostile), 'POST', '/api/auth/refresh', {}, refresh())),
  'endless rules, 10 at once': () => atOnce('bench:endless'),
  'endless rules with errors, 10 at once': () => atOnce('bench:endless_in_vain'),
};

console.log(
  `\n  Beside each, for ${SECONDS} s: a log-in every ${LOG_IN_EVERY_MS} ms, a look at liveness every ${LISTEN_EVERY_MS} ms.\n`,
);
for (const [kind, work] of Object.entries(kinds)) {
  const startedAt = performance.now();
  let isOver = false;
  const [answers, logIns, looks] = await Promise.all([
    work().finally(() => (isOver = true)),
    repeated(
      LOG_IN_EVERY_MS,
      () => ask(quiet, 'POST', '/api/auth/login', {}, JSON.stringify(LOGIN)),
      () => isOver,
    ),
    repeated(
      LISTEN_EVERY_MS,
      () => ask(quiet, 'GET', '/actuator/health/liveness'),
      () => isOver,
    ),
  ]);
  const perSecond = (answers.length / (performance.now() - startedAt)) * 1_000;
  const failed = logIns.filter(({ status }) => status !== 200).length;
  console.log(
    [
      `  ${kind.padEnd(38)} ${perSecond.toFixed(0).padStart(5)}/s ${statusesOf(answers).padEnd(20)}`,
      `log-in p50 ${at(logIns, 0.5)} p99 ${at(logIns, 0.99)} ms${failed > 0 ? ` (${failed} of ${logIns.length} failed)` : ''}`,
      `liveness p50 ${at(looks, 0.5)} at most ${at(looks, 1)} ms`,
    ].join('   '),
  );
}
console.log(`  The machine was ${Math.round(busy * 100)} % busy with other things.`);
await Promise.all([quiet, ...hostile].map((pool) => pool.close()));

async function ask(
  pool: Pool,
  method: 'GET' | 'POST',
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<Answer> {
  const startedAt = performance.now();
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await pool.request({ method, path, headers: { ...json, ...headers }, body: body ?? null });
  await answer.body.dump();
  return { status: answer.statusCode, tookMs: performance.now() - startedAt };
}

/** Sends REQUESTS_PER_SECOND, however slowly they are answered. */
async function paced(send: () => Promise<Answer>): Promise<Answer[]> {
  const startedAt = performance.now();
  const open: Promise<Answer>[] = [];
  while (performance.now() - startedAt < SECONDS * 1_000) {
    const due = ((performance.now() - startedAt) / 1_000) * REQUESTS_PER_SECOND;
    while (open.length < due) open.push(send());
    await sleep(5);
  }
  return Promise.all(open);
}

/** Keeps COMMANDS_AT_ONCE of a command going. */
async function atOnce(code: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  const endsAt = performance.now() + SECONDS * 1_000;
  const headers = { authorization: `Bearer ${token}` };
  const body = JSON.stringify({ payload, operationType: 'CREATE' });
  const one = async () => {
    while (performance.now() < endsAt) {
      answers.push(await ask(quiet, 'POST', `/api/meta/commands/execute/${code}`, headers, body));
    }
  };
  await Promise.all(Array.from({ length: COMMANDS_AT_ONCE }, one));
  return answers;
}

async function repeated(everyMs: number, once: () => Promise<Answer>, isOver: () => boolean): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (!isOver()) {
    answers.push(await once());
    await sleep(everyMs);
  }
  return answers;
}

function at(answers: readonly Answer[], share: number): string {
  return percentile(
    answers.map(({ tookMs }) => tookMs),
    share,
  ).toFixed(1);
}

function statusesOf(answers: readonly Answer[]): string {
  const counts = Map.groupBy(answers, ({ status }) => status);
  return [...counts].map(([status, those]) => `${status}: ${those.length}`).join(', ');
}
