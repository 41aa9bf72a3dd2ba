import { LockMode } from '@mikro-orm/core';
import { appendAudit } from '../../platform/audit/audit-log.ts';
import { personOf, type Actor } from '../../platform/auth/requests/actor.ts';
import { newApiKey, type ApiKeys } from '../../platform/auth/api-keys/api-keys.ts';
import {
  ApiKeyEntity,
  ServiceAccountEntity,
  type ApiKey,
  type ServiceAccount,
} from '../../platform/auth/api-keys/service-account.entity.ts';
import { TenantEntity } from '../../platform/auth/accounts/tenant.entity.ts';
import { newPid } from '../../foundation/database/pid.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../foundation/database/orm.ts';
import { notFound } from '../../foundation/errors/application-error.ts';
import type { Paging } from '../../foundation/http/paging.ts';
import type { Authority } from './authority.ts';
import { mapUniqueViolation } from './unique-violation.ts';

export interface ServiceAccountDetails {
  readonly account: ServiceAccount;
  readonly keys: readonly ApiKey[];
}

export interface NewKey {
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
}

/** The service accounts of the actor's tenant, and their keys. A revoked key is dead on all nodes before that is answered. */
export class ServiceAccountsService {
  readonly #orm: PlatformOrm;
  readonly #keys: ApiKeys;

  constructor(orm: PlatformOrm, keys: ApiKeys) {
    this.#orm = orm;
    this.#keys = keys;
  }

  async list(
    { tenantId }: Actor,
    { pageNum, pageSize }: Paging,
  ): Promise<{ records: ServiceAccountDetails[]; total: number }> {
    const em = this.#orm.em.fork();
    const page = { limit: pageSize, offset: (pageNum - 1) * pageSize, orderBy: { name: 'asc' } } as const;
    const [accounts, total] = await em.findAndCount(ServiceAccountEntity, { tenant: tenantId }, page);
    return { records: await withKeys(em, accounts), total };
  }

  /** @throws NOT_FOUND */
  async get(actor: Actor, pid: string): Promise<ServiceAccountDetails> {
    const em = this.#orm.em.fork();
    const [details] = await withKeys(em, [await find(em, actor, pid)]);
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

  /** Ends the account and all of its keys. @throws NOT_FOUND */
  async delete(actor: Actor, pid: string): Promise<void> {
    await this.#orm.em.fork().transactional(async (em) => {
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      const account = await find(em, actor, pid, lockMode);
      const keys = await em.find(
        ApiKeyEntity,
        { serviceAccount: account.id },
        { lockMode, orderBy: { prefix: 'asc' } },
      );
      await this.#keys.forget(keys.map(({ prefix }) => prefix));
      await em.nativeDelete(ApiKeyEntity, { serviceAccount: account.id });
      await em.nativeDelete(ServiceAccountEntity, { id: account.id });
      const before = { name: account.name, keys: keys.map(({ prefix }) => prefix) };
      await appendAudit(em, { ...auditOf(actor, account), action: 'service-account.delete', before });
    });
  }

  /**
   * @returns the key with its secret, which nobody sees again
   * @throws NOT_FOUND; FORBIDDEN for a scope that the actor does not have in every environment
   */
  async createKey(
    actor: Actor,
    authority: Authority,
    pid: string,
    { scopes, expiresAt }: NewKey,
  ): Promise<{ apiKey: ApiKey; key: string }> {
    for (const scope of scopes) authority.require(scope);
    return this.#orm.em.fork().transactional(async (em) => {
      const account = await find(em, actor, pid, LockMode.PESSIMISTIC_READ);
      const { prefix, key, hash } = newApiKey(actor.tenantId);
      const createdBy = personOf(actor);
      const rest = { pid: newPid(), serviceAccount: account, scopes: [...scopes], createdBy, expiresAt };
      const apiKey = em.create(ApiKeyEntity, { prefix, hash, ...rest });
      await em.flush();
      const after = { prefix, scopes, expiresAt: expiresAt.toISOString() };
      await appendAudit(em, { ...auditOf(actor, account), action: 'service-account.key-create', after });
      return { apiKey, key };
    });
  }

  /** @throws NOT_FOUND */
  async revokeKey(actor: Actor, pid: string, keyPid: string): Promise<void> {
    await this.#orm.em.fork().transactional(async (em) => {
      const account = await find(em, actor, pid);
      const where = { pid: keyPid, serviceAccount: account.id };
      const key = await em.findOne(ApiKeyEntity, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
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

async function withKeys(em: PlatformEntityManager, accounts: ServiceAccount[]): Promise<ServiceAccountDetails[]> {
  const where = { serviceAccount: { $in: accounts.map(({ id }) => id) } };
  const keys = await em.find(ApiKeyEntity, where, { orderBy: { createdAt: 'asc', pid: 'asc' } });
  return accounts.map((account) => ({ account, keys: keys.filter((key) => key.serviceAccount.id === account.id) }));
}

function auditOf({ userPid, username }: Actor, { pid }: ServiceAccount) {
  return { actor: { userPid, username }, targetType: 'service-account', targetPid: pid, environment: null } as const;
}
