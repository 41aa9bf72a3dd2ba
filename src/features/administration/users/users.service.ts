import { containing } from '../../../foundation/database/containing.ts';
import { type Authority, lockAdmins } from '../authority.ts';
import { LockMode } from '@mikro-orm/core';
import { appendAudit } from '../../../platform/audit/audit-log.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { MembershipEntity, type Membership } from '../../../platform/auth/accounts/membership.entity.ts';
import { hashPassword } from '../../../platform/auth/accounts/password-hash.ts';
import { hashOfNobodysPassword, type PasswordService } from '../../../platform/auth/passwords/password.service.ts';
import type { ResetMails } from '../../../platform/auth/passwords/reset-mails.ts';
import type { Profiles } from '../../../platform/auth/accounts/profile.ts';
import type { SessionsService } from '../../../platform/auth/sessions/sessions.service.ts';
import { TenantEntity } from '../../../platform/auth/accounts/tenant.entity.ts';
import { UserEntity, type User } from '../../../platform/auth/accounts/user.entity.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { conflict, forbidden, notFound, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Paging } from '../../../foundation/http/paging.ts';
import type { Language } from '../../../foundation/i18n/languages.ts';
import { ADMIN_USERS } from '../../../platform/metadata/permissions/permission-codes.ts';
import type { Orphaned } from '../../../platform/auth/orphaned.ts';
import { orphanedBy, type LeavingParts } from './orphaned-by.ts';
import { isTaken, mapUniqueViolation } from '../unique-violation.ts';
import type { NewUser, TenantRoles, UserChanges } from '../user-requests.ts';
import { text } from '../../../foundation/i18n/text.ts';

/** Finds roles that do not exist. */
function checkRoles(authority: Authority, memberships: readonly TenantRoles[], errors: FieldErrors): void {
  const unknown = memberships.flatMap((membership) => membership.roles).filter((role) => !authority.knows(role));
  if (unknown.length > 0) errors.memberships ??= text('there is no role {code}', { code: unknown.join(', ') });
}

/** Finds tenants that do not exist. */
async function checkTenants(em: PlatformEntityManager, ids: readonly string[], errors: FieldErrors) {
  const found = ids.length === 0 ? [] : await em.find(TenantEntity, { id: { $in: [...ids] } });
  const missing = ids.filter((id) => !found.some((tenant) => tenant.id === id));
  if (missing.length > 0) errors.memberships ??= text('there is no tenant {id}', { id: missing.join(', ') });
}

/** @throws FORBIDDEN for roles that grant more than the actor has */
function requireGrantable(authority: Authority, memberships: readonly Pick<TenantRoles, 'roles'>[]): void {
  if (!memberships.every(({ roles }) => roles.every((role) => authority.mayGrant(role)))) throw forbidden(ADMIN_USERS);
}

/** A user with the memberships that the asker may see. */
export interface UserDetails {
  readonly user: User;
  readonly memberships: readonly Membership[];
}

interface UserFilter {
  readonly keyword?: string | undefined;
  readonly status?: 'active' | 'disabled' | undefined;
  readonly tenantId?: string | undefined;
}

/**
 * Users and their memberships. With `admin:users` an administrator sees and changes all of them; with
 * `user:manage` alone, the members of the own tenant and their roles in it. An administrator grants
 * no more than their own rights, and changes no user who has more. A change takes effect on all nodes before
 * it is answered.
 */
export class UsersService {
  readonly #orm: PlatformOrm;
  readonly #profiles: Profiles;
  readonly #sessions: SessionsService;
  readonly #passwords: PasswordService;
  readonly #resets: ResetMails;
  readonly #leaving: LeavingParts;

  constructor(
    orm: PlatformOrm,
    profiles: Profiles,
    sessions: SessionsService,
    passwords: PasswordService,
    resets: ResetMails,
    leaving: LeavingParts,
  ) {
    this.#orm = orm;
    this.#profiles = profiles;
    this.#sessions = sessions;
    this.#passwords = passwords;
    this.#resets = resets;
    this.#leaving = leaving;
  }

  async list(
    actor: Actor,
    authority: Authority,
    { keyword, status, tenantId }: UserFilter,
    { pageNum, pageSize }: Paging,
  ): Promise<{ records: UserDetails[]; total: number }> {
    const em = this.#orm.em.fork();
    const where = {
      ...(status && { status }),
      ...(keyword && { $or: [{ email: containing(keyword) }, { username: containing(keyword) }] }),
    };
    const page = { limit: pageSize, offset: (pageNum - 1) * pageSize };
    const tenant = onlyTenantOf(actor, authority) ?? tenantId;
    if (tenant === undefined) {
      const [users, total] = await em.findAndCount(UserEntity, where, { ...page, orderBy: { email: 'asc' } });
      return { records: await this.#withMemberships(em, users, null), total };
    }
    const [found, total] = await em.findAndCount(
      MembershipEntity,
      { tenant, user: where },
      { ...page, populate: ['user'], orderBy: { user: { email: 'asc' } } },
    );
    const users = found.map(({ user }) => user as User);
    return { records: await this.#withMemberships(em, users, onlyTenantOf(actor, authority)), total };
  }

  /** @throws NOT_FOUND */
  async get(actor: Actor, authority: Authority, pid: string): Promise<UserDetails> {
    const em = this.#orm.em.fork();
    return this.#find(em, actor, authority, pid);
  }

  /** Finds roles and tenants that do not exist. Tenants that the actor may not change are refused unread. */
  async check(
    actor: Actor,
    authority: Authority,
    memberships: readonly TenantRoles[],
    errors: FieldErrors,
  ): Promise<void> {
    checkRoles(authority, memberships, errors);
    const onlyTenant = onlyTenantOf(actor, authority);
    const ids = memberships.map(({ tenantId }) => tenantId).filter((id) => onlyTenant === null || id === onlyTenant);
    await checkTenants(this.#orm.em.fork(), ids, errors);
  }

  /**
   * Makes a user; one without a password gets an e-mail to choose it. Where the actor sees one tenant only, a
   * person who has an account elsewhere becomes a member with it: a refusal would tell that the address has
   * an account.
   * @throws CONFLICT (UNIQUE), FORBIDDEN
   */
  async create(actor: Actor, authority: Authority, given: NewUser, language: Language): Promise<UserDetails> {
    const { username, password = null, memberships } = given;
    const email = given.email.toLowerCase();
    const onlyTenant = onlyTenantOf(actor, authority);
    if (onlyTenant !== null && memberships.some(({ tenantId }) => tenantId !== onlyTenant))
      throw forbidden(ADMIN_USERS);
    requireGrantable(authority, memberships);
    const passwordHash = password === null ? await hashOfNobodysPassword() : await hashPassword(password);
    const { reset, details } = await this.#orm.em.fork().transactional(async (em) => {
      const joining = onlyTenant === null ? null : await this.#join(em, actor, onlyTenant, email, memberships);
      if (joining) return { reset: null, details: joining };
      const defaultTenant = em.getReference(TenantEntity, (memberships[0] as TenantRoles).tenantId);
      const user = em.create(UserEntity, { pid: newPid(), email, username, passwordHash, defaultTenant });
      this.#addMemberships(em, user, memberships);
      await mapUniqueViolation('email', () => em.flush());
      const made = password === null ? await this.#resets.prepare(em, user, language) : null;
      const now = await this.#details(em, user, onlyTenant);
      await appendAudit(em, { ...auditOf(actor, user), action: 'user.create', after: stateOf(now) });
      return { reset: made, details: now };
    });
    this.#resets.send(reset);
    return details;
  }

  /**
   * Makes the user with this e-mail a member; null where there is none. @throws CONFLICT (UNIQUE) for one who
   * is already
   */
  async #join(
    em: PlatformEntityManager,
    actor: Actor,
    onlyTenant: string,
    email: string,
    memberships: readonly TenantRoles[],
  ): Promise<UserDetails | null> {
    const user = await em.findOne(UserEntity, { email }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!user) return null;
    const before = await this.#details(em, user, onlyTenant);
    if (before.memberships.length > 0) throw isTaken('email');
    this.#addMemberships(em, user, memberships);
    await em.flush();
    await this.#profiles.remove(user.pid);
    const after = await this.#details(em, user, onlyTenant);
    const states = { before: stateOf(before), after: stateOf(after) };
    await appendAudit(em, { ...auditOf(actor, user), action: 'user.update', ...states });
    return after;
  }

  /**
   * @returns the user, with what stops working because the user may no longer grant it
   * @throws NOT_FOUND, FORBIDDEN, CONFLICT (SELF, LAST_ADMIN)
   */
  async update(
    actor: Actor,
    authority: Authority,
    pid: string,
    changes: UserChanges,
  ): Promise<UserDetails & { leftBehind: readonly Orphaned[] }> {
    const { username, status, memberships, adopt = false } = changes;
    const onlyTenant = onlyTenantOf(actor, authority);
    if (onlyTenant !== null && memberships?.some(({ tenantId }) => tenantId !== onlyTenant))
      throw forbidden(ADMIN_USERS);
    return this.#orm.em.fork().transactional(async (em) => {
      const requireAdmin = status === undefined && memberships === undefined ? null : await lockAdmins(em);
      const before = await this.#lock(em, actor, authority, pid);
      const { user } = before;
      if (user.pid === actor.userPid && (status !== undefined || memberships !== undefined)) {
        throw conflict('SELF', 'Nobody changes their own status or roles');
      }
      if (username !== undefined || status !== undefined) await this.#requireWhole(em, onlyTenant, user);
      const state = stateOf(before);
      user.username = username ?? user.username;
      user.status = status ?? user.status;
      if (memberships) await this.#replace(em, authority, before, memberships);
      await em.flush();
      await requireAdmin?.();
      if (status === 'disabled') await this.#sessions.endAllOf(em, user);
      await this.#profiles.remove(pid);
      const after = await this.#details(em, user, onlyTenant);
      await appendAudit(em, { ...auditOf(actor, user), action: 'user.update', before: state, after: stateOf(after) });
      const tenantIds = [...before.memberships, ...after.memberships].map(({ tenant }) => tenant.id);
      const tenants = [...new Set(tenantIds)];
      const leftBehind = await orphanedBy(this.#leaving, em, actor, authority, pid, tenants, adopt);
      return { ...after, leftBehind };
    });
  }

  /**
   * Takes the user's password and sessions away and sends an e-mail to choose a new one. @throws NOT_FOUND,
   * FORBIDDEN
   */
  async reset(actor: Actor, authority: Authority, pid: string, language: Language): Promise<void> {
    const passwordHash = await hashOfNobodysPassword();
    const prepared = await this.#orm.em.fork().transactional(async (em) => {
      const { user } = await this.#lock(em, actor, authority, pid);
      await this.#requireWhole(em, onlyTenantOf(actor, authority), user);
      const { userPid, username } = actor;
      return this.#passwords.forceReset(em, user, passwordHash, { userPid, username }, language);
    });
    this.#resets.send(prepared);
  }

  /** Locks a user whom the actor may change: one who may do no more than the actor. */
  async #lock(em: PlatformEntityManager, actor: Actor, authority: Authority, pid: string): Promise<UserDetails> {
    const details = await this.#find(em, actor, authority, pid, LockMode.PESSIMISTIC_WRITE);
    requireGrantable(authority, details.memberships);
    return details;
  }

  async #find(
    em: PlatformEntityManager,
    actor: Actor,
    authority: Authority,
    pid: string,
    lockMode: LockMode = LockMode.NONE,
  ): Promise<UserDetails> {
    const user = await em.findOne(UserEntity, { pid }, { lockMode });
    const onlyTenant = onlyTenantOf(actor, authority);
    const details = user && (await this.#details(em, user, onlyTenant));
    if (!details || (onlyTenant !== null && details.memberships.length === 0)) throw notFound('There is no such user');
    return details;
  }

  /** Name and status belong to all tenants of a user. @throws FORBIDDEN for an actor of one of several */
  async #requireWhole(em: PlatformEntityManager, onlyTenant: string | null, user: User): Promise<void> {
    if (onlyTenant === null) return;
    const elsewhere = await em.count(MembershipEntity, { user: user.id, tenant: { $ne: onlyTenant } });
    if (elsewhere > 0) throw forbidden(ADMIN_USERS);
  }

  async #replace(
    em: PlatformEntityManager,
    authority: Authority,
    { user, memberships: old }: UserDetails,
    wanted: readonly TenantRoles[],
  ): Promise<void> {
    requireGrantable(authority, wanted);
    for (const membership of old) {
      const kept = wanted.find(({ tenantId }) => tenantId === membership.tenant.id);
      if (kept) membership.roles = [...new Set(kept.roles)];
      else em.remove(membership);
    }
    const known = new Set(old.map(({ tenant }) => tenant.id));
    const added = wanted.filter(({ tenantId }) => !known.has(tenantId));
    this.#addMemberships(em, user, added);
  }

  #addMemberships(em: PlatformEntityManager, user: User, memberships: readonly TenantRoles[]): void {
    for (const { tenantId, roles } of memberships) {
      em.create(MembershipEntity, {
        user,
        tenant: em.getReference(TenantEntity, tenantId),
        roles: [...new Set(roles)],
      });
    }
  }

  async #details(em: PlatformEntityManager, user: User, onlyTenant: string | null): Promise<UserDetails> {
    const [details] = await this.#withMemberships(em, [user], onlyTenant);
    return details as UserDetails;
  }

  async #withMemberships(em: PlatformEntityManager, users: User[], onlyTenant: string | null): Promise<UserDetails[]> {
    const where = { user: { $in: users.map(({ id }) => id) }, ...(onlyTenant !== null && { tenant: onlyTenant }) };
    const all = await em.find(MembershipEntity, where, { populate: ['tenant'], orderBy: { tenant: 'asc' } });
    return users.map((user) => ({ user, memberships: all.filter((membership) => membership.user.id === user.id) }));
  }
}

/** The only tenant whose members the actor may see; null for all. */
function onlyTenantOf({ tenantId }: Actor, authority: Authority): string | null {
  return authority.has(ADMIN_USERS) ? null : tenantId;
}

function stateOf({ user: { email, username, status }, memberships }: UserDetails) {
  const roles = memberships.map(({ tenant, roles: own }) => ({ tenantId: tenant.id, roles: [...own] }));
  return { email, username, status, memberships: roles };
}

function auditOf({ userPid, username }: Actor, { pid }: User) {
  return { actor: { userPid, username }, targetType: 'user', targetPid: pid, environment: null } as const;
}
