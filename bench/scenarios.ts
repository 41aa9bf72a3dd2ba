import { FIRST_CREATED_AT, INLINE_COMMAND, leadPid, TENANTS, WORKFLOW_COMMAND } from './bench-data.ts';
import type { Requests } from './http-load.ts';

/** One row of the result: the same work by the service and by the baseline. */
export interface Scenario {
  /** For BENCH_ONLY. */
  readonly name: string;
  readonly title: string;
  /** Required ratio of requests per second, ours to the baseline's; null: none. */
  readonly target: number | null;
  readonly connections: number;
  readonly ours: Requests;
  readonly baseline: Requests;
  /** Whether both sides must return the same data. */
  readonly sameData: boolean;
}

export interface Servers {
  readonly api: string;
  readonly sql: string;
  readonly workflow: string;
}

const CONNECTIONS = 16;
const [TENANT] = TENANTS;

/** Leads spread over the table. */
const PIDS = Array.from({ length: 500 }, (_, index) => leadPid(TENANT, index * 199));

/** @param token of a user who may read leads and create them */
export function scenarios(servers: Servers, token: string): Scenario[] {
  const headers = { Authorization: `Bearer ${token}` };
  const isNew = { fieldName: 'status', operator: 'eq', value: 'new' };
  const list = (rest: string, ...filters: object[]): string =>
    `/api/dynamic/leads/list?pageSize=10&filters=${encodeURIComponent(JSON.stringify([isNew, ...filters]))}${rest}`;
  const api = (paths: Requests['paths']): Requests => ({ url: servers.api, headers, paths });
  const sql = (paths: Requests['paths']): Requests => ({ url: servers.sql, paths });
  const read = { connections: CONNECTIONS, sameData: true };
  return [
    {
      name: 'list-total',
      title: 'List with filter and exact total',
      target: 1,
      ours: api([list('')]),
      baseline: sql(['/list-total']),
      ...read,
    },
    {
      name: 'list-first-total',
      title: 'The same, asked for the first time',
      target: null,
      ours: api(distinct((value) => list('', { fieldName: 'created_at', operator: 'gte', value }))),
      baseline: sql(distinct((since) => `/list-first-total/${since}`)),
      ...read,
    },
    {
      name: 'list',
      title: 'List with filter, without total',
      target: 0.25,
      ours: api([list('&count=none')]),
      baseline: sql(['/list']),
      ...read,
    },
    {
      name: 'detail',
      title: 'Detail',
      target: 0.25,
      ours: api(PIDS.map((pid) => `/api/dynamic/leads/${pid}`)),
      baseline: sql(PIDS.map((pid) => `/detail/${pid}`)),
      ...read,
    },
    ...commands(servers, headers),
  ];
}

function commands(servers: Servers, headers: Record<string, string>): Scenario[] {
  const command = { sameData: false, ...commandPair(servers, headers) };
  return [
    { name: 'command', title: 'Command (grouped)', target: 3.5, connections: CONNECTIONS, ...command },
    ...[1, 16, 64, 256].map((connections) => ({
      name: `command-${connections}`,
      title: 'Command (grouped), beside the same command inline',
      target: connections === 1 ? 0.77 : 0.85,
      connections,
      ...command,
      baseline: { ...command.ours, paths: [`/api/meta/commands/execute/${INLINE_COMMAND}`] },
    })),
    {
      name: 'command-workflow',
      title: 'Command (workflow)',
      target: null,
      connections: CONNECTIONS,
      ...command,
      ours: { ...command.ours, paths: [`/api/meta/commands/execute/${WORKFLOW_COMMAND}`] },
    },
  ];
}

function commandPair(servers: Servers, headers: Record<string, string>): { ours: Requests; baseline: Requests } {
  const payload = { name: 'Bench Lead', status: 'new', email: 'bench.lead@customer.example', amount: '1250.50' };
  return {
    ours: {
      url: servers.api,
      method: 'POST',
      paths: ['/api/meta/commands/execute/crm:create_lead'],
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ payload }),
    },
    baseline: { url: servers.workflow, method: 'POST', paths: ['/'] },
  };
}

/** Makes a new path with each call, from another millisecond of the first 15 minutes on. */
function distinct(pathFor: (since: string) => string): () => string {
  let number = 0;
  return () => pathFor(new Date(FIRST_CREATED_AT + (number++ % 900_000)).toISOString());
}
