import { LockMode } from '@mikro-orm/core';
import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { SERVICE_ACCOUNT_MANAGE } from '../../metadata/permissions/permission-codes.ts';
import { roleOfScope } from '../../metadata/permissions/permissions.ts';
import type { RedisStore } from '../../../foundation/redis/redis-store.ts';
import type { Caller, Claim } from '../caller.ts';
import type { Profile, Profiles } from '../accounts/profile.ts';
import { RowCache } from '../accounts/row-cache.ts';
import { hashOfSecret, newSecret } from '../secret.ts';
import { ApiKeyEntity, ServiceAccountEntity } from './service-account.entity.ts';
import { KEY_LOOKUPS_AT_ONCE, KEY_USE_INTERVAL_MS, UNKNOWN_KEY_MS } from '../auth.limits.ts';

/** What a request must know about its key. */
interface KeyRecord {
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | null;
  readonly scopes: readonly string[];
  readonly createdBy: string;
  readonly ownedBy: string;
  readonly account: { readonly id: string; readonly pid: string; readonly name: string };
}

/**
 * `kls_<tenant id>x<random>_<secret>`: the tenant stands in it, because a request must know it before it
 * knows the key.
 */
const API_KEY = /^Bearer kls_((\d{1,19})x[0-9a-f]{12})_([0-9a-f]{64})$/i;

/** The part of a key that people know it by. */
export function shownPrefix(prefix: string): string {
  return `kls_${prefix}`;
}

/** Of the copies of keys in the shared store. */
export const KIND_OF_COPY = 'api-key';

/** A new key for a tenant's service account. The whole key is known now and never again. */
export function newApiKey(tenantId: string): { prefix: string; key: string; hash: string } {
  const secret = newSecret();
  const prefix = `${tenantId}x${newSecret().slice(0, 12)}`;
  return { prefix, key: `${shownPrefix(prefix)}_${secret}`, hash: hashOfSecret(secret) };
}

/** What it takes to make a key with these scopes. */
export function codesToGrant(scopes: readonly string[]): string[] {
  return [SERVICE_ACCOUNT_MANAGE, ...scopes];
}

/** Checks API keys; a revoked one is dead on all nodes at once. */
export class ApiKeys {
  readonly #orm: PlatformOrm;
  readonly #logger: Logger;
  readonly #records: RowCache<KeyRecord>;
  readonly #profiles: Profiles;
  readonly #store: RedisStore;
  /** Whose profile a request with a key is likely to need, so that it comes in the same round trip. */
  readonly #owners = new LRUCache<string, string>({ max: 5_000 });
  /** Prefixes that no key has. A new key never gets one of them: they are random. */
  readonly #unknown = new LRUCache<string, true>({ max: 10_000, ttl: UNKNOWN_KEY_MS });
  /** Keys that this node has confirmed, by prefix and hash. */
  readonly #confirmed = new LRUCache<string, true>({ max: 5_000 });
  /** Keys whose use this node has written down not long ago. */
  readonly #used = new LRUCache<string, true>({ max: 5_000, ttl: KEY_USE_INTERVAL_MS });

  constructor(orm: PlatformOrm, store: RedisStore, profiles: Profiles, logger: Logger, waitMs: number) {
    this.#orm = orm;
    this.#store = store;
    this.#profiles = profiles;
    this.#logger = logger;
    const read = async (em: PlatformEntityManager, prefix: string): Promise<KeyRecord | null> => {
      const key = await em.findOne(ApiKeyEntity, { prefix }, { lockMode: LockMode.PESSIMISTIC_READ });
      if (!key) return null;
      const { hash, scopes, createdBy, ownedBy } = key;
      const { id, pid, name } = await em.findOneOrFail(ServiceAccountEntity, { id: key.serviceAccount.id });
      const expiresAt = key.expiresAt?.getTime() ?? null;
      return { hash, scopes, createdBy, ownedBy, expiresAt, account: { id, pid, name } };
    };
    this.#records = new RowCache(orm, store, KIND_OF_COPY, read, waitMs, KEY_LOOKUPS_AT_ONCE);
  }

  /**
   * The claim of an API key; null for a header that is none. @throws UNAUTHORIZED for a key known not to
   * exist
   */
  claim(authorization: string | undefined): Claim | null {
    const [, prefix, tenantId, secret] = API_KEY.exec(authorization ?? '') ?? [];
    if (!prefix || !tenantId || !secret) return null;
    if (this.#unknown.has(prefix)) throw new ApplicationError('UNAUTHORIZED');
    // By the secret as well: a caller who knows only the prefix uses up nothing of its owner's.
    const rateLimitKey = `${prefix}:${hashOfSecret(secret).slice(0, 16)}`;
    const likelyOwner = this.#owners.get(prefix);
    const readOwner = likelyOwner === undefined ? [] : [this.#profiles.readCommand(likelyOwner)];
    return {
      tenantId,
      rateLimitKey,
      isFamiliar: this.#confirmed.has(rateLimitKey),
      sessionKey: '',
      commands: [this.#records.readCommand(prefix), ...readOwner],
      confirm: async ([reply, ownerReply]): Promise<Caller> => {
        const record = await this.#records.resolve(prefix, reply);
        if (!record) this.#unknown.set(prefix, true);
        const given = Buffer.from(hashOfSecret(secret));
        if (!record || !timingSafeEqual(given, Buffer.from(record.hash))) throw new ApplicationError('UNAUTHORIZED');
        if (record.expiresAt !== null && record.expiresAt <= Date.now()) throw new ApplicationError('UNAUTHORIZED');
        this.#confirmed.set(rateLimitKey, true);
        this.#noteUse(prefix);
        const { id: userId, pid: userPid, name: username } = record.account;
        const { scopes, createdBy: keyMadeBy, ownedBy } = record;
        const owner = await this.#profileOf(ownedBy, ownedBy === likelyOwner ? ownerReply : undefined);
        this.#owners.set(prefix, ownedBy);
        const ownerRoles = (owner?.active && owner.memberships[tenantId]) || null;
        const key = { madeBy: keyMadeBy, ownedBy, codes: codesToGrant(scopes), ownerRoles };
        const memberships = { [tenantId]: scopes.map(roleOfScope) };
        return { userId, userPid, username, memberships, sessionPid: null, key };
      },
    };
  }

  /** Call it in the transaction that removes keys, with their rows locked. @throws SERVICE_UNAVAILABLE */
  async forget(prefixes: readonly string[]): Promise<void> {
    await this.#records.remove(...prefixes);
  }

  async #profileOf(pid: string, known: unknown): Promise<Profile | null> {
    const reply = known ?? (await this.#store.pipeline([this.#profiles.readCommand(pid)]))[0];
    return this.#profiles.resolve(pid, reply);
  }

  /** At most once a minute over all nodes, and never in a request's way. */
  #noteUse(prefix: string): void {
    if (this.#used.has(prefix)) return;
    this.#used.set(prefix, true);
    const now = new Date();
    const before = new Date(now.getTime() - KEY_USE_INTERVAL_MS);
    const stale = { prefix, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lt: before } }] };
    this.#orm.em
      .fork()
      .nativeUpdate(ApiKeyEntity, stale, { lastUsedAt: now })
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'the use of an API key could not be written down'));
  }
}

/** Whether a service account has a key, neither revoked nor expired, that this user answers for. */
export async function isKeyLive(orm: PlatformOrm, accountPid: string, ownedBy: string): Promise<boolean> {
  const notExpired = { $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date() } }] };
  const keys = await orm.em.fork().count(ApiKeyEntity, { serviceAccount: { pid: accountPid }, ownedBy, ...notExpired });
  return keys > 0;
}
