import { setTimeout as sleep } from 'node:timers/promises';
import { readDrafts } from '../scripts/database/load-application.ts';
import { createApplication } from '../src/application.ts';
import { readConfig } from '../src/foundation/config/config.ts';
import { logIn } from './api-session.ts';
import { load } from './http-load.ts';
import { processAt, residentMiB } from './process-memory.ts';
import { requiredUrl } from './settings.ts';

/** Measures what a node needs for many models in each of the three environments. */
const MODELS = Number(process.env.BENCH_MODELS ?? 1_000);
const FIELDS = 15;
const SAVED_AT_ONCE = 50;
const ENVIRONMENTS = ['dev', 'staging', 'prod'] as const;
const CONNECTIONS = 16;
const SECONDS = 4;
const SETTLE_MS = 3_000;

const api = requiredUrl('BENCH_API_URL');
const application = await createApplication(readConfig());
await application.store.connect();

/** A model as applications have them, with its page and its command. */
function resourcesOf(index: number) {
  const code = `bench_${index}`;
  const fields = Array.from({ length: FIELDS }, (_, n) => ({
    code: `field_${n}`,
    name: `Field ${n} of model ${index}`,
    ...(n % 3 === 0 ? { type: 'string', maxLength: 200 } : n % 3 === 1 ? { type: 'decimal' } : { type: 'date' }),
    ...(n === 0 && { required: true, indexed: true }),
  }));
  return [
    { resourceType: 'MODEL', code, content: { name: `Model ${index}`, fields } },
    pageOf(index),
    {
      resourceType: 'COMMAND',
      code: `bench:create_${index}`,
      content: { name: `Create in ${index}`, modelCode: code, operations: ['CREATE'] },
    },
  ];
}

function pageOf(index: number) {
  const columns = ['field_0', 'field_1', 'field_2'];
  const content = { name: `Records of ${index}`, modelCode: `bench_${index}`, columns };
  return { resourceType: 'PAGE_SCHEMA', code: `bench_${index}s`, content };
}

const memory = processAt(api);
const show = (when: string): void => console.log(`  Resident ${when}: ${residentMiB(memory).toFixed(0)} MiB`);
show('before');
const startedAt = performance.now();
for (const environment of ENVIRONMENTS) {
  if (environment !== 'dev') await application.resources.save(environment, await readDrafts(), null);
  for (let from = 0; from < MODELS; from += SAVED_AT_ONCE) {
    const size = Math.min(SAVED_AT_ONCE, MODELS - from);
    const drafts = Array.from({ length: size }, (_, n) => resourcesOf(from + n)).flat();
    await application.resources.save(environment, drafts, null);
  }
  console.log(`  ${environment}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s since the beginning`);
}

const token = await logIn(api);
const headersIn = (environment: string) => ({ Authorization: `Bearer ${token}`, 'X-Environment': environment });
for (const environment of ENVIRONMENTS) {
  const began = performance.now();
  const response = await fetch(`${api}/api/dynamic/leads/list`, { headers: headersIn(environment) });
  await response.text();
  const tookMs = performance.now() - began;
  console.log(`  First list in ${environment}: ${response.status}, ${tookMs.toFixed(0)} ms`);
}
await sleep(SETTLE_MS);
show(`with ${MODELS} models in each of ${ENVIRONMENTS.length} environments`);
await application.resources.save('dev', [{ ...pageOf(0), content: { ...pageOf(0).content, name: 'Renamed' } }], null);
const began = performance.now();
await (await fetch(`${api}/api/dynamic/leads/list`, { headers: headersIn('dev') })).text();
console.log(`  First list after a page was saved: ${(performance.now() - began).toFixed(0)} ms`);
const lists = { url: api, paths: ['/api/dynamic/leads/list'], headers: headersIn('dev') };
const { requestsPerSecond, p50Ms, p99Ms } = await load(lists, CONNECTIONS, SECONDS);
console.log(`  Lists: ${requestsPerSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`);
show('after a load of lists');
await application.close();
