import type { IncomingHttpHeaders } from 'node:http';
import { ApplicationError, validationError } from '../errors/application-error.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import type { RedisCommand, SharedStore } from '../redis/redis.ts';
import type { Actor } from './actor.ts';
import type { SessionStore } from './session-store.ts';
import type { Tokens } from './token.ts';

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
  readonly #tokens: Tokens;
  readonly #sessions: SessionStore;
  readonly #store: SharedStore;
  readonly #snapshots: SnapshotCache;
  readonly #defaultEnvironment: string;

  constructor(
    tokens: Tokens,
    sessions: SessionStore,
    store: SharedStore,
    snapshots: SnapshotCache,
    defaultEnvironment: string,
  ) {
    this.#tokens = tokens;
    this.#sessions = sessions;
    this.#store = store;
    this.#snapshots = snapshots;
    this.#defaultEnvironment = defaultEnvironment;
  }

  /**
   * @param ride the reads of the route's own, for the same round trip
   * @throws UNAUTHORIZED, TENANT_FORBIDDEN, VALIDATION_ERROR (`X-Environment`), SERVICE_UNAVAILABLE
   */
  async admit(
    { headers }: { headers: IncomingHttpHeaders },
    ride: (claimed: Claimed) => RedisCommand[] = () => [],
  ): Promise<Admission> {
    const claims = this.#tokens.verify(headers.authorization);
    const environment = this.#environmentOf(headers);
    const tenantId = headerOf(headers, 'x-tenant-id') ?? claims.tenantId;
    const [session, version, ...replies] = await this.#store.together([
      this.#sessions.readCommand(claims.sessionId),
      this.#snapshots.versionCommand(environment),
      ...ride({ environment, tenantId, metadata: this.#snapshots.peek(environment) }),
    ]);
    const user = this.#sessions.parse(session);
    if (!user) throw new ApplicationError('UNAUTHORIZED');
    const roles = Object.hasOwn(user.memberships, tenantId) ? user.memberships[tenantId] : undefined;
    if (!roles) throw new ApplicationError('TENANT_FORBIDDEN');
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
  async readmit({ method, headers }: { method?: string; headers: IncomingHttpHeaders }): Promise<Actor> {
    const request = { method, headers };
    return (await this.admit(request)).actor;
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
