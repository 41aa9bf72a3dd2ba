import type { IncomingHttpHeaders } from 'node:http';
import { ApplicationError, tenantSuspended, validationError } from '../errors/application-error.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import type { RedisCommand, SharedStore } from '../redis/redis.ts';
import { authorise, type Actor } from './actor.ts';
import type { Caller } from './caller.ts';
import type { Bearer, Credentials } from './credentials.ts';
import type { TenantStates } from './profile.ts';
import type { HeaderTarget, RateLimits, UserBudget } from './rate-limits.ts';

/** What a request claims before the shared store has confirmed it: enough to guess which counters it will need. */
export interface Claimed {
  readonly environment: string;
  readonly tenantId: string;
  /** This node's snapshot, perhaps not the newest; undefined before the cache is warm. */
  readonly metadata: Snapshot | undefined;
}

/** Of an HTTP request, what the gate looks at. */
export interface Arriving extends Bearer {
  readonly method: string;
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
  readonly #credentials: Credentials;
  readonly #tenants: TenantStates;
  readonly #store: SharedStore;
  readonly #snapshots: SnapshotCache;
  readonly #limits: RateLimits;
  readonly #defaultEnvironment: string;

  constructor(
    credentials: Credentials,
    tenants: TenantStates,
    store: SharedStore,
    snapshots: SnapshotCache,
    limits: RateLimits,
    defaultEnvironment: string,
  ) {
    this.#credentials = credentials;
    this.#tenants = tenants;
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
    request: Arriving,
    ride: (claimed: Claimed) => RedisCommand[] = () => [],
    budget: UserBudget | null = budgetOf(request.method),
  ): Promise<Admission> {
    const { headers, res } = request;
    const claim = this.#credentials.claim(request);
    const environment = this.#environmentOf(headers);
    const tenantId = headerOf(headers, 'x-tenant-id') ?? claim.tenantId;
    const counted = { tenantId: TENANT_ID.test(tenantId) ? tenantId : claim.tenantId, userPid: claim.countedAs };
    const count = this.#limits.countCommands(budget, counted, claim.liveKey);
    const own = [...claim.commands, this.#tenants.readCommand(tenantId), this.#snapshots.versionCommand(environment)];
    const replies = await this.#store.together([
      ...own,
      ...count,
      ...ride({ environment, tenantId, metadata: this.#snapshots.peek(environment) }),
    ]);
    const caller = await claim.confirm(replies);
    if (count.length > 0) this.#limits.enforce(budget, replies[own.length], res);
    const roles = Object.hasOwn(caller.memberships, tenantId) ? caller.memberships[tenantId] : undefined;
    if (!roles) {
      const home = { tenantId: claim.tenantId, userPid: claim.countedAs };
      if (counted.tenantId !== home.tenantId) await this.#limits.recount(budget, counted, home, res);
      throw new ApplicationError('TENANT_FORBIDDEN');
    }
    const tenant = await this.#tenants.resolve(tenantId, replies[own.length - 2]);
    if (!tenant?.active) throw tenantSuspended();
    const metadata = await this.#snapshots.at(environment, replies[own.length - 1] as string | null);
    const { userId, userPid, username, keyMadeBy } = caller;
    const permissions = metadata.permissionsOf(roles);
    const actor = { userId, userPid, username, tenantId, roles, permissions, metadata, keyMadeBy };
    return { actor, ride: replies.slice(own.length + count.length) };
  }

  /**
   * The actor of a request that only somebody with these permissions may make.
   * @throws as `admit`; FORBIDDEN with `data.permission`
   */
  async admitWith(request: Arriving, ...permissions: readonly string[]): Promise<Actor> {
    const { actor } = await this.admit(request);
    for (const permission of permissions) authorise(actor, permission);
    return actor;
  }

  /**
   * Who makes a request that is about the caller's own account, and so about no tenant.
   * @throws UNAUTHORIZED, also for an API key: a program has no account of its own; SERVICE_UNAVAILABLE
   */
  async identify(request: Bearer): Promise<Caller & { readonly sessionPid: string }> {
    const claim = this.#credentials.claim(request);
    const caller = await claim.confirm(await this.#store.together(claim.commands));
    const { sessionPid } = caller;
    if (sessionPid === null) throw new ApplicationError('UNAUTHORIZED', { message: 'An API key has no session' });
    return { ...caller, sessionPid };
  }

  /**
   * Admits the request of an open stream again: the session may have ended, the roles may have changed. It is no new
   * request, so it counts to no limit.
   * @throws as `admit`
   */
  async readmit({ headers, rawHeaders }: Bearer): Promise<Actor> {
    return (await this.admit({ method: 'GET', headers, rawHeaders }, () => [], null)).actor;
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
