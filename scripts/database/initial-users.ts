import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { requireNoProblems } from '../../cli/app/application-files.ts';
import { problemAt, readSource, syntaxProblems } from '../../cli/app/source-file.ts';
import { newAjv } from '../../src/foundation/validation/json-schema.ts';

/** A channel of instant messages: whose it is, its secret, and with which roles the assistant reads. */
export interface Channel {
  readonly channel: string;
  readonly tenant: string;
  readonly user: string;
  readonly secret: string;
  readonly roles: string[];
  readonly replyUrl: string | null;
}

/** `data/users.yaml`: who can log in to an application that has just been loaded. */
export interface InitialUsers {
  /** As people are told it. */
  readonly file: string;
  /** Of all of them. */
  readonly password: string;
  readonly tenants: readonly { readonly id?: string; readonly name: string }[];
  readonly users: readonly {
    readonly email: string;
    readonly username: string;
    readonly defaultTenant: string;
    readonly memberships: readonly { readonly tenant: string; readonly roles: string[] }[];
  }[];
  readonly channels: readonly Channel[];
}

export interface TenantWithId {
  readonly id: string;
  readonly name: string;
  /** What users name it by: its id in the file, or its name. */
  readonly key: string;
}

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: text };
const object = (properties: object, required: readonly string[]): object => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const list = (items: object): object => ({ type: 'array', items });
const MEMBERSHIP = object({ tenant: text, roles: texts }, ['tenant', 'roles']);
const SCHEMA = object(
  {
    password: { type: 'string', minLength: 12 },
    tenants: list(object({ id: text, name: text }, ['name'])),
    users: list(
      object({ email: text, username: text, defaultTenant: text, memberships: list(MEMBERSHIP) }, [
        'email',
        'username',
        'defaultTenant',
        'memberships',
      ]),
    ),
    channels: list(
      object(
        {
          channel: text,
          tenant: text,
          user: text,
          secret: text,
          roles: texts,
          replyUrl: { type: ['string', 'null'] },
        },
        ['channel', 'tenant', 'user', 'secret', 'roles'],
      ),
    ),
  },
  ['password', 'tenants', 'users'],
);

/** @throws Failure with the places of its problems */
export async function readUsers(directory: string): Promise<InitialUsers> {
  const path = join(directory, 'data', 'users.yaml');
  if (!existsSync(path)) return { file: path, password: '', tenants: [], users: [], channels: [] };
  const source = await readSource(path);
  requireNoProblems(syntaxProblems(source));
  const value: unknown = source.document.toJS();
  const matches = newAjv().compile<Omit<InitialUsers, 'file'>>(SCHEMA);
  if (!matches(value)) {
    const problems = (matches.errors ?? []).map(({ instancePath, message, params }) => {
      const key = (params as { additionalProperty?: string }).additionalProperty;
      const place = [...instancePath.split('/').slice(1), ...(key === undefined ? [] : [key])].join('.');
      return problemAt(source, place, `${place || 'the file'} ${message ?? 'is not valid'}`);
    });
    requireNoProblems(problems);
    throw new Error('unreachable');
  }
  requireNoProblems(problemsOfNames(value).map(({ place, message }) => problemAt(source, place, message)));
  return { ...value, file: source.file, channels: value.channels ?? [] };
}

/**
 * Names of tenants and users that the file lacks, and those that it has twice. A number is an id in the
 * database.
 */
function problemsOfNames({
  tenants,
  users,
  channels = [],
}: Partial<InitialUsers> & Pick<InitialUsers, 'tenants' | 'users'>): { place: string; message: string }[] {
  const known = new Set(tenants.flatMap(({ id, name }) => [id ?? name]));
  const named = [
    ...users.flatMap(({ defaultTenant, memberships }, index) => [
      { place: `users.${index}.defaultTenant`, tenant: defaultTenant },
      ...memberships.map(({ tenant }, at) => ({ place: `users.${index}.memberships.${at}.tenant`, tenant })),
    ]),
    ...channels.map(({ tenant }, index) => ({ place: `channels.${index}.tenant`, tenant })),
  ];
  const emails = users.map(({ email }) => email.toLowerCase());
  return [
    ...named
      .filter(({ tenant }) => !known.has(tenant) && !/^\d{1,18}$/.test(tenant))
      .map(({ place, tenant }) => ({ place, message: `${place} ${tenant} is none of the tenants` })),
    ...emails.flatMap((email, index) =>
      emails.indexOf(email) < index ? [{ place: `users.${index}.email`, message: `${email} is there twice` }] : [],
    ),
    ...channels.flatMap(({ user }, index) =>
      emails.includes(user.toLowerCase())
        ? []
        : [{ place: `channels.${index}.user`, message: `channels.${index}.user ${user} is none of the users` }],
    ),
  ];
}
