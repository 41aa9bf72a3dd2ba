import { ulid } from 'ulid';
import type { Route } from '../../src/foundation/http/route.ts';
import { call, execute } from '../support/api.ts';
import { allRoutes, isPublic, namesById, nameOf, targetOf } from '../support/routes.ts';
import { createSubscription } from '../support/webhook-api.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

const ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

let owner: TestUser;
let stranger: TestUser;
let routes: readonly Route[];

beforeAll(async () => {
  routes = (await allRoutes()).filter((route) => !isPublic(route));
  [owner, stranger] = [await newUser(['ADMIN'], await newTenant()), await newUser(['ADMIN'], await newTenant())];
});

/** Something of everything that a tenant can have. */
async function fill(user: TestUser): Promise<void> {
  const { token } = user;
  const post = async (path: string, body: unknown) => {
    const answered = await call(path, { token, body });
    expect([path, answered.body.code]).toEqual([path, '0']);
    return answered.body.data;
  };
  const account = await post('/api/meta/commands/execute/crm:create_account', { payload: { name: 'A' } });
  const lead = { payload: { name: 'L', account: account.pid } };
  const { pid } = await post('/api/meta/commands/execute/crm:create_lead', lead);
  const gone = await post('/api/meta/commands/execute/crm:create_lead', lead);
  await execute(token, 'crm:delete_lead', { operationType: 'DELETE', targetRecordId: gone.pid });
  const subscription = await createSubscription(user, { eventType: 'nothing:ever', enabled: false });
  await post(`/api/webhooks/${subscription.pid}/test`, { sample: true });
  await post('/api/views', { name: 'V', pageKey: 'leads' });
  const service = await post('/api/admin/service-accounts', { name: ulid() });
  await post(`/api/admin/service-accounts/${service.pid}/keys`, { scopes: ['record:read:lead'] });
  await call('/api/automations/lead_follow_up/runs', { token, body: { input: { leadPid: pid } } });
}

/** Ids that the routes without an id answer, each with the route and the key where it was seen first. */
async function idsSeenBy({ token }: TestUser): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  for (const route of routes.filter((each) => each.method === 'GET' && !namesById(each))) {
    const { body } = await call(targetOf(route), { token });
    collect(body?.data, nameOf(route), seen);
  }
  return seen;
}

function collect(value: unknown, place: string, seen: Map<string, string>): void {
  if (typeof value === 'string' && ID.test(value) && !seen.has(value)) seen.set(value, place);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value))
    collect(member, /^\d+$/.test(key) ? place : `${place} ${key}`, seen);
}

describe("every route that names something by its id, with another tenant's ids", () => {
  it('answers as if they did not exist, and changes nothing', async () => {
    await fill(owner);
    const shared = await idsSeenBy(stranger);
    const before = await idsSeenBy(owner);
    const foreign = [...before].filter(([id]) => !shared.has(id));
    // One id of each kind is enough.
    const kinds = new Map(foreign.map(([id, place]) => [place, id]));
    expect([...kinds.keys()].join()).toMatch(/views.*|webhooks|service-accounts/);
    expect(kinds.size).toBeGreaterThan(8);

    const nobody = ulid();
    const ask = async (route: Route, id: string, { token } = stranger) => {
      const body = route.method === 'GET' ? {} : { body: {} };
      const answered = await call(targetOf(route, id), { token, method: route.method, ...body });
      return [nameOf(route), answered.status, JSON.stringify(answered.body).replaceAll(id, nobody)];
    };
    const walked = routes.filter(namesById);
    const found = new Set<string>();
    for (const route of walked) {
      const expected = await ask(route, nobody);
      await Promise.all(
        [...kinds.values()].map(async (id) => {
          expect(await ask(route, id)).toEqual(expected);
          // A stream of the owner's would go on.
          if (route.method !== 'GET' || route.path.endsWith('/stream')) return;
          const [name = '', status] = await ask(route, id, owner);
          if (status === 200) found.add(String(name));
        }),
      );
    }

    // The ids are ones by which their owner finds something.
    expect(found.size).toBeGreaterThan(8);
    expect(walked.length).toBeGreaterThan(25);
    const after = await idsSeenBy(owner);
    expect([...before.keys()].filter((id) => !after.has(id))).toEqual([]);
  });
});
