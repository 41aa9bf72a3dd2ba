import { problemOfEmail } from '../../platform/auth/accounts/email.ts';
import { problemOfPassword, NEW_PASSWORD } from '../../platform/auth/passwords/password-rules.ts';
import { nameUpTo, textOf } from '../../foundation/validation/formats.ts';
import {
  BOOLEAN,
  described,
  list,
  nullable,
  object,
  oneOf,
  partial,
  withMessage,
  text,
  type Static,
} from '../../foundation/validation/schema.ts';
import { MAX_MEMBERSHIPS, MAX_NAME_LENGTH, MAX_ROLES_PER_MEMBERSHIP } from './administration.limits.ts';
import type { FieldErrors } from '../../foundation/errors/application-error.ts';

export const USER_STATUSES = ['active', 'disabled'] as const;

export const NAME = nameUpTo(MAX_NAME_LENGTH);
export const TENANT_ID = text({ pattern: '^\\d{1,18}$' });
const ROLES = list(text({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' }), { maxItems: MAX_ROLES_PER_MEMBERSHIP });
const MEMBERSHIP = object({ tenantId: TENANT_ID, roles: ROLES });
export const NEW_USER_BODY = object(
  {
    email: textOf('e-mail', problemOfEmail),
    username: NAME,
    memberships: withMessage(
      'must be an array of one or more {tenantId, roles}',
      list(MEMBERSHIP, { minItems: 1, maxItems: MAX_MEMBERSHIPS }),
    ),
  },
  { password: nullable(NEW_PASSWORD) },
);
export const USER_CHANGES_BODY = partial({
  username: NAME,
  status: oneOf(USER_STATUSES),
  memberships: withMessage('must be an array of {tenantId, roles}', list(MEMBERSHIP, { maxItems: MAX_MEMBERSHIPS })),
  adopt: described('Adopt what the user leaves behind in your tenant', BOOLEAN),
});

export type NewUser = Static<typeof NEW_USER_BODY>;
/** The roles of a user in one tenant. */
export type TenantRoles = Static<typeof MEMBERSHIP>;
/** A key that is absent leaves its value as it is. */
export type UserChanges = Static<typeof USER_CHANGES_BODY>;

export function checkNewUser({ email, password, memberships }: Partial<NewUser>, errors: FieldErrors): void {
  const problem = typeof password === 'string' ? problemOfPassword(password, email ?? '') : null;
  if (problem !== null) errors.password = problem;
  checkTenantsOnce({ memberships }, errors);
}

export function checkTenantsOnce(
  { memberships = [] }: { memberships?: TenantRoles[] | undefined },
  errors: FieldErrors,
) {
  const tenants = new Set(memberships.map(({ tenantId }) => tenantId));
  if (tenants.size < memberships.length) errors.memberships = 'must name each tenant once';
}
