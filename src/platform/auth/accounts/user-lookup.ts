import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { LOOKED_UP_USERS } from '../auth.limits.ts';
import { MembershipEntity } from './membership.entity.ts';

/** A member of a tenant. Names are not unique: the e-mail tells namesakes apart. */
interface FoundUser {
  readonly value: string;
  readonly label: string;
  readonly email: string;
}

/** The directory of a tenant's members. */
export class UserLookup {
  readonly #orm: PlatformOrm;

  constructor(orm: PlatformOrm) {
    this.#orm = orm;
  }

  async find(tenantId: string, keyword: string): Promise<FoundUser[]> {
    const contains = { $ilike: `%${keyword.replace(/[\\%_]/g, '\\$&')}%` };
    const named = keyword === '' ? {} : { $or: [{ username: contains }, { email: contains }] };
    const found = await this.#orm.em
      .fork()
      .find(
        MembershipEntity,
        { tenant: tenantId, user: { status: 'active', ...named } },
        { populate: ['user'], orderBy: { user: { username: 'asc', pid: 'asc' } }, limit: LOOKED_UP_USERS },
      );
    return found.map(({ user: { pid, username, email } }) => ({ value: pid, label: username, email }));
  }
}
