import { randomBytes } from 'node:crypto';
import type { SecretBox } from '../../foundation/secrets/secret-box.ts';
import type { SealedTable } from '../../foundation/secrets/sealed-store.ts';
import { SubscriptionEntity, type StoredSecret, type Subscription } from './subscription.entity.ts';

/** A subscription as far as its secrets go. */
interface SecretsOwner {
  readonly pid: string;
  readonly secrets: readonly StoredSecret[];
}

interface HeadersOwner {
  readonly pid: string;
  /** Sealed JSON, or nothing. */
  readonly headers?: string | null | undefined;
}

const secretContext = (pid: string): string => `webhook:${pid}:secret`;
const headersContext = (pid: string): string => `webhook:${pid}:headers`;

/** A new signing secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** A secret at rest, as the newest of the subscription `pid`. */
export function sealSecret(box: SecretBox, pid: string, secret: string, now: Date): StoredSecret {
  return { sealed: box.seal(secret, secretContext(pid)), createdAt: now.toISOString(), expiresAt: null };
}

/** The stored secrets that still sign at a time, in their order: newest first. */
function unexpired(secrets: readonly StoredSecret[], now: Date): StoredSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || new Date(expiresAt) > now);
}

/** The secrets that sign at a time, newest first. @throws SecretUnreadableError */
export function liveSecrets(box: SecretBox, { pid, secrets }: SecretsOwner, now: Date): string[] {
  return unexpired(secrets, now).map(({ sealed }) => box.open(sealed, secretContext(pid)));
}

/**
 * The secrets after a new one was put first: earlier ones sign until `overlapMs` from now, or until their own
 * end where that is sooner; those that are over are dropped.
 */
export function rotateSecrets(
  secrets: readonly StoredSecret[],
  newest: StoredSecret,
  overlapMs: number,
  now: Date,
): StoredSecret[] {
  const end = new Date(now.getTime() + overlapMs);
  const earlier = secrets.map((secret) => {
    const sooner = secret.expiresAt !== null && new Date(secret.expiresAt) < end;
    return sooner ? secret : { ...secret, expiresAt: end.toISOString() };
  });
  return [newest, ...unexpired(earlier, now)];
}

/**
 * A subscription's secrets after `rotateSecrets`. An unreadable one is dropped: it would fail every delivery.
 */
export function rotated(
  box: SecretBox,
  { pid, secrets }: SecretsOwner,
  newest: StoredSecret,
  overlapMs: number,
  now: Date,
): StoredSecret[] {
  const readable = secrets.filter(({ sealed }) => {
    try {
      box.open(sealed, secretContext(pid));
      return true;
    } catch {
      return false;
    }
  });
  return rotateSecrets(readable, newest, overlapMs, now);
}

/** Secrets and headers of subscriptions, also of deleted ones. */
export const SUBSCRIPTION_SECRETS: SealedTable<Subscription> = {
  name: 'webhooks',
  entity: SubscriptionEntity,
  keys: ['pid'],
  change: ({ pid, secrets, headers }, reseal) => ({
    secrets: secrets.map((one) => ({ ...one, sealed: reseal(one.sealed, secretContext(pid)) })),
    headers: headers ? reseal(headers, headersContext(pid)) : null,
  }),
};

/** The subscription's own request headers. @throws SecretUnreadableError */
export function openHeaders(box: SecretBox, { pid, headers }: HeadersOwner): Record<string, string> {
  return headers ? (JSON.parse(box.open(headers, headersContext(pid))) as Record<string, string>) : {};
}

/** Request headers at rest; null for none. */
export function sealHeaders(box: SecretBox, pid: string, headers: Readonly<Record<string, string>>): string | null {
  return Object.keys(headers).length === 0 ? null : box.seal(JSON.stringify(headers), headersContext(pid));
}
