import type { IncomingHttpHeaders } from 'node:http';
import { ApplicationError, validationError } from '../errors/application-error.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import type { RedisCommand, SharedStore } from '../redis/redis.ts';
import type { Actor } from './actor.ts';
import type { HeaderTarget, RateLimits, UserBudget } from './rate-limits.ts';
import type { SessionStore } from './session-store.ts';
import type { Tokens } from './token.ts';

/** What a request claims before the shared store has confirmed it: enough to guess which counters it will need. */
export interface Claimed {
  readonly environment: string;
  readonly tenantId: string;
  /** This node's snapshot, perhaps not the newest; undefined before the cache is warm. */
  readonly metadata: Snapshot | undefined;
}

/** Of an HTTP request, what the gate looks at. */
export interface Arriving {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Where the limits' headers go. */
  readonly res?: HeaderTarget;
}

export interface Admission {
  readonly actor: Actor;
  /** The replies to the commands that rode along, in their order. */
  readonly ride: readonly unknown[];
}

const ENVIRONMENTS = new Set(['dev', 'staging', 'prod']);

/**
 * The first step of every route that is not public: who is this, for which tenant, under which configuration, and is it
 * not too often. It costs one Redis round trip, in which a route may let its own reads ride along. Spec: "Authentication", "Limits".
 */
export class Gate {
  readonly #tokens: Tokens;
  readonly #sessions: SessionStore;
  readonly #store: SharedStore;
  readonly #snapshots: SnapshotCache;
  readonly #limits: RateLimits;
  readonly #defaultEnvironment: string;

  constructor(
    tokens: Tokens,
    sessions: SessionStore,
    store: SharedStore,
    snapshots: SnapshotCache,
    limits: RateLimits,
    defaultEnvironment: string,
  ) {
    this.#tokens = tokens;
    this.#sessions = sessions;
    this.#store = store;
    this.#snapshots = snapshots;
    this.#limits = limits;
    this.#defaultEnvironment = defaultEnvironment;
  }

  /**
   * @param ride the reads of the route's own, for the same round trip
   * @param budget what the request counts to; null: it does not count
   * @throws UNAUTHORIZED, RATE_LIMITED, TENANT_FORBIDDEN, VALIDATION_ERROR (`X-Environment`), SERVICE_UNAVAILABLE
   */
  async admit(
    { method, headers, res }: Arriving,
    ride: (claimed: Claimed) => RedisCommand[] = () => [],
    budget: UserBudget | null = budgetOf(method),
  ): Promise<Admission> {
    const claims = this.#tokens.verify(headers.authorization);
    const environment = this.#environmentOf(headers);
    const tenantId = headerOf(headers, 'x-tenant-id') ?? claims.tenantId;
    const readSession = this.#sessions.readCommand(claims.sessionId);
    const counted = { tenantId: TENANT_ID.test(tenantId) ? tenantId : claims.tenantId, userPid: claims.userPid };
    const count = this.#limits.countCommands(budget, counted, String(readSession[1]));
    const [session, version, ...replies] = await this.#store.together([
      readSession,
      this.#snapshots.versionCommand(environment),
      ...count,
      ...ride({ environment, tenantId, metadata: this.#snapshots.peek(environment) }),
    ]);
    const user = this.#sessions.parse(session);
    if (!user) throw new ApplicationError('UNAUTHORIZED');
    if (count.length > 0) this.#limits.enforce(budget, replies.shift(), res);
    const roles = Object.hasOwn(user.memberships, tenantId) ? user.memberships[tenantId] : undefined;
    if (!roles) {
      if (counted.tenantId !== claims.tenantId) await this.#limits.recount(budget, counted, claims, res);
      throw new ApplicationError('TENANT_FORBIDDEN');
    }
    const metadata = await this.#snapshots.at(environment, version as string | null);
    const { userId, userPid, username } = user;
    const permissions = metadata.permissionsOf(roles);
    return { actor: { userId, userPid, username, tenantId, roles, permissions, metadata }, ride: replies };
  }

  /**
   * Admits the request of an open stream again: the session may have ended, the roles may have changed. It is no new
   * request, so it counts to no limit.
   * @throws as `admit`
   */
  async readmit({ headers }: { headers: IncomingHttpHeaders }): Promise<Actor> {
    return (await this.admit({ method: 'GET', headers }, () => [], null)).actor;
  }

  #environmentOf(headers: IncomingHttpHeaders): string {
    const named = headerOf(headers, 'x-environment');
    if (named === undefined) return this.#defaultEnvironment;
    if (!ENVIRONMENTS.has(named)) throw validationError({ 'X-Environment': 'must be one of dev, staging, prod' });
    return named;
  }
}

/** What may be a tenant's id: anything else is nobody's tenant, and gets no counter. */
const TENANT_ID = /^\d{1,19}$/;

/** Routes that the spec does not name count by what they do. */
function budgetOf(method: string): UserBudget {
  return method === 'GET' || method === 'HEAD' ? 'reads' : 'changes';
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
