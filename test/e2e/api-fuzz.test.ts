import fc from 'fast-check';
import { ulid } from 'ulid';
import { call } from '../support/api.ts';
import { hostileRequests, type HostileRequest, type Samples } from '../support/hostile.ts';
import { newUnits, type PromotedModel } from '../support/promotions.ts';
import { fetchDocument, type ApiDocument, type Operation } from '../support/openapi.ts';
import { sendRaw, type RawAnswer } from '../support/raw-request.ts';
import { createSubscription } from '../support/webhook-api.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

/**
 * Requests over all routes together, and where the generator begins: the same numbers make the same requests.
 * The check before each commit sends the same every time; who asks for more searches somewhere else each
 * time.
 */
const { FUZZ_REQUESTS, FUZZ_SEED } = process.env;
const REQUESTS = Number(FUZZ_REQUESTS ?? 400);
const SEED = Number(FUZZ_SEED ?? (FUZZ_REQUESTS ? Date.now() % 2 ** 31 : 20_261_121));

const base = (): string => process.env.KEELSON_TEST_URL ?? '';

/** Who may do everything, in a tenant of its own; and somebody who loses sessions. */
let admin: TestUser;
let guest: TestUser;
let api: ApiDocument;
let samples: Samples;

/**
 * What a route's parameters may name, so that requests get further than 404, and can spoil nothing of anybody
 * else's.
 */
async function arrange(tenant: TestTenant): Promise<Samples> {
  const post = async (path: string, body: unknown) => (await call(path, { token: admin.token, body })).body.data;
  const victim = await newUser(['VIEWER'], tenant);
  const otherTenant = await post('/api/admin/tenants', { name: ulid() });
  const subscription = await createSubscription(admin, { eventType: 'nothing:ever', enabled: false });
  const account = await post('/api/admin/service-accounts', { name: ulid() });
  const lead = await post('/api/meta/commands/execute/crm:create_lead', { payload: { name: 'Ada' } });
  const model: PromotedModel = await newUnits([{ code: 'name', name: 'Name', type: 'string' }]);
  const draft = () => post('/api/admin/promotions', { sourceEnvId: 1, targetEnvId: 2, units: model.units });
  // Two that are never validated, so that an apply finds nothing to apply.
  const [planned, never, refused] = [await draft(), await draft(), await draft()];
  const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const pids: [RegExp, string][] = [
    [/promotions\/{pid}\/(validate|stream)$/, planned.pid],
    [/promotions\/{pid}\/(approve|reject|cancel)$/, refused.pid],
    [/promotions/, never.pid],
    [/admin\/users/, victim.pid],
    [/admin\/tenants/, otherTenant.pid],
    [/service-accounts/, account.pid],
    [/webhooks\/{pid}/, subscription.pid],
  ];
  const byName: Record<string, readonly unknown[]> = {
    pageKey: ['leads', 'accounts', 'nothing'],
    recordId: [lead.pid, nobody],
    commandCode: ['crm:create_lead', 'crm:update_lead', 'crm:convert_lead', 'meta:save', 'meta:delete', 'a:b'],
    targetRecordId: [lead.pid, nobody],
    datasourceId: ['lead_statuses', 'nothing'],
    file: ['start.js', 'favicon-32x32.png', 'nothing'],
    // Only those two tell of what is there: no request of the others can succeed.
    sourceEnvId: [1, 99],
    targetEnvId: [99, 0],
    tenantId: [tenant.id, '999999999999999999'],
    'X-Tenant-Id': [tenant.id],
    targetUrl: [
      'http://127.0.0.1:9/',
      'http://[::1]:9/',
      'http://127.0.0.1:99999/',
      'nowhere',
      'ftp://127.0.0.1/',
      'http://',
    ],
    enabled: [false],
    name: ['FUZZ_ONE', 'a name'],
    filters: [
      '[{"fieldName":"name","operator":"eq","value":"a"}]',
      '[{"or":[]}]',
      '[{"fieldName":"id","operator":"in","value":[{}]}]',
      '[{"fieldName":"amount","operator":"between","value":["9e999",null]}]',
    ],
    conditions: [[''], [null], [{ and: 1 }], [{ not: null }], [{ or: [{}] }], [{ fieldName: 'name', operator: 'eq' }]],
    sortField: ['name', 'amount', 'created_at', 'nothing', '__proto__'],
    payload: [
      { name: 'Ada' },
      { name: 'a\0b', amount: 1e300 },
      { name: '\ud800' },
      { amount: '9'.repeat(400), nothing: 1 },
      { resourceType: 'MODEL', code: 'x', content: { fields: [{}] } },
    ],
  };
  return ({ method, path }, name) => {
    const isChange = method !== 'GET' && /environments\/{environment}/.test(path);
    if (name === 'environment' && isChange && /import|export|secrets/.test(path)) return ['staging', 'nowhere'];
    if (name === 'environment' && isChange) return ['nowhere', nobody];
    if (name === 'environment') return ['dev', 'prod', 'nowhere'];
    if (name === 'pid') return [pids.find(([pattern]) => pattern.test(path))?.[1] ?? nobody, nobody];
    return byName[name];
  };
}

beforeAll(async () => {
  const tenant = await newTenant();
  admin = await newUser(['PLATFORM_ADMIN', 'ADMIN'], tenant);
  guest = await newUser(['VIEWER'], tenant);
  api = await fetchDocument();
  samples = await arrange(tenant);
});

const ENVELOPE_KEYS = ['code', 'data', 'message'];

/** What an answer has that no request may get; null where it is as it should be. */
function problemOf(operation: Operation, request: HostileRequest, { status, headers, text }: RawAnswer): string | null {
  if (!/^[0-9a-f]{32}$/.test(String(headers['x-trace-id']))) return 'no X-Trace-Id';
  if (status >= 500 && !operation.path.startsWith('/actuator/health')) return 'a fault';
  if (request.method === 'HEAD' || status === 304) return text === '' ? null : 'a body';
  if (status === 200 && !operation.responses[200]?.content['application/json']) return null;
  if (!headers['content-type']?.includes('json') || headers['content-type'].includes('ndjson')) {
    return status === 200 ? null : `a failure as ${headers['content-type']}`;
  }
  const body = JSON.parse(text) as object;
  if (operation.path.endsWith('/openapi.json') && status === 200) return null;
  if (!ENVELOPE_KEYS.every((key) => key in body)) return 'no envelope';
  const isOwn =
    request.method === operation.method &&
    api.operationOf(request.method, request.target.split('?')[0] ?? '') === operation;
  if (!isOwn) return null;
  return api.problemOfAnswer(operation, status, body);
}

/** Why a body should not have been taken; null where it rightly was, or was not. */
function acceptedAgainstSchema(operation: Operation, request: HostileRequest, answer: RawAnswer): string | null {
  const { status, text } = answer;
  const { body, headers, method } = request;
  if (status >= 300 || !body || method !== operation.method || !operation.requestBody) return null;
  if (!headers['Content-Type']?.includes('json')) return null;
  // The answer may be what is wrong with the body.
  if (operation.path.includes('/validate/') && /"valid": ?false/.test(text)) return null;
  // A byte order mark is no part of the text.
  const problem = api.problemOfBody(operation, JSON.parse(body.replace(/^\uFEFF/, '')));
  return problem && `taken, although ${problem}`;
}

/**
 * The generator and its size: FUZZ_REQUESTS and FUZZ_SEED. What it finds, fast-check makes as small as it
 * gets.
 */
describe('whatever is sent to the API', () => {
  it(
    `is answered with an envelope and a trace id, and by no 5xx`,
    async () => {
      process.stdout.write(`api-fuzz: FUZZ_SEED=${SEED} FUZZ_REQUESTS=${REQUESTS}\n`);
      const runs = Math.ceil(REQUESTS / api.operations.length);
      const statuses = new Map<number, number>();
      const faults: string[] = [];
      for (const [index, operation] of api.operations.entries()) {
        const isOfAccount = /auth\/(logout|sessions|password)/.test(operation.path);
        const token = (isOfAccount ? guest : admin).token;
        const requests = fc.record({
          request: hostileRequests(api, operation, samples),
          authorization: fc.constantFrom(
            ...Array.from({ length: 24 }, () => `Bearer ${token}`),
            '',
            'Bearer x',
            'Basic eDp5',
            'Bearer',
          ),
          contentType: fc.constantFrom(
            ...Array.from({ length: 24 }, () => 'application/json'),
            'text/plain',
            'application/xml',
            'application/json; charset=utf-16',
            'multipart/form-data',
            'x',
          ),
        });
        const property = fc.asyncProperty(requests, async ({ request, authorization, contentType }) => {
          const headers = {
            ...request.headers,
            ...(authorization !== '' && { Authorization: authorization }),
            ...(request.body !== null && { 'Content-Type': contentType }),
          };
          const sent = { ...request, headers };
          const answer = await sendRaw(base(), sent);
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          const problem = problemOf(operation, sent, answer) ?? acceptedAgainstSchema(operation, sent, answer);
          if (problem !== null) throw new Error(`${answer.status}, ${problem}: ${answer.text.slice(0, 1_000)}`);
        });
        const outcome = await fc.check(property, { numRuns: runs, seed: SEED + index });
        if (outcome.failed) faults.push(describeFault(operation, outcome));
      }
      process.stdout.write(`api-fuzz: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}\n`);

      expect(faults).toEqual([]);
    },
    60_000 + REQUESTS * 100,
  );
});

function describeFault<T>({ method, path }: Operation, { counterexample, errorInstance }: fc.RunDetails<T>): string {
  const request = JSON.stringify(counterexample).replace(/Bearer eyJ[\w.-]+/, 'Bearer <a token>');
  return `${method} ${path}: ${String(errorInstance)}\n${request.slice(0, 1_500)}`;
}
