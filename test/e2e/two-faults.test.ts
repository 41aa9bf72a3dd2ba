import { ulid } from 'ulid';
import type { Route } from '../../src/foundation/http/route.ts';
import { call, type Answered } from '../support/api.ts';
import { newChannel, post } from '../support/im.ts';
import { newCode, save } from '../support/models.ts';
import { fetchDocument, type Operation } from '../support/openapi.ts';
import { allRoutes, nameOf } from '../support/routes.ts';
import { createSubscription } from '../support/webhook-api.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';
import { objectOf, queryOf, wrongFor, WRONG_TEXTS, WRONG_VALUES } from '../support/wrong-values.ts';

/** A wrong value of one input; as `undefined`, an input that is missing. */
interface Fault {
  readonly in: 'query' | 'body' | 'header';
  readonly name: string;
  readonly value: unknown;
  /** Under which key it is told. */
  readonly told: string;
}

const UNKNOWN_FIELD = 'no_such_field';
/** What is wrong with a condition is told under its field. */
const FILTERED = 'no_such_filter_field';
const CONDITIONS = [{ fieldName: FILTERED, operator: 'eq', value: 1 }];
const SORT = [{ fieldName: UNKNOWN_FIELD }];
const TOLD_ELSEWHERE: Readonly<Record<string, string>> = {
  filters: FILTERED,
  conditions: FILTERED,
  having: UNKNOWN_FIELD,
  payload: UNKNOWN_FIELD,
};

const LISTED = { sortFields: JSON.stringify(SORT), filters: JSON.stringify(CONDITIONS), fields: UNKNOWN_FIELD };
const OF_VIEW = { viewId: 'no_such_view' };
const PAGED = { expand: UNKNOWN_FIELD, cursor: 'no_such_cursor' };
const POSITION = { 'Last-Event-ID': 'no-such-event' };
const KEY = { 'X-Idempotent-Key': 'k'.repeat(300) };

/** Values that keep their schemas and are wrong all the same, by operation and input. */
const WRONG_BY_RULE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'GET /api/dynamic/{pageKey}/list': { ...LISTED, ...OF_VIEW, ...PAGED },
  // A cursor belongs to the record, which is read later.
  'GET /api/dynamic/{pageKey}/{recordId}/relations/{name}': { ...LISTED, expand: UNKNOWN_FIELD },
  'GET /api/dynamic/{pageKey}/export': { ...LISTED, ...OF_VIEW },
  'GET /api/dynamic/{pageKey}/stats': { filters: LISTED.filters, fields: UNKNOWN_FIELD, ...OF_VIEW },
  'POST /api/dynamic/{pageKey}/query': {
    conditions: CONDITIONS,
    sortFields: SORT,
    fields: [UNKNOWN_FIELD],
    expand: [UNKNOWN_FIELD],
    viewId: 'no_such_view',
    cursor: 'no_such_cursor',
  },
  'POST /api/dynamic/{pageKey}/aggregate': {
    conditions: CONDITIONS,
    groupBy: [{ fieldName: UNKNOWN_FIELD }],
    measures: [{ fn: 'sum', fieldName: UNKNOWN_FIELD, as: 'total' }],
    sortFields: SORT,
    having: [{ fieldName: UNKNOWN_FIELD, operator: 'gt', value: 1 }],
  },
  'POST /api/dynamic/{pageKey}/imports': {
    filePid: 'no_such_file',
    commandCode: 'no:such_command',
    mapping: { A: UNKNOWN_FIELD },
  },
  'POST /api/views': { sortFields: SORT, columns: [UNKNOWN_FIELD] },
  'PATCH /api/views/{pid}': { sortFields: SORT, columns: [UNKNOWN_FIELD] },
  'POST /api/meta/commands/execute/{commandCode}': {
    payload: { [UNKNOWN_FIELD]: 1 },
    targetRecordId: 'not_for_a_create',
    ...KEY,
    'If-Match': 'no_etag',
  },
  'POST /api/meta/commands/execute/{commandCode}/batch': KEY,
  'POST /api/datasource/test': { content: { kind: 'model' } },
  'POST /api/admin/users': { memberships: [{ tenantId: '1', roles: ['NO_SUCH_ROLE'] }] },
  'PATCH /api/admin/users/{pid}': { memberships: [{ tenantId: '999999999999', roles: [] }] },
  'PUT /api/im/channels/{channel}': { roles: ['PLATFORM_ADMIN'], replyUrl: 'ftp://127.0.0.1/', secret: undefined },
  'POST /api/webhooks': { targetUrl: 'ftp://127.0.0.1/', modelCode: 'no_such_model', headers: { Host: 'elsewhere' } },
  'PATCH /api/webhooks/{pid}': { targetUrl: 'ftp://127.0.0.1/', headers: { Host: 'elsewhere' } },
  'POST /api/ai/{assistant}/chat/stream': POSITION,
  'GET /api/ai/{assistant}/chat/stream': POSITION,
  'GET /api/im/conversations/{id}/stream': POSITION,
  'POST /api/automations/{code}/runs': KEY,
  'POST /api/admin/promotions': { targetEnvId: 99 },
};

/** What is right about the requests beside their faults. */
const GIVEN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'POST /api/views': { pageKey: 'leads' },
  'POST /api/dynamic/{pageKey}/imports': { format: 'csv' },
  'POST /api/dynamic/{pageKey}/aggregate': { measures: [{ fn: 'count', as: 'count' }] },
};

/** Inputs of which the one says by what the other is judged. */
const DEPENDENT: readonly (readonly string[])[] = [
  ['units', 'app'],
  ['mode', 'commandCode', 'mapping'],
  ['operationType', 'payload', 'targetRecordId', 'expectedVersion'],
  ['pageKey', 'sortFields'],
  ['pageKey', 'columns'],
  // A cursor belongs to an order of records.
  ...['filters', 'conditions', 'keyword', 'sortField', 'sortOrder', 'sortFields', 'viewId', 'extraParams'].map(
    (name) => ['cursor', name],
  ),
  // Both name what the groups and measures are called.
  ...['groupBy', 'measures'].flatMap((name) => [
    [name, 'having'],
    [name, 'sortFields'],
  ]),
];

let boss: TestUser;
let boundChannel: string;
let view: string;
let parameters: Readonly<Record<string, string>>;
let operations: readonly { readonly operation: Operation; readonly route: Route }[];

beforeAll(async () => {
  const tenant = await newTenant();
  boss = await newUser(['PLATFORM_ADMIN', 'ADMIN'], tenant);
  const channel = newCode();
  await save('dev', {
    resourceType: 'IM_CHANNEL',
    code: channel,
    content: { name: channel, kind: 'json', assistant: 'crm' },
  });
  const made = await call('/api/views', { token: boss.token, body: { name: 'All', pageKey: 'leads' } });
  view = made.body.data.pid;
  boundChannel = (await newChannel(tenant)).code;
  parameters = {
    pageKey: 'leads',
    name: 'account',
    commandCode: 'crm:create_lead',
    code: 'lead_follow_up',
    assistant: 'crm',
    environment: 'staging',
    channel,
    pid: (await createSubscription(boss, { eventType: 'nothing:ever', enabled: false })).pid,
  };
  const routes = new Map((await allRoutes()).map((route) => [nameOf(route).replace(/:(\w+)(?=\/|$)/g, '{$1}'), route]));
  operations = (await fetchDocument()).operations.flatMap((operation) => {
    const route = routes.get(nameOf(operation));
    return route ? [{ operation, route }] : [];
  });
});

/** One fault of each input by its schema, and one by a rule where there is one. */
function faultsOf(operation: Operation, route: Route): { bySchema: Fault[]; byRule: Fault[] } {
  const { properties: query } = queryOf(route);
  const { properties: body = {} } = objectOf(route) ?? {};
  const wrong = (place: 'query' | 'body', values: Map<string, unknown>): Fault[] =>
    [...values].map(([name, value]) => ({ in: place, name, value, told: name }));
  const bySchema = [...wrong('query', wrongFor(query, WRONG_TEXTS)), ...wrong('body', wrongFor(body, WRONG_VALUES))];
  const byRule = Object.entries(WRONG_BY_RULE[nameOf(operation)] ?? {}).map(([name, value]): Fault => {
    const place = Object.hasOwn(query, name) ? 'query' : Object.hasOwn(body, name) ? 'body' : 'header';
    return { in: place, name, value, told: TOLD_ELSEWHERE[name] ?? name };
  });
  return { bySchema, byRule };
}

/** Each two faults of different inputs, one at least of a rule; two of schemas where there is no rule. */
function pairsOf({ bySchema, byRule }: { bySchema: Fault[]; byRule: Fault[] }): [Fault, Fault][] {
  const firsts = byRule.length > 0 ? byRule : bySchema.slice(0, 1);
  const pairs = firsts.flatMap((one, index) =>
    [...byRule.slice(index + 1), ...bySchema].map((other): [Fault, Fault] => [one, other]),
  );
  return pairs.filter(
    ([one, other]) =>
      one.name !== other.name && !DEPENDENT.some((names) => names.includes(one.name) && names.includes(other.name)),
  );
}

function send(operation: Operation, { method, path }: Route, faults: readonly Fault[]): Promise<Answered> {
  const given = (place: Fault['in']) =>
    Object.fromEntries(faults.filter((fault) => fault.in === place).map(({ name, value }) => [name, value]));
  if (path === '/api/im/:channel/messages') return post(boundChannel, given('body'));
  const pid = path === '/api/views/:pid' ? view : parameters.pid;
  const filled = path.replace(/:(\w+)/g, (_, name: string) => (name === 'pid' ? pid : parameters[name]) ?? ulid());
  const query = new URLSearchParams(given('query') as Record<string, string>).toString();
  return call(`${filled}?${query}`, {
    method,
    token: boss.token,
    headers: given('header') as Record<string, string>,
    ...(method !== 'GET' && { body: { ...GIVEN[nameOf(operation)], ...given('body') } }),
  });
}

describe('every operation of the OpenAPI document that takes two inputs', () => {
  it('tells two independent faults at once', async () => {
    const hidden: string[] = [];
    let sent = 0;
    for (const { operation, route } of operations) {
      for (const pair of pairsOf(faultsOf(operation, route))) {
        const { status, body } = await send(operation, route, pair);
        sent += 1;
        const fieldErrors = (body?.data?.fieldErrors ?? {}) as object;
        const told = new Set(Object.keys(fieldErrors).map((path) => path.split(/[.[]/)[0]));
        const missing = pair.filter((fault) => !told.has(fault.told)).map(({ name }) => name);
        if (missing.length > 0) {
          const asked = pair.map(({ name, value }) => `${name}=${JSON.stringify(value) ?? 'nothing'}`).join(' and ');
          hidden.push(
            `${nameOf(operation)} with ${asked}: ${missing.join(', ')} untold: ${status} ${[...told].join()}`,
          );
        }
      }
    }

    expect(hidden).toEqual([]);
    expect(sent).toBeGreaterThan(100);
  });
});
