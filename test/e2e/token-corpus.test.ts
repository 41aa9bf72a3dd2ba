import { Agent, request } from 'node:http';
import pLimit from 'p-limit';
import type { Route } from '../../src/foundation/http/route.ts';
import { goodAndBadTokens, type Attempt, type Attempts } from '../support/bad-tokens.ts';
import { allRoutes, isPublic, nameOf, targetOf } from '../support/routes.ts';
import { newTenant, newUser } from '../support/world.ts';

/** Without credentials, and with some that are refused. */
const UNAUTHORIZED = ['Authentication is required', 'The token or API key is not valid, or has expired'].map(
  (message) => JSON.stringify({ code: 'UNAUTHORIZED', message, data: null }),
);
/** Requests under way at once. */
const AT_ONCE = 8;

let guarded: Route[];
let good: string;
let attempts: Attempts;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

beforeAll(async () => {
  guarded = (await allRoutes()).filter((route) => !isPublic(route));
  const tenant = await newTenant();
  const [user, another] = [await newUser(['PLATFORM_ADMIN'], tenant), await newUser(['PLATFORM_ADMIN'], tenant)];
  ({ good, attempts } = await goodAndBadTokens(user, another));
});

afterAll(() => agent.destroy());

interface Answer {
  readonly status: number | undefined;
  readonly traceId: unknown;
  readonly text: string;
}

function ask(route: Route, { authorization, cookie, query }: Attempt): Promise<Answer> {
  const target = `${process.env.KEELSON_TEST_URL}${targetOf(route)}${query === undefined ? '' : `&${query}`}`;
  return new Promise((resolve, reject) => {
    const asked = request(target, { method: route.method, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode, traceId: response.headers['x-trace-id'], text });
      });
    });
    asked.on('error', reject);
    if (authorization.length > 0) asked.setHeader('Authorization', authorization);
    if (cookie !== undefined) asked.setHeader('Cookie', cookie);
    asked.end();
  });
}

describe('every route that is not public', () => {
  it('would let the user of the corpus in', async () => {
    const harmless = guarded.filter(({ method, path }) => method === 'GET' && !path.endsWith('/stream'));
    const statuses = await Promise.all(harmless.map((route) => ask(route, { authorization: [`Bearer ${good}`] })));

    expect(harmless.length).toBeGreaterThan(20);
    expect(statuses.filter(({ status }) => status === 401)).toEqual([]);
  });

  it('answers the envelope of 401 UNAUTHORIZED to every token of the corpus', async () => {
    const limit = pLimit(AT_ONCE);
    const all = guarded.flatMap((route) => [...attempts].map(([fault, attempt]) => ({ route, fault, attempt })));
    const letIn = await Promise.all(
      all.map(({ route, fault, attempt }) =>
        limit(async () => {
          const answer = await ask(route, attempt);
          const isRefused = answer.status === 401 && UNAUTHORIZED.includes(answer.text);
          return isRefused && typeof answer.traceId === 'string' ? [] : [{ route: nameOf(route), fault, answer }];
        }),
      ),
    );

    expect(letIn.flat()).toEqual([]);
    expect(all.length).toBeGreaterThan(60 * 35);
  });
});
