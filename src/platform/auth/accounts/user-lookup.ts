import { containing } from '../../../foundation/database/containing.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { LOOKED_UP_USERS } from '../auth.limits.ts';
import { MembershipEntity } from './membership.entity.ts';

/** A member of a tenant. Names are not unique: the e-mail tells namesakes apart. */
interface FoundUser {
  readonly value: string;
  readonly label: string;
  readonly email: string;
}

/** Finds active members of a tenant by their names and e-mails. */
export async function findUsers(orm: PlatformOrm, tenantId: string, keyword: string): Promise<FoundUser[]> {
  const contains = containing(keyword);
  const named = keyword === '' ? {} : { $or: [{ username: contains }, { email: contains }] };
  const found = await orm.em
    .fork()
    .find(
      MembershipEntity,
      { tenant: tenantId, user: { status: 'active', ...named } },
      { populate: ['user'], orderBy: { user: { username: 'asc', pid: 'asc' } }, limit: LOOKED_UP_USERS },
    );
  return found.map(({ user: { pid, username, email } }) => ({ value: pid, label: username, email }));
}
