import { problemOfPassword, NEW_PASSWORD } from '../auth/password-rules.ts';
import { problemOfStorable, textOf, writtenUpTo } from '../http/formats.ts';
import type { Rules } from '../http/read-request.ts';
import { list, nullable, object, oneOf, partial, saying, text } from '../http/schema.ts';

/** A tenant and the roles somebody has there. */
export interface Place {
  readonly tenantId: string;
  readonly roles: readonly string[];
}

export interface NewUser {
  readonly email: string;
  readonly username: string;
  /** Null: the user chooses one by e-mail. */
  readonly password?: string | null;
  readonly memberships: readonly Place[];
}

/** What is not named stays as it is. */
export interface UserChanges {
  readonly username?: string;
  readonly status?: (typeof USER_STATUSES)[number];
  readonly memberships?: readonly Place[];
}

const EMAIL = /^[^\s@"<>(),;:\\[\]]{1,64}@[^\s@"<>(),;:\\[\]]{1,255}$/;
const MAX_NAME = 200;
const MAX_PLACES = 100;
const MAX_ROLES = 50;
export const USER_STATUSES = ['active', 'disabled'] as const;

export const NAME = writtenUpTo(MAX_NAME);
export const TENANT_ID = text({ pattern: '^\\d{1,18}$' });
const ROLES = list(text({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' }), { maxItems: MAX_ROLES });
const PLACE = object({ tenantId: TENANT_ID, roles: ROLES });
export const NEW_USER_BODY = object(
  {
    email: textOf('e-mail', problemOfEmail),
    username: NAME,
    memberships: saying(
      'must be an array of one or more {tenantId, roles}',
      list(PLACE, { minItems: 1, maxItems: MAX_PLACES }),
    ),
  },
  { password: nullable(NEW_PASSWORD) },
);
export const USER_CHANGES_BODY = partial({
  username: NAME,
  status: oneOf(USER_STATUSES),
  memberships: saying('must be an array of {tenantId, roles}', list(PLACE, { maxItems: MAX_PLACES })),
});

export const newUserRules: Rules<NewUser> = ({ email, password, memberships }, errors) => {
  const problem = typeof password === 'string' ? problemOfPassword(password, email ?? '') : null;
  if (problem !== null) errors.password = problem;
  eachTenantOnce({ ...(memberships && { memberships }) }, errors);
};

export const eachTenantOnce: Rules<UserChanges> = ({ memberships = [] }, errors) => {
  const tenants = new Set(memberships.map(({ tenantId }) => tenantId));
  if (tenants.size < memberships.length) errors.memberships = 'must name each tenant once';
};

function problemOfEmail(given: string): string | null {
  return EMAIL.test(given) && problemOfStorable(given) === null ? null : 'must be an e-mail';
}
