import { createHash } from 'node:crypto';
import { isPid } from '../../src/foundation/database/pid.ts';
import { quoted, type Message } from '../../src/foundation/i18n/text.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import type { Resolved } from '../../src/platform/records/seeding/seed-record.ts';
import { meant } from './data-users.ts';

/** A name of a record that people read, such as `cust-alice`. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const USER = '$user:';
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Whom and which records the data of an application name. */
export interface DataNames {
  /** E-mails, in small letters. */
  readonly users: readonly string[];
  /** The `pid` of the records of a tenant, by model. */
  readonly records: ReadonlyMap<string, ReadonlySet<string>>;
  /** The tenant that a pid which is made of a name is for. */
  readonly tenant: string;
  /** Of that tenant: days of defaults are its days. */
  readonly timeZone: string;
  /** Whether there may be records that no file lists: `records.ts` makes them. */
  readonly hasOthers: boolean;
}

/** The pid that stands for a name: the same one in every installation. */
export function pidOfName(...name: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(name)).digest();
  // As a ULID of the first years: names are older than what is made later.
  return `00${[...hash.subarray(0, 24)].map((byte) => ALPHABET[byte % 32]).join('')}`;
}

export function pidOfUser(email: string): string {
  return pidOfName('user', email.toLowerCase());
}

/** The pid of a record of the data, which may be a name. */
export function pidOfRecord(tenant: string, modelCode: string, pid: string): string {
  return isPid(pid) ? pid : pidOfName('record', tenant, modelCode, pid);
}

export function problemOfName(pid: unknown): Message | null {
  return typeof pid === 'string' && NAME.test(pid) ? null : quoted('must be a pid, or a name such as cust-alice');
}

/** What a value of a field stands for: a user, a record, or itself. */
export function resolved({ type, target = '' }: FieldContent, value: unknown, names: DataNames): Resolved {
  if (typeof value !== 'string') return { value };
  if (type === 'user' && value.startsWith(USER)) {
    const email = value.slice(USER.length).toLowerCase();
    if (names.users.includes(email)) return { value: pidOfUser(email) };
    return { problem: quoted(meant(`${email} is none of the users`, email, names.users)) };
  }
  if (type !== 'relation') return { value };
  const known = names.records.get(target) ?? new Set<string>();
  if (known.has(value) || (isPid(value) && names.hasOthers)) return { value: pidOfRecord(names.tenant, target, value) };
  return { problem: quoted(meant(`${value} is no record of ${target}`, value, [...known])) };
}
