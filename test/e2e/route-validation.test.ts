import { ulid } from 'ulid';
import type { Route } from '../../src/foundation/http/route.ts';
import { validate } from '../../src/foundation/validation/validate.ts';
import { openObject, type Schema } from '../../src/foundation/validation/schema.ts';
import { call, type Answered, type CallOptions } from '../support/api.ts';
import { newChannel, post } from '../support/im.ts';
import { allRoutes, nameOf } from '../support/routes.ts';
import { createSubscription } from '../support/webhook-api.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

type Properties = Readonly<Record<string, Schema>>;

/** Values of every type, and texts of no kind: one of them is wrong wherever anything is. */
const VALUES: readonly unknown[] = [7, {}, 'x', [[]], '\0'];
const TEXTS = ['no such thing', '-1', '\0', 'x'.repeat(300)];
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

/** For each property a value that its schema refuses; properties that take anything are left out. */
function wrongFor<V>(properties: Properties, values: readonly V[]): Map<string, V> {
  const found = Object.entries(properties).map(([name, schema]): [string, V | undefined] => [
    name,
    values.find((value) => Object.keys(validate(openObject({ value: schema }), { value })).length > 0),
  ]);
  return new Map(found.filter((entry): entry is [string, V] => entry[1] !== undefined));
}

/** The object that a JSON body is; of several, the first. */
function objectOf({
  body: given,
  bodyType,
}: Route): { properties: Properties; required: readonly string[]; isOpen: boolean } | null {
  const body = bodyType === undefined ? given : undefined;
  const { anyOf: [schema] = [body] } = (body ?? {}) as { anyOf?: Schema[] };
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = (schema ?? {}) as {
    properties?: Properties;
    required?: readonly string[];
    additionalProperties?: boolean;
  };
  return schema ? { properties, required, isOpen: additionalProperties !== false } : null;
}

function queryOf({ query }: Route): { properties: Properties; required: readonly string[] } {
  return query as unknown as { properties: Properties; required: readonly string[] };
}

/** Its answer is what would be wrong. */
const ANSWERS_PROBLEMS = 'POST /api/meta/commands/validate/:commandCode';

describe('every route that takes a body', () => {
  it('names each field whose type its contract refuses, all at once, and each that the contract does not know', async () => {
    const asked: string[] = [];
    for (const route of routes) {
      const body = objectOf(route);
      if (!body || Object.keys(body.properties).length === 0 || nameOf(route) === ANSWERS_PROBLEMS) continue;
      const wrong = wrongFor(body.properties, VALUES);
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
      const wrong = wrongFor(queryOf(route).properties, TEXTS);
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
