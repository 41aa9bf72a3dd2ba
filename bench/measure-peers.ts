import { logIn } from './api-session.ts';
import { measureScenarios } from './measure-scenarios.ts';
import { DIRECTUS_TOKEN } from './peers/peers.mjs';
import type { Requests } from './http-load.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import { readSettings, requiredUrl } from './settings.ts';

/** Our scenarios, beside the same work by other products. The two sides have like data, not the same. */
const api = requiredUrl('BENCH_API_URL');
const urls = { directus: requiredUrl('BENCH_DIRECTUS_URL'), dbos: requiredUrl('BENCH_DBOS_URL') };
const ours = scenarios({ api, sql: api, workflow: api }, await logIn(api));

const LEAD = { name: 'Bench Lead', status: 'new', email: 'bench.lead@customer.example', amount: '1250.50' };
const JSON_BODY = { 'Content-Type': 'application/json' };

const directus = (paths: readonly string[], rest: Partial<Requests> = {}): Requests => ({
  url: urls.directus,
  paths,
  ...rest,
  headers: { Authorization: `Bearer ${DIRECTUS_TOKEN}`, ...rest.headers },
});
const NEWEST_NEW = '/items/lead?limit=10&sort=-created_at&filter%5Bstatus%5D%5B_eq%5D=new';
const toDirectus = directus(['/items/lead'], { method: 'POST', headers: JSON_BODY, body: JSON.stringify(LEAD) });
const toDbos: Requests = {
  url: urls.dbos,
  paths: ['/'],
  method: 'POST',
  headers: JSON_BODY,
  body: JSON.stringify({ payload: LEAD }),
};

/** The scenario of ours with that name, with the peer as its baseline. */
function beside(peer: string, name: string, baseline: Requests, target: number | null): Scenario {
  const own = ours.find((scenario) => scenario.name === name);
  if (!own) throw new Error(`there is no scenario ${name}`);
  return {
    ...own,
    name: `${name}-${peer}`,
    title: `${own.title.split(',')[0]}, beside ${peer}`,
    baseline,
    target,
    sameData: false,
  };
}

const all = [
  beside('directus', 'list-total', directus([`${NEWEST_NEW}&meta=filter_count`]), null),
  beside('directus', 'list', directus([NEWEST_NEW]), null),
  beside('directus', 'detail', directus(Array.from({ length: 500 }, (_, n) => `/items/lead/${1 + n * 199}`)), null),
  ...['command-1', 'command-16', 'command-64'].flatMap((name) => [
    beside('directus', name, toDirectus, name === 'command-1' ? 1.5 : null),
    beside('dbos', name, toDbos, name === 'command-1' ? 1.5 : null),
  ]),
];
await measureScenarios(all, readSettings(process.env, all));
