import { ulid } from 'ulid';
import type { Route } from '../../src/foundation/http/route.ts';
import { ACCOUNT, PUBLIC, SIGNED_IN } from '../../src/platform/auth/requests/endpoint.ts';
import { call, type Answered } from '../support/api.ts';
import { allRoutes, isPublic, mountedIn, nameOf, targetOf } from '../support/routes.ts';
import { container, newTenant, newUser, type TestUser } from '../support/world.ts';

/** What stands in for the variable parts of permission codes then. */
const VARIABLES: Record<string, string> = {
  modelCode: 'lead',
  commandCode: 'crm:create_lead',
  datasourceId: 'lead_statuses',
  code: 'lead_follow_up',
  assistant: 'crm',
};

let routes: readonly Route[];
let boss: TestUser;

beforeAll(async () => {
  routes = await allRoutes();
  boss = await newUser(['PLATFORM_ADMIN'], await newTenant());
});

const ask = (route: Route, token?: string): Promise<Answered> =>
  call(targetOf(route), { method: route.method, ...(token !== undefined && { token }) });
const filledIn = (code: string): string => code.replace(/{(\w+)}/g, (_, name: string) => VARIABLES[name] ?? '');

/** A key that may do just this. */
async function keyFor(scopes: string[]): Promise<string> {
  const account = await call('/api/admin/service-accounts', { token: boss.token, body: { name: ulid() } });
  const path = `/api/admin/service-accounts/${account.body.data.pid}/keys`;
  return (await call(path, { token: boss.token, body: { scopes } })).body.data.key;
}

describe('every route', () => {
  it('declares who may use it: permission codes, anybody who is logged in, or the public', () => {
    expect(routes.filter(({ access }) => access.length === 0).map(nameOf)).toEqual([]);
    expect(routes.length).toBeGreaterThan(40);
  });

  it('is an endpoint: nothing else is mounted', async () => {
    expect(mountedIn((await container()).app).sort()).toEqual(routes.map(nameOf).sort());
  });

  it('is public only where the specification or a log-in needs it', () => {
    const open = routes.filter(isPublic).map(nameOf);

    expect(open.sort()).toEqual([
      'GET /actuator/health',
      'GET /actuator/health/liveness',
      'GET /actuator/health/node',
      'GET /actuator/health/readiness',
      'GET /actuator/health/system',
      'GET /actuator/info',
      'GET /api/docs',
      'GET /api/docs/:file',
      'GET /api/health',
      'GET /api/openapi.json',
      'GET /console',
      'GET /console/:area',
      'GET /console/:area/:name',
      'GET /console/:area/:name/:item',
      'GET /console/assets/:file',
      'POST /api/auth/login',
      'POST /api/auth/password-reset/confirm',
      'POST /api/auth/password-reset/request',
      'POST /api/auth/refresh',
      'POST /api/im/:channel/messages',
    ]);
  });

  it('that is public asks nobody for a token', async () => {
    for (const route of routes.filter(isPublic)) {
      expect([nameOf(route), (await ask(route)).status]).not.toEqual([nameOf(route), 401]);
    }
  });

  it('answers 403 FORBIDDEN, naming the code, to whoever lacks one that it declares', async () => {
    const keys = new Map<string, string>();
    const guarded = routes.filter(({ access }) => ![PUBLIC, SIGNED_IN, ACCOUNT].some((word) => access.includes(word)));
    for (const route of guarded) {
      for (const missing of route.access) {
        const scopes = [...route.access.filter((code) => code !== missing).map(filledIn), 'field:read:lead.score'];
        const key = keys.get(scopes.join()) ?? (await keyFor(scopes));
        keys.set(scopes.join(), key);
        const { status, body } = await ask(route, key);
        expect([nameOf(route), status, body.code, body.data]).toEqual([
          nameOf(route),
          403,
          'FORBIDDEN',
          { permission: filledIn(missing) },
        ]);
      }
    }
  });
});
