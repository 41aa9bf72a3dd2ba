import type { IncomingHttpHeaders } from 'node:http';
import { ApplicationError, validationError } from '../errors/application-error.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import type { RedisCommand, SharedStore } from '../redis/redis.ts';
import type { Actor } from './actor.ts';
import type { Caller } from './caller.ts';
import type { Bearer, Credentials } from './credentials.ts';
import type { TenantStates } from './profile.ts';

/** What a request claims before the shared store has confirmed it: enough to guess which counters it will need. */
export interface Claimed {
  readonly environment: string;
  readonly tenantId: string;
  /** This node's snapshot, perhaps not the newest; undefined before the cache is warm. */
  readonly metadata: Snapshot | undefined;
}

export interface Admission {
  readonly actor: Actor;
  /** The replies to the commands that rode along, in their order. */
  readonly ride: readonly unknown[];
}

const ENVIRONMENTS = new Set(['dev', 'staging', 'prod']);

/**
 * The first step of every route that is not public: who is this, for which tenant, under which configuration. It costs
 * one Redis round trip, in which a route may let its own reads ride along. Spec: "Authentication".
 */
export class Gate {
  readonly #credentials: Credentials;
  readonly #tenants: TenantStates;
  readonly #store: SharedStore;
  readonly #snapshots: SnapshotCache;
  readonly #defaultEnvironment: string;

  constructor(
    credentials: Credentials,
    tenants: TenantStates,
    store: SharedStore,
    snapshots: SnapshotCache,
    defaultEnvironment: string,
  ) {
    this.#credentials = credentials;
    this.#tenants = tenants;
    this.#store = store;
    this.#snapshots = snapshots;
    this.#defaultEnvironment = defaultEnvironment;
  }

  /**
   * @param ride the reads of the route's own, for the same round trip
   * @throws UNAUTHORIZED, TENANT_FORBIDDEN, VALIDATION_ERROR (`X-Environment`), SERVICE_UNAVAILABLE
   */
  async admit(request: Bearer, ride: (claimed: Claimed) => RedisCommand[] = () => []): Promise<Admission> {
    const { headers } = request;
    const claim = this.#credentials.claim(request);
    const environment = this.#environmentOf(headers);
    const tenantId = headerOf(headers, 'x-tenant-id') ?? claim.tenantId;
    const own = [...claim.commands, this.#tenants.readCommand(tenantId), this.#snapshots.versionCommand(environment)];
    const replies = await this.#store.together([
      ...own,
      ...ride({ environment, tenantId, metadata: this.#snapshots.peek(environment) }),
    ]);
    const caller = await claim.confirm(replies);
    const roles = Object.hasOwn(caller.memberships, tenantId) ? caller.memberships[tenantId] : undefined;
    if (!roles) throw new ApplicationError('TENANT_FORBIDDEN');
    const tenant = await this.#tenants.resolve(tenantId, replies[own.length - 2]);
    if (!tenant?.active) throw new ApplicationError('TENANT_FORBIDDEN', { data: { reason: 'SUSPENDED' } });
    const metadata = await this.#snapshots.at(environment, replies[own.length - 1] as string | null);
    const { userId, userPid, username, keyMadeBy } = caller;
    const permissions = metadata.permissionsOf(roles);
    const actor = { userId, userPid, username, tenantId, roles, permissions, metadata, keyMadeBy };
    return { actor, ride: replies.slice(own.length) };
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

  #environmentOf(headers: IncomingHttpHeaders): string {
    const named = headerOf(headers, 'x-environment');
    if (named === undefined) return this.#defaultEnvironment;
    if (!ENVIRONMENTS.has(named)) throw validationError({ 'X-Environment': 'must be one of dev, staging, prod' });
    return named;
  }
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
