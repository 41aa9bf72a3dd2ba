import { ulid } from 'ulid';
import type { Route } from '../../src/foundation/http/route.ts';
import { call, type Answered, type CallOptions } from '../support/api.ts';
import { newChannel, post } from '../support/im.ts';
import { allRoutes, nameOf } from '../support/routes.ts';
import { createSubscription } from '../support/webhook-api.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';
import { objectOf, queryOf, wrongFor, WRONG_TEXTS, WRONG_VALUES } from '../support/wrong-values.ts';

const UNKNOWN = 'nobody_knows';

let routes: readonly Route[];
let boss: TestUser;
/** What stands in for the variable parts of paths, so that requests are refused for nothing else. */
let parameters: Readonly<Record<string, string>>;

beforeAll(async () => {
  const tenant = await newTenant();
  boss = await newUser(['PLATFORM_ADMIN', 'ADMIN'], tenant);
  routes = await allRoutes();
  parameters = {
    pageKey: 'leads',
    commandCode: 'crm:create_lead',
    code: 'lead_follow_up',
    assistant: 'crm',
    environment: 'staging',
    name: 'A_SECRET',
    channel: (await newChannel(tenant)).code,
    pid: (await createSubscription(boss, { eventType: 'nothing:ever', enabled: false })).pid,
  };
});

function ask({ method, path }: Route, query: [string, string][], options: CallOptions = {}): Promise<Answered> {
  // Its bytes are signed.
  if (path === '/api/im/:channel/messages') return post(parameters.channel ?? '', options.body);
  const filled = path.replace(/:(\w+)/g, (_, name: string) => parameters[name] ?? ulid());
  return call(`${filled}?${new URLSearchParams(query).toString()}`, { method, token: boss.token, ...options });
}

/** The fields that an answer calls wrong. */
function refusedBy({ status, body }: Answered): unknown {
  const names = Object.keys((body?.data?.fieldErrors as object | undefined) ?? {}).map((path) => path.split('.')[0]);
  return { status, code: body?.code, names: [...new Set(names)].sort() };
}

const refused = (names: Iterable<string>) => ({ status: 400, code: 'VALIDATION_ERROR', names: [...names].sort() });

/** Its answer is what would be wrong. */
const ANSWERS_PROBLEMS = 'POST /api/meta/commands/validate/:commandCode';

describe('every route that takes a body', () => {
  it('names each field whose type its contract refuses, all at once, and each that the contract does not know', async () => {
    const asked: string[] = [];
    for (const route of routes) {
      const body = objectOf(route);
      if (!body || Object.keys(body.properties).length === 0 || nameOf(route) === ANSWERS_PROBLEMS) continue;
      const wrong = wrongFor(body.properties, WRONG_VALUES);
      expect([nameOf(route), [...wrong.keys()]]).toEqual([nameOf(route), Object.keys(body.properties)]);

      const answer = await ask(route, [], { body: { ...Object.fromEntries(wrong), [UNKNOWN]: 1 } });

      const names = [...wrong.keys(), ...(body.isOpen ? [] : [UNKNOWN])];
      expect([nameOf(route), refusedBy(answer)]).toEqual([nameOf(route), refused(names)]);
      asked.push(nameOf(route));
    }
    expect(asked.length).toBeGreaterThan(25);
  });

  it('names each field that is missing', async () => {
    for (const route of routes) {
      const { required = [] } = objectOf(route) ?? {};
      if (required.length === 0) continue;

      const { names } = refusedBy(await ask(route, [], { body: {} })) as { names: string[] };

      expect([nameOf(route), names]).toEqual([nameOf(route), expect.arrayContaining([...required])]);
    }
  });
});

describe('every route that takes a query', () => {
  it('names each value that its contract refuses, all at once', async () => {
    const asked: string[] = [];
    for (const route of routes) {
      const wrong = wrongFor(queryOf(route).properties, WRONG_TEXTS);
      if (wrong.size === 0) continue;
      const missing = queryOf(route).required.filter((name) => !wrong.has(name));

      const answer = await ask(route, [...wrong, ['page', 'x']]);

      expect([nameOf(route), refusedBy(answer)]).toEqual([
        nameOf(route),
        refused([...wrong.keys(), ...missing, ...(objectOf(route)?.required ?? [])]),
      ]);
      asked.push(nameOf(route));
    }
    expect(asked.length).toBeGreaterThan(15);
  });

  it('names each that is given more than once', async () => {
    for (const route of routes) {
      const names = Object.keys(queryOf(route).properties);
      if (names.length === 0) continue;

      const answer = await ask(
        route,
        names.flatMap((name): [string, string][] => [
          [name, '1'],
          [name, '1'],
        ]),
      );

      expect([nameOf(route), refusedBy(answer)]).toEqual([
        nameOf(route),
        refused([...names, ...(objectOf(route)?.required ?? [])]),
      ]);
    }
  });

  it('names each that is missing', async () => {
    for (const route of routes.filter((one) => queryOf(one).required.length > 0)) {
      const { names } = refusedBy(await ask(route, [])) as { names: string[] };

      expect([nameOf(route), names]).toEqual([nameOf(route), [...queryOf(route).required].sort()]);
    }
  });
});

describe('every route that is read', () => {
  it('names what it ignores', async () => {
    for (const route of routes) {
      if (route.method !== 'GET' || route.media?.type === 'text/event-stream') continue;

      const { headers, status } = await ask(route, [['page', 'x']]);

      expect([nameOf(route), status, headers.get('x-ignored-params')]).toEqual([nameOf(route), status, 'page']);
    }
  });
});

describe('every whole number of a request', () => {
  it('has a range, which its column or JavaScript holds', () => {
    const open = routes.flatMap((route) =>
      [route.query, route.body]
        .flatMap((schema) => integersIn(schema))
        .map((schema) => [nameOf(route), schema] as const),
    );
    const hasRange = ([, { minimum, maximum = Infinity }]: (typeof open)[number]) =>
      minimum !== undefined && Number.isSafeInteger(maximum);
    expect(open.length).toBeGreaterThan(20);
    expect(open.filter((one) => !hasRange(one))).toEqual([]);
  });

  it('is refused beyond its range: units[].version', async () => {
    for (const version of [2 ** 31, 2 ** 53, 0, -1, 1.5]) {
      const units = [{ resourceType: 'MODEL', resourcePid: ulid(), version }];
      const body = { sourceEnvId: 1, targetEnvId: 2, units };
      const answer = await call('/api/admin/promotions', { token: boss.token, body });
      expect([version, answer.status, answer.body.data?.fieldErrors]).toEqual([
        version,
        400,
        { 'units.0.version': `must be a whole number from 1 to ${2 ** 31 - 1}` },
      ]);
    }
  });
});

interface Integer {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** All schemas of whole numbers in a schema, however deep. */
function integersIn(schema: unknown): Integer[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, const: only } = schema as { type?: unknown; const?: unknown };
  if (type === 'integer' && only === undefined) return [schema];
  return Object.values(schema).flatMap(integersIn);
}
