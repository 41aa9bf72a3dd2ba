import { isStorable } from '../audit/reason.ts';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { NEW_PASSWORD, problemOfPassword } from '../auth/password-rules.ts';
import { list, nullable, object, oneOf, partial, text, textUpTo } from '../http/schema.ts';

/** A tenant and the roles somebody has there. */
export interface Place {
  readonly tenantId: string;
  readonly roles: readonly string[];
}

export interface NewUser {
  readonly email: string;
  readonly username: string;
  /** Null: the user chooses one by e-mail. */
  readonly password: string | null;
  readonly memberships: readonly Place[];
}

/** What is not named stays as it is. */
export interface UserChanges {
  readonly username?: string;
  readonly status?: 'active' | 'disabled';
  readonly memberships?: readonly Place[];
}

type Body = Readonly<Record<string, unknown>>;

const EMAIL = /^[^\s@"<>(),;:\\[\]]{1,64}@[^\s@"<>(),;:\\[\]]{1,255}$/;
const MAX_NAME = 200;
const MAX_PLACES = 100;
const MAX_ROLES = 50;
const ROLE = /^[A-Z][A-Z0-9_]{0,63}$/;
export const TENANT_ID = /^\d{1,18}$/;
export const USER_STATUSES = ['active', 'disabled'] as const;

export const NAME = textUpTo(MAX_NAME);
const ROLES = list(text({ pattern: ROLE.source }), { maxItems: MAX_ROLES });
const PLACE = object({ tenantId: text({ pattern: TENANT_ID.source }), roles: ROLES });
export const NEW_USER_BODY = object(
  {
    email: text({ pattern: EMAIL.source }),
    username: NAME,
    memberships: list(PLACE, { minItems: 1, maxItems: MAX_PLACES }),
  },
  { password: nullable(NEW_PASSWORD) },
);
export const USER_CHANGES_BODY = partial({
  username: NAME,
  status: oneOf(USER_STATUSES),
  memberships: list(PLACE, { maxItems: MAX_PLACES }),
});

/** @throws VALIDATION_ERROR */
export function parseNewUser(body: Body): NewUser {
  const errors: FieldErrors = {};
  const email = parseEmail(body.email, errors);
  const username = parseName('username', body.username, errors);
  const password = body.password ?? null;
  const problem = password === null ? null : problemOfPassword(password, email);
  if (problem !== null) errors.password = problem;
  const memberships = parsePlaces(body.memberships, errors);
  if (memberships.length === 0) errors.memberships ??= 'must name at least one tenant';
  refuseOthers(body, ['email', 'username', 'password', 'memberships'], errors);
  throwIfInvalid(errors);
  return { email, username, password: password as string | null, memberships };
}

/** @throws VALIDATION_ERROR */
export function parseUserChanges(body: Body): UserChanges {
  const errors: FieldErrors = {};
  const { username, status, memberships } = body;
  const changes = {
    ...(username !== undefined && { username: parseName('username', username, errors) }),
    ...(status !== undefined && { status: status as 'active' | 'disabled' }),
    ...(memberships !== undefined && { memberships: parsePlaces(memberships, errors) }),
  };
  if (status !== undefined && status !== 'active' && status !== 'disabled') {
    errors.status = 'must be one of active, disabled';
  }
  refuseOthers(body, ['username', 'status', 'memberships'], errors);
  throwIfInvalid(errors);
  return changes;
}

/** A name that people read. @param errors collects what is wrong, by field */
export function parseName(field: string, value: unknown, errors: FieldErrors): string {
  if (value === undefined || value === null || value === '') errors[field] = 'is required';
  else if (typeof value !== 'string' || value.trim() === '' || !isStorable(value)) errors[field] = 'must be a text';
  else if (value.length > MAX_NAME) errors[field] = `must not be longer than ${MAX_NAME} characters`;
  else return value;
  return '';
}

/** A misspelt key must not look as if it had been done. */
export function refuseOthers(body: Body, known: readonly string[], errors: FieldErrors): void {
  for (const key of Object.keys(body)) if (!known.includes(key)) errors[key] = 'is not known here';
}

function parseEmail(value: unknown, errors: FieldErrors): string {
  if (value === undefined || value === null || value === '') errors.email = 'is required';
  else if (typeof value !== 'string' || !EMAIL.test(value) || !isStorable(value)) errors.email = 'must be an e-mail';
  else return value.toLowerCase();
  return '';
}

function parsePlaces(value: unknown, errors: FieldErrors): Place[] {
  if (!Array.isArray(value) || value.length > MAX_PLACES || !value.every(isPlace)) {
    errors.memberships = 'must be an array of {tenantId, roles}';
    return [];
  }
  const places = value.map(({ tenantId, roles }) => ({ tenantId, roles: [...new Set(roles)] }));
  if (new Set(places.map(({ tenantId }) => tenantId)).size < places.length) {
    errors.memberships = 'must name each tenant once';
  }
  return places;
}

function isPlace(value: unknown): value is Place {
  const { tenantId, roles, ...others } = (value ?? {}) as Record<string, unknown>;
  if (typeof tenantId !== 'string' || !TENANT_ID.test(tenantId) || Object.keys(others).length > 0) return false;
  return Array.isArray(roles) && roles.length <= MAX_ROLES && roles.every((role) => ROLE.test(String(role)));
}
