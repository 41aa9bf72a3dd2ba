import { LockMode } from '@mikro-orm/core';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { rolesOfMembers } from '../../../platform/auth/accounts/member.ts';
import type { FindOrphaned, Orphaned } from '../../../platform/auth/orphaned.ts';
import { suspensionOf } from '../../../platform/auth/accounts/vouching.ts';
import { codesToGrant } from '../../../platform/auth/api-keys/api-keys.ts';
import { ApiKeyEntity, type ApiKey } from '../../../platform/auth/api-keys/service-account.entity.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Authority } from '../authority.ts';
import type { ServiceAccountsService } from '../service-accounts/service-accounts.service.ts';

export interface LeavingParts {
  readonly accounts: ServiceAccountsService;
  /** Those of the other features. */
  readonly finders: readonly FindOrphaned[];
}

/**
 * What a user has left behind in these tenants by a change that the transaction has flushed.
 * @param adopts whether the actor adopts what is in their own tenant and what they may grant
 */
export async function orphanedBy(
  { accounts, finders }: LeavingParts,
  em: PlatformEntityManager,
  actor: Actor,
  authority: Authority,
  userPid: string,
  tenantIds: readonly string[],
  adopts: boolean,
): Promise<Orphaned[]> {
  const left: Orphaned[] = [];
  for (const tenantId of tenantIds) {
    const adopter = adopts && actor.tenantId === tenantId ? { actor, authority } : null;
    left.push(...(await orphanedKeys(accounts, em, actor, userPid, tenantId, adopter?.authority ?? null)));
    for (const find of finders) left.push(...(await find(em, userPid, tenantId, adopter?.actor ?? null)));
  }
  return left;
}

async function orphanedKeys(
  accounts: ServiceAccountsService,
  em: PlatformEntityManager,
  actor: Actor,
  ownedBy: string,
  tenantId: string,
  adopter: Authority | null,
): Promise<Orphaned[]> {
  const keys = await em.find(
    ApiKeyEntity,
    { ownedBy, serviceAccount: { tenant: tenantId } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { prefix: 'asc' }, populate: ['serviceAccount'] },
  );
  if (keys.length === 0) return [];
  const ownerRoles = (await rolesOfMembers(em, tenantId, [ownedBy])).get(ownedBy) ?? null;
  const suspended = keys.filter(({ scopes }) => suspensionOf(codesToGrant(scopes), ownerRoles, actor.metadata));
  const left: Orphaned[] = [];
  for (const [account, own] of Map.groupBy(suspended, ({ serviceAccount }) => serviceAccount)) {
    const adopted = adopter !== null && mayGrant(adopter, own);
    if (adopted) await accounts.adoptKeys(em, actor, account, own);
    const { pid, name } = account;
    left.push({ kind: 'service-account', pid, name, tenantId, environment: null, adopted });
  }
  return left;
}

function mayGrant(authority: Authority, keys: readonly ApiKey[]): boolean {
  return keys.every(({ scopes }) => codesToGrant(scopes).every((code) => authority.has(code)));
}
