import { containing } from '../../foundation/database/containing.ts';
import { lockAdmins } from './authority.ts';
import { LockMode } from '@mikro-orm/core';
import { appendAudit } from '../../platform/audit/audit-log.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { TenantStates } from '../../platform/auth/accounts/profile.ts';
import { TenantEntity, type Tenant } from '../../platform/auth/accounts/tenant.entity.ts';
import { newPid } from '../../foundation/database/pid.ts';
import type { PlatformOrm } from '../../foundation/database/orm.ts';
import { conflict, notFound } from '../../foundation/errors/application-error.ts';
import type { Paging } from '../../foundation/http/paging.ts';
import { UTC } from '../../foundation/time/time-zones.ts';
import type { SnapshotCache } from '../../platform/metadata/snapshot/snapshot-cache.ts';
import { mapUniqueViolation } from './unique-violation.ts';

export interface TenantChanges {
  readonly name?: string;
  readonly timeZone?: string;
  readonly status?: 'active' | 'suspended';
}

export interface NewTenant {
  readonly name: string;
  readonly timeZone?: string;
}

/** Tenants. A suspended one keeps its data, and refuses all requests until it is active again. */
export class TenantsService {
  readonly #orm: PlatformOrm;
  readonly #states: TenantStates;
  readonly #snapshots: SnapshotCache;

  constructor(orm: PlatformOrm, states: TenantStates, snapshots: SnapshotCache) {
    this.#orm = orm;
    this.#snapshots = snapshots;
    this.#states = states;
  }

  async list(keyword: string, { pageNum, pageSize }: Paging): Promise<{ records: Tenant[]; total: number }> {
    const page = { limit: pageSize, offset: (pageNum - 1) * pageSize, orderBy: { id: 'asc' } } as const;
    const where = keyword === '' ? {} : { name: containing(keyword) };
    const [records, total] = await this.#orm.em.fork().findAndCount(TenantEntity, where, page);
    return { records, total };
  }

  /** @throws NOT_FOUND */
  async get(pid: string): Promise<Tenant> {
    return found(await this.#orm.em.fork().findOne(TenantEntity, { pid }));
  }

  /** @throws CONFLICT (UNIQUE) */
  async create(actor: Actor, { name, timeZone = UTC }: NewTenant): Promise<Tenant> {
    const { tenant, announce } = await this.#orm.em.fork().transactional(async (em) => {
      const tenant = em.create(TenantEntity, { pid: newPid(), name, timeZone });
      await mapUniqueViolation('name', () => em.flush());
      await appendAudit(em, { ...auditOf(actor, tenant), action: 'tenant.create', after: stateOf(tenant) });
      return { tenant, announce: timeZone === UTC ? null : await this.#snapshots.renewAll(em) };
    });
    await announce?.();
    return tenant;
  }

  /**
   * Takes effect on all nodes before it is answered. @throws NOT_FOUND, CONFLICT (UNIQUE, SELF, LAST_ADMIN)
   */
  async update(actor: Actor, pid: string, changes: TenantChanges): Promise<Tenant> {
    const { tenant, announce } = await this.#orm.em.fork().transactional(async (em) => {
      const requireAdmin = changes.status === 'suspended' ? await lockAdmins(em) : null;
      const tenant = found(await em.findOne(TenantEntity, { pid }, { lockMode: LockMode.PESSIMISTIC_WRITE }));
      if (changes.status === 'suspended' && tenant.id === actor.tenantId) {
        throw conflict('SELF', 'Nobody suspends the tenant they are working in');
      }
      const before = stateOf(tenant);
      tenant.name = changes.name ?? tenant.name;
      tenant.status = changes.status ?? tenant.status;
      const isMoved = changes.timeZone !== undefined && changes.timeZone !== tenant.timeZone;
      tenant.timeZone = changes.timeZone ?? tenant.timeZone;
      await mapUniqueViolation('name', () => em.flush());
      await requireAdmin?.();
      await this.#states.remove(tenant.id);
      await appendAudit(em, { ...auditOf(actor, tenant), action: 'tenant.update', before, after: stateOf(tenant) });
      // Snapshots hold the time zones of tenants.
      return { tenant, announce: isMoved ? await this.#snapshots.renewAll(em) : null };
    });
    await announce?.();
    return tenant;
  }
}

function found(tenant: Tenant | null): Tenant {
  if (!tenant) throw notFound('There is no such tenant');
  return tenant;
}

function stateOf({ id, name, status, timeZone }: Tenant) {
  return { tenantId: id, name, status, timeZone };
}

function auditOf({ userPid, username }: Actor, { pid }: Tenant) {
  return { actor: { userPid, username }, targetType: 'tenant', targetPid: pid, environment: null } as const;
}
