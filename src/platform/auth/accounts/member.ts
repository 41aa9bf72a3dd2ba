import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import type { SqlRunner } from '../../../foundation/database/pool.ts';
import { problemOfStorable } from '../../../foundation/validation/formats.ts';
import { MembershipEntity } from './membership.entity.ts';

/** The pid of the active user of a tenant who has this pid or e-mail; null where there is none. */
export type FindMember = (tenantId: string, pidOrEmail: string) => Promise<string | null>;

export function memberFinder(orm: PlatformOrm): FindMember {
  return async (tenantId, pidOrEmail) => {
    if (problemOfStorable(pidOrEmail) !== null) return null;
    const isNamed = [{ pid: pidOrEmail }, { email: pidOrEmail.toLowerCase() }];
    const wanted = { tenant: tenantId, user: { status: 'active', $or: isNamed } } as const;
    const membership = await orm.em.fork().findOne(MembershipEntity, wanted, { populate: ['user'] });
    return membership?.user.pid ?? null;
  };
}

/** Which of these users are active members of a tenant, as the role of requests may read it. */
export async function activeMembersAmong(
  runner: SqlRunner,
  tenantId: string,
  pids: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await runner.query<{ pid: string }>(
    `select u.pid from platform."user" u join platform.membership m on m.user_id = u.id
     where u.pid = any($1) and u.status = 'active' and m.tenant_id = $2`,
    [pids, tenantId],
  );
  return new Set(found.map(({ pid }) => pid));
}

/** The roles of active users in a tenant, by the users' pids; who is no active member is missing. */
export async function rolesOfMembers(
  em: PlatformEntityManager,
  tenantId: string,
  pids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const wanted = { tenant: tenantId, user: { status: 'active', pid: { $in: [...new Set(pids)] } } } as const;
  const found = await em.find(MembershipEntity, wanted, { populate: ['user'] });
  return new Map(found.map(({ user, roles }) => [user.pid, roles]));
}

/** The users that a problem names; all are counted. */
const NAMED_USERS = 10;

/** Which users, of any tenant, have a role; null where none has. */
export async function problemOfAssignedRole(em: PlatformEntityManager, role: string): Promise<Message | null> {
  const users = await sqlRunnerOf(em).query<{ username: string; total: number }>(
    `select u.username, (count(*) over ())::int as total from platform."user" u
     where exists (select 1 from platform.membership m where m.user_id = u.id and $1 = any(m.roles))
     order by u.username limit ${NAMED_USERS}`,
    [role],
  );
  const [first] = users;
  if (!first) return null;
  const names = users.map(({ username }) => username).join(', ');
  return text('{count} users have the role {role}: {names}', { count: first.total, role, names });
}
