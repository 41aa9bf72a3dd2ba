import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { requireNoProblems } from '../../cli/app/application-files.ts';
import { problemAt, readSource, syntaxProblems } from '../../cli/app/source-file.ts';

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
  if (!existsSync(path)) return { password: '', tenants: [], users: [], channels: [] };
  const source = await readSource(path);
  requireNoProblems(syntaxProblems(source));
  const value: unknown = source.document.toJS();
  const matches = new Ajv({ allErrors: true, allowUnionTypes: true }).compile<InitialUsers>(SCHEMA);
  if (!matches(value)) {
    const problems = (matches.errors ?? []).map(({ instancePath, message, params }) => {
      const key = (params as { additionalProperty?: string }).additionalProperty;
      const place = [...instancePath.split('/').slice(1), ...(key === undefined ? [] : [key])].join('.');
      return problemAt(source, place, `${place || 'the file'} ${message ?? 'is not valid'}`);
    });
    requireNoProblems(problems);
    throw new Error('unreachable');
  }
  return { ...value, channels: value.channels ?? [] };
}
