import { LockMode } from '@mikro-orm/core';
import { appendAudit } from '../../../platform/audit/audit-log.ts';
import { ownerOf, personOf, type Actor } from '../../../platform/auth/requests/actor.ts';
import { rolesOfMembers } from '../../../platform/auth/accounts/member.ts';
import { suspensionOf, type Suspension } from '../../../platform/auth/accounts/vouching.ts';
import { codesToGrant, newApiKey, type ApiKeys } from '../../../platform/auth/api-keys/api-keys.ts';
import {
  ApiKeyEntity,
  ServiceAccountEntity,
  type ApiKey,
  type ServiceAccount,
} from '../../../platform/auth/api-keys/service-account.entity.ts';
import { TenantEntity } from '../../../platform/auth/accounts/tenant.entity.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { notFound } from '../../../foundation/errors/application-error.ts';
import type { Paging } from '../../../foundation/http/paging.ts';
import type { Authority } from '../authority.ts';
import { mapUniqueViolation } from '../unique-violation.ts';

/** A key, and why it is suspended in the environment of the request. */
export interface KeyDetails {
  readonly apiKey: ApiKey;
  readonly suspended: Suspension | null;
}

export interface ServiceAccountDetails {
  readonly account: ServiceAccount;
  readonly keys: readonly KeyDetails[];
}

export interface NewKey {
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
}

/**
 * The service accounts of the actor's tenant, and their keys. A revoked key is dead on all nodes before that
 * is answered.
 */
export class ServiceAccountsService {
  readonly #orm: PlatformOrm;
  readonly #keys: ApiKeys;

  constructor(orm: PlatformOrm, keys: ApiKeys) {
    this.#orm = orm;
    this.#keys = keys;
  }

  async list(
    actor: Actor,
    { pageNum, pageSize }: Paging,
  ): Promise<{ records: ServiceAccountDetails[]; total: number }> {
    const em = this.#orm.em.fork();
    const page = { limit: pageSize, offset: (pageNum - 1) * pageSize, orderBy: { name: 'asc' } } as const;
    const [accounts, total] = await em.findAndCount(ServiceAccountEntity, { tenant: actor.tenantId }, page);
    return { records: await withKeys(em, actor, accounts), total };
  }

  /** @throws NOT_FOUND */
  async get(actor: Actor, pid: string): Promise<ServiceAccountDetails> {
    const em = this.#orm.em.fork();
    const [details] = await withKeys(em, actor, [await find(em, actor, pid)]);
    return details as ServiceAccountDetails;
  }

  /** @throws CONFLICT (UNIQUE) */
  async create(actor: Actor, name: string): Promise<ServiceAccountDetails> {
    return this.#orm.em.fork().transactional(async (em) => {
      const tenant = em.getReference(TenantEntity, actor.tenantId);
      const account = em.create(ServiceAccountEntity, { pid: newPid(), name, tenant, createdBy: actor.userPid });
      await mapUniqueViolation('name', () => em.flush());
      await appendAudit(em, { ...auditOf(actor, account), action: 'service-account.create', after: { name } });
      return { account, keys: [] };
    });
  }

  /**
   * Ends the account and all of its keys. @throws NOT_FOUND; FORBIDDEN where they grant more than the actor
   * has
   */
  async delete(actor: Actor, authority: Authority, pid: string): Promise<void> {
    await this.#orm.em.fork().transactional(async (em) => {
      const { account, keys } = await lock(em, actor, authority, pid);
      await this.#keys.forget(keys.map(({ prefix }) => prefix));
      await em.nativeDelete(ApiKeyEntity, { serviceAccount: account.id });
      await em.nativeDelete(ServiceAccountEntity, { id: account.id });
      const before = { name: account.name, keys: keys.map(({ prefix }) => prefix) };
      await appendAudit(em, { ...auditOf(actor, account), action: 'service-account.delete', before });
    });
  }

  /**
   * @returns the key with its secret, which is shown this once
   * @throws NOT_FOUND; FORBIDDEN for a scope, of this key or the account's others, that the actor does not
   *   have in
   *   every environment
   */
  async createKey(
    actor: Actor,
    authority: Authority,
    pid: string,
    { scopes, expiresAt }: NewKey,
  ): Promise<KeyDetails & { key: string }> {
    for (const scope of scopes) authority.require(scope);
    return this.#orm.em.fork().transactional(async (em) => {
      const { account } = await lock(em, actor, authority, pid);
      const { prefix, key, hash } = newApiKey(actor.tenantId);
      const createdBy = personOf(actor);
      const rest = {
        pid: newPid(),
        serviceAccount: account,
        scopes: [...scopes],
        createdBy,
        ownedBy: ownerOf(actor),
        expiresAt,
      };
      const apiKey = em.create(ApiKeyEntity, { prefix, hash, ...rest });
      await em.flush();
      const after = { prefix, scopes, expiresAt: expiresAt.toISOString() };
      await appendAudit(em, { ...auditOf(actor, account), action: 'service-account.key-create', after });
      return { apiKey, suspended: null, key };
    });
  }

  /**
   * Has the actor answer for all keys of an account, so that those whose owner is gone work again.
   * @throws NOT_FOUND; FORBIDDEN where they grant more than the actor has
   */
  async adopt(actor: Actor, authority: Authority, pid: string): Promise<ServiceAccountDetails> {
    return this.#orm.em.fork().transactional(async (em) => {
      const { account, keys } = await lock(em, actor, authority, pid);
      await this.adoptKeys(em, actor, account, keys);
      const [details] = await withKeys(em, actor, [account]);
      return details as ServiceAccountDetails;
    });
  }

  /** The same within a transaction that has locked the keys, which the actor may grant. */
  async adoptKeys(
    em: PlatformEntityManager,
    actor: Actor,
    account: ServiceAccount,
    keys: readonly ApiKey[],
  ): Promise<void> {
    const owner = ownerOf(actor);
    const owners = [...new Set(keys.map(({ ownedBy }) => ownedBy))].filter((pid) => pid !== owner);
    if (owners.length === 0) return;
    for (const key of keys) key.ownedBy = owner;
    await this.#keys.forget(keys.map(({ prefix }) => prefix));
    const states = { before: { owners }, after: { owner, keys: keys.map(({ prefix }) => prefix) } };
    await appendAudit(em, { ...auditOf(actor, account), action: 'service-account.adopt', ...states });
  }

  /** @throws NOT_FOUND; FORBIDDEN where the account's keys grant more than the actor has */
  async revokeKey(actor: Actor, authority: Authority, pid: string, keyPid: string): Promise<void> {
    await this.#orm.em.fork().transactional(async (em) => {
      const { account, keys } = await lock(em, actor, authority, pid);
      const key = keys.find((one) => one.pid === keyPid);
      if (!key) throw notFound('There is no such key');
      await this.#keys.forget([key.prefix]);
      await em.nativeDelete(ApiKeyEntity, { prefix: key.prefix });
      const before = { prefix: key.prefix, scopes: key.scopes };
      await appendAudit(em, { ...auditOf(actor, account), action: 'service-account.key-revoke', before });
    });
  }
}

async function find(
  em: PlatformEntityManager,
  { tenantId }: Actor,
  pid: string,
  lockMode: LockMode = LockMode.NONE,
): Promise<ServiceAccount> {
  const account = await em.findOne(ServiceAccountEntity, { pid, tenant: tenantId }, { lockMode });
  if (!account) throw notFound('There is no such service account');
  return account;
}

/** Locks an account with its keys. @throws NOT_FOUND; FORBIDDEN for who has less than the keys that work */
async function lock(
  em: PlatformEntityManager,
  actor: Actor,
  authority: Authority,
  pid: string,
): Promise<{ account: ServiceAccount; keys: readonly ApiKey[] }> {
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const account = await find(em, actor, pid, lockMode);
  const orderBy = { prefix: 'asc' } as const;
  const keys = await em.find(ApiKeyEntity, { serviceAccount: account.id }, { lockMode, orderBy });
  const now = new Date();
  const working = keys.filter(({ expiresAt }) => !expiresAt || expiresAt > now);
  for (const { scopes } of working) for (const scope of scopes) authority.require(scope);
  return { account, keys };
}

async function withKeys(
  em: PlatformEntityManager,
  { tenantId, metadata }: Actor,
  accounts: ServiceAccount[],
): Promise<ServiceAccountDetails[]> {
  const where = { serviceAccount: { $in: accounts.map(({ id }) => id) } };
  const keys = await em.find(ApiKeyEntity, where, { orderBy: { createdAt: 'asc', pid: 'asc' } });
  const owners = await rolesOfMembers(
    em,
    tenantId,
    keys.map(({ ownedBy }) => ownedBy),
  );
  const details = keys.map((apiKey) => {
    const ownerRoles = owners.get(apiKey.ownedBy) ?? null;
    return { apiKey, suspended: suspensionOf(codesToGrant(apiKey.scopes), ownerRoles, metadata) };
  });
  return accounts.map((account) => ({
    account,
    keys: details.filter(({ apiKey }) => apiKey.serviceAccount.id === account.id),
  }));
}

function auditOf({ userPid, username }: Actor, { pid }: ServiceAccount) {
  return { actor: { userPid, username }, targetType: 'service-account', targetPid: pid, environment: null } as const;
}
