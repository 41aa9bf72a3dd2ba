import type { IncomingHttpHeaders } from 'node:http';
import { text } from '../../../foundation/i18n/text.ts';
import { ApplicationError, tenantSuspended, validationError } from '../../../foundation/errors/application-error.ts';
import type { SnapshotCache } from '../../metadata/snapshot/snapshot-cache.ts';
import type { RedisCommand, RedisStore } from '../../../foundation/redis/redis-store.ts';
import type { Actor } from './actor.ts';
import { suspensionOf } from '../accounts/vouching.ts';
import type { Snapshot } from '../../metadata/snapshot/snapshot.ts';
import type { Caller, CallerKey, Claim, Prefetch, UnverifiedClaims } from '../caller.ts';
import type { Bearer, Credentials } from './credentials.ts';
import type { TenantStates } from '../accounts/profile.ts';
import type { HeaderTarget, RateLimits, UserBudget } from './rate-limits.ts';
import { ENVIRONMENTS, isEnvironment } from '../../../foundation/config/environments.ts';

/** Of an HTTP request, what the gate looks at. */
export interface IncomingRequest extends Bearer {
  readonly method: string;
  readonly ip?: string | undefined;
  /** Where the limits' headers go. */
  readonly res?: HeaderTarget;
}

export interface Authentication {
  readonly actor: Actor;
  /** What the endpoint's prefetch has read. */
  readonly prefetched: unknown;
}

/**
 * The first step of every route that is not public: session, tenant, configuration and rate limit, in one
 * Redis round trip. An endpoint's `prefetch` adds its own reads to it. Spec: "Authentication", "Limits".
 */
export class Authenticator {
  readonly #credentials: Credentials;
  readonly #tenants: TenantStates;
  readonly #store: RedisStore;
  readonly #snapshots: SnapshotCache;
  readonly #limits: RateLimits;
  readonly #defaultEnvironment: string;

  constructor(
    credentials: Credentials,
    tenants: TenantStates,
    store: RedisStore,
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
   * @param prefetch what the endpoint reads from Redis in the same round trip
   * @param budget the rate limit that the request counts to; null: none
   * @throws UNAUTHORIZED, RATE_LIMITED, TENANT_FORBIDDEN, VALIDATION_ERROR (`X-Environment`),
   *   SERVICE_UNAVAILABLE
   */
  async authenticate(
    request: IncomingRequest,
    prefetch: (claims: UnverifiedClaims) => Prefetch<unknown> | null = () => null,
    budget: UserBudget | null = budgetOf(request.method),
  ): Promise<Authentication> {
    const { headers, res } = request;
    const claim = this.#claimOf(request);
    const environment = environmentOf(headers, this.#defaultEnvironment);
    const tenantId = headerOf(headers, 'x-tenant-id') ?? claim.tenantId;
    const counted = { tenantId: TENANT_ID.test(tenantId) ? tenantId : claim.tenantId, userPid: claim.rateLimitKey };
    const count = this.#limits.countCommands(budget, counted, claim.sessionKey);
    const own = [...claim.commands, this.#tenants.readCommand(tenantId), this.#snapshots.versionCommand(environment)];
    const prefetching = prefetch({ environment, tenantId, metadata: this.#snapshots.peek(environment) });
    const commands = [...own, ...(prefetching?.commands ?? []), ...count];
    const { caller, replies } = await this.#confirm(claim, commands, request);
    if (count.length > 0) this.#limits.enforce(budget, replies.at(-1), res);
    const roles = Object.hasOwn(caller.memberships, tenantId) ? caller.memberships[tenantId] : undefined;
    if (!roles) {
      const home = { tenantId: claim.tenantId, userPid: claim.rateLimitKey };
      if (counted.tenantId !== home.tenantId) await this.#limits.recount(budget, counted, home, res);
      throw new ApplicationError('TENANT_FORBIDDEN');
    }
    const tenant = await this.#tenants.resolve(tenantId, replies[own.length - 2]);
    if (!tenant?.active) throw tenantSuspended();
    const metadata = await this.#snapshots.at(environment, replies[own.length - 1] as string | null);
    const { userId, userPid, username, key } = caller;
    if (key) refuseSuspended(key, metadata);
    const permissions = metadata.permissionsOf(roles);
    const behindKey = { keyMadeBy: key?.madeBy, keyOwnedBy: key?.ownedBy };
    const timeZone = metadata.timeZoneOf(tenantId);
    const actor = { userId, userPid, username, tenantId, timeZone, roles, permissions, metadata, ...behindKey };
    return { actor, prefetched: prefetching?.read(replies.slice(own.length)) ?? null };
  }

  /**
   * Loads the newest configuration for a request that began with an older one. @throws SERVICE_UNAVAILABLE
   */
  async renewMetadata({ headers }: Pick<IncomingRequest, 'headers'>): Promise<void> {
    await this.#snapshots.refresh(environmentOf(headers, this.#defaultEnvironment));
  }

  /**
   * Who makes a request that is about the caller's own account, and so about no tenant.
   * @throws UNAUTHORIZED, also for an API key: a program has no account of its own; SERVICE_UNAVAILABLE
   */
  async identify(
    request: Bearer & { readonly ip?: string | undefined },
  ): Promise<Caller & { readonly sessionPid: string }> {
    const claim = this.#claimOf(request);
    const { caller } = await this.#confirm(claim, claim.commands, request);
    const { sessionPid } = caller;
    if (sessionPid === null) throw new ApplicationError('UNAUTHORIZED', { message: 'An API key has no session' });
    return { ...caller, sessionPid };
  }

  /** @throws UNAUTHORIZED */
  #claimOf(request: Bearer): Claim {
    try {
      return this.#credentials.claim(request);
    } catch (error) {
      throw isUnauthorized(error) && request.headers.authorization !== undefined ? notValid(error) : error;
    }
  }

  /**
   * @param commands those of the claim, then others, which travel with them
   * @throws UNAUTHORIZED, counted to the address; RATE_LIMITED for an address with many refused credentials,
   *   unless this node knows these
   */
  async #confirm(
    claim: Claim,
    commands: readonly RedisCommand[],
    request: Pick<IncomingRequest, 'ip'>,
  ): Promise<{ caller: Caller; replies: readonly unknown[] }> {
    // Express works the address out each time it is asked for.
    const takeBack = claim.isFamiliar ? null : this.#limits.admitUnknownCredentials(request.ip);
    try {
      const replies = await this.#store.pipeline(commands);
      const caller = await claim.confirm(replies);
      takeBack?.();
      return { caller, replies };
    } catch (error) {
      if (!isUnauthorized(error)) takeBack?.();
      else if (!takeBack) this.#limits.countRefusal(request.ip);
      throw isUnauthorized(error) ? notValid(error) : error;
    }
  }

  /**
   * Authenticates an open stream again: its session may have ended, its roles may have changed. It counts to
   * no rate limit.
   * @throws as `authenticate`
   */
  async reauthenticate({ headers, rawHeaders }: Bearer): Promise<Actor> {
    return (await this.authenticate({ method: 'GET', headers, rawHeaders }, undefined, null)).actor;
  }
}

function isUnauthorized(error: unknown): error is ApplicationError {
  return error instanceof ApplicationError && error.code === 'UNAUTHORIZED';
}

/** The same words for every reason, which is for the log alone. */
function notValid(cause: ApplicationError): ApplicationError {
  return new ApplicationError('UNAUTHORIZED', { message: 'The token or API key is not valid, or has expired', cause });
}

/** @throws UNAUTHORIZED for a key whose owner may not grant it in the environment of the request */
function refuseSuspended({ codes, ownerRoles }: CallerKey, metadata: Snapshot): void {
  const suspension = suspensionOf(codes, ownerRoles, metadata);
  if (suspension === null) return;
  const message =
    suspension === 'OWNER_INACTIVE'
      ? 'The API key is suspended: its owner is no active user of this tenant'
      : 'The API key is suspended: its owner may no longer grant its scopes';
  throw new ApplicationError('UNAUTHORIZED', { message });
}

/** The form of a tenant's id: any other value gets no counter. */
const TENANT_ID = /^\d{1,19}$/;

/** Routes that the spec does not name count by what they do. */
function budgetOf(method: string): UserBudget {
  return method === 'GET' || method === 'HEAD' ? 'reads' : 'changes';
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The environment that a request names, or the default. @throws VALIDATION_ERROR (`X-Environment`) */
export function environmentOf(headers: IncomingHttpHeaders, fallback: string): string {
  const named = headerOf(headers, 'x-environment') ?? fallback;
  if (!isEnvironment(named)) {
    throw validationError({ 'X-Environment': text('must be one of {values}', { values: ENVIRONMENTS.join(', ') }) });
  }
  return named;
}
