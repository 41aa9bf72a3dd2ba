import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isTimeZone } from '../../src/foundation/time/time-zones.ts';
import { MESSAGE, type Schema } from '../../src/foundation/validation/schema.ts';
import { withSuggestion } from '../../src/foundation/validation/similar.ts';
import { validate } from '../../src/foundation/validation/validate.ts';
import { quoted } from '../../src/foundation/i18n/text.ts';
import { problemOfEmail } from '../../src/platform/auth/accounts/email.ts';
import { problemOfPassword } from '../../src/platform/auth/passwords/password-rules.ts';
import { PERMISSION } from '../../src/platform/metadata/permissions/permission-type.ts';
import { BUILT_IN_ROLES } from '../../src/platform/metadata/permissions/permissions.ts';
import type { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import { problemAt, readSource, syntaxProblems, type Problem } from './source-file.ts';

/** A channel of instant messages: whose it is, its secret, and with which roles the assistant reads. */
export interface Channel {
  readonly channel: string;
  readonly tenant: string;
  readonly user: string;
  readonly secret: string;
  readonly roles: string[];
  readonly replyUrl: string | null;
}

export interface InitialTenant {
  readonly id?: string;
  readonly name: string;
  /** In which its days begin; UTC by default. */
  readonly timeZone?: string;
}

/** `data/users.yaml`: who can log in to an application that has just been loaded. */
export interface InitialUsers {
  /** As people are told it. */
  readonly file: string;
  /** Of all of them. */
  readonly password: string;
  readonly tenants: readonly InitialTenant[];
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
  readonly timeZone: string;
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
const MEMBERSHIPS = {
  ...list(object({ tenant: text, roles: texts }, ['tenant', 'roles'])),
  [MESSAGE]: quoted('must be a list such as [{ tenant: my-app, roles: [AGENT] }]'),
};
const SCHEMA = object(
  {
    password: text,
    tenants: list(object({ id: text, name: text, timeZone: text }, ['name'])),
    users: list(
      object({ email: text, username: text, defaultTenant: text, memberships: MEMBERSHIPS }, [
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

/** What `data/users.yaml` holds, and what is wrong with it. Without the file there are no users. */
export async function readUsers(
  directory: string,
  metadata: Snapshot,
): Promise<{ readonly users: InitialUsers; readonly problems: readonly Problem[] }> {
  const path = join(directory, 'data', 'users.yaml');
  const none = { file: path, password: '', tenants: [], users: [], channels: [] };
  if (!existsSync(path)) return { users: none, problems: [] };
  const source = await readSource(path);
  const wrong = syntaxProblems(source);
  if (wrong.length > 0) return { users: none, problems: wrong };
  const value: unknown = source.document.toJS();
  const misfits = Object.entries(validate(SCHEMA as Schema, value));
  if (misfits.length > 0) {
    const problems = misfits.map(([place, problem]) => problemAt(source, place, `${place} ${String(problem)}`));
    return { users: { ...none, ...namesIn(value) }, problems };
  }
  const given = value as GivenUsers;
  const found = [
    ...problemsOfZones(given),
    ...problemsOfPeople(given),
    ...problemsOfNames(given),
    ...problemsOfRoles(given, metadata),
  ];
  const problems = found.map(({ place, problem }) => problemAt(source, place, `${place} ${problem}`));
  return { users: { ...given, file: source.file, channels: given.channels ?? [] }, problems };
}

/** Whom a file with mistakes names: what records say of them is no further mistake. */
function namesIn(value: unknown): Pick<InitialUsers, 'tenants' | 'users'> {
  const { tenants, users } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const having = (key: string, all: unknown): never[] =>
    (Array.isArray(all) ? (all as unknown[]) : []).filter(
      (one) => typeof (one as Readonly<Record<string, unknown>> | null)?.[key] === 'string',
    ) as never[];
  return { tenants: having('name', tenants), users: having('email', users) };
}

interface PlacedProblem {
  readonly place: string;
  readonly problem: string;
}
type GivenUsers = Pick<InitialUsers, 'password' | 'tenants' | 'users'> & Partial<Pick<InitialUsers, 'channels'>>;

function problemsOfZones({ tenants }: GivenUsers): PlacedProblem[] {
  return tenants.flatMap(({ timeZone }, index) =>
    timeZone === undefined || isTimeZone(timeZone)
      ? []
      : [
          {
            place: `tenants.${index}.timeZone`,
            problem: meant(`${timeZone} is not the name of a time zone`, timeZone, Intl.supportedValuesOf('timeZone')),
          },
        ],
  );
}

/** E-mails, and the password of all, as log-in takes them. */
function problemsOfPeople({ password, users }: GivenUsers): PlacedProblem[] {
  const refused = users.map(({ email }) => problemOfPassword(password, email)).find((problem) => problem !== null);
  const emails = users.map(({ email }) => email.toLowerCase());
  const ofEmails = users.flatMap(({ email }, index): PlacedProblem[] => {
    const place = `users.${index}.email`;
    const problem = problemOfEmail(email);
    if (problem !== null) return [{ place, problem: String(problem) }];
    const first = emails.indexOf(emails[index] ?? '');
    return first < index ? [{ place, problem: `${emails[index]} is there twice` }] : [];
  });
  return refused ? [{ place: 'password', problem: String(refused) }, ...ofEmails] : ofEmails;
}

/** Names of tenants and users that the file lacks. A number is an id in the database. */
function problemsOfNames({ tenants, users, channels = [] }: GivenUsers): PlacedProblem[] {
  const known = keysOf(tenants);
  const emails = users.map(({ email }) => email.toLowerCase());
  const named = [
    ...users.flatMap(({ defaultTenant, memberships }, index) => [
      { place: `users.${index}.defaultTenant`, tenant: defaultTenant },
      ...memberships.map(({ tenant }, at) => ({ place: `users.${index}.memberships.${at}.tenant`, tenant })),
    ]),
    ...channels.map(({ tenant }, index) => ({ place: `channels.${index}.tenant`, tenant })),
  ];
  return [
    ...named
      .filter(({ tenant }) => !known.includes(tenant) && !/^\d{1,18}$/.test(tenant))
      .map(({ place, tenant }) => ({ place, problem: meant(`${tenant} is none of the tenants`, tenant, known) })),
    ...channels.flatMap(({ user }, index) =>
      emails.includes(user.toLowerCase())
        ? []
        : [{ place: `channels.${index}.user`, problem: meant(`${user} is none of the users`, user, emails) }],
    ),
  ];
}

function problemsOfRoles({ users, channels = [] }: GivenUsers, metadata: Snapshot): PlacedProblem[] {
  const known = [...BUILT_IN_ROLES, ...metadata.all(PERMISSION).keys()];
  const named = [
    ...users.flatMap(({ memberships }, index) =>
      memberships.flatMap(({ roles }, at) =>
        roles.map((role, of) => ({ place: `users.${index}.memberships.${at}.roles.${of}`, role })),
      ),
    ),
    ...channels.flatMap(({ roles }, index) =>
      roles.map((role, of) => ({ place: `channels.${index}.roles.${of}`, role })),
    ),
  ];
  return named
    .filter(({ role }) => !known.includes(role))
    .map(({ place, role }) => ({
      place,
      problem: meant(`${role} is not a role`, role, known),
    }));
}

/** What users and folders name tenants by. */
export function keysOf(tenants: InitialUsers['tenants']): string[] {
  return tenants.map(({ id, name }) => id ?? name);
}

/** As `withSuggestion`, of a problem in the words of files. */
export function meant(problem: string, word: string, known: readonly string[]): string {
  return String(withSuggestion(quoted(problem), word, known));
}
