import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import type { SecretBox } from '../../../foundation/secrets/secret-box.ts';
import { cancelUnfinished } from '../deliveries/delivery-admin.ts';
import { readableHeaders } from './present-subscription.ts';
import { unmaskHeaders } from './subscription-headers.ts';
import type { SubscriptionRequest } from './subscription-request.ts';
import { newSecret, sealHeaders, sealSecret } from '../subscription-secrets.ts';
import { EndpointEntity, type Subscription } from '../subscription.entity.ts';

type Credentials = Pick<SubscriptionRequest, 'headers' | 'secret'>;

/** Whether requests would go to another origin than now. */
export function isMoved({ targetUrl }: Pick<Subscription, 'targetUrl'>, { settings }: SubscriptionRequest): boolean {
  return settings.targetUrl !== undefined && isOtherOrigin(settings.targetUrl, targetUrl);
}

export function isOtherOrigin(url: string, other: string): boolean {
  return URL.parse(url)?.origin !== URL.parse(other)?.origin;
}

/** Replaces the headers and secrets that a request names. */
export function replaceCredentials(box: SecretBox, subscription: Subscription, { headers, secret }: Credentials): void {
  const { pid } = subscription;
  if (headers !== undefined) {
    const stored = readableHeaders(subscription, box) ?? {};
    subscription.headers = sealHeaders(box, pid, unmaskHeaders(headers ?? {}, stored));
  }
  if (secret === null) subscription.secrets = [];
  else if (secret !== undefined) subscription.secrets = [sealSecret(box, pid, secret, new Date())];
}

/**
 * Removes what belongs to the former origin: credentials, retries, and what is known of the endpoint.
 * @returns the secret that was made in place of a stored one, unless the request says what it is to be
 */
export async function leaveOrigin(
  em: PlatformEntityManager,
  box: SecretBox,
  subscription: Subscription,
  { secret }: Credentials,
): Promise<string | undefined> {
  const { pid } = subscription;
  const made = secret === undefined && subscription.secrets.length > 0 ? newSecret() : undefined;
  replaceCredentials(box, subscription, { headers: null, secret: made ?? null });
  await em.flush();
  await cancelUnfinished(sqlRunnerOf(em), pid, 'sent to another address before', 1);
  await resetEndpoint(em, pid);
  return made;
}

/** An endpoint that is new, or given another chance, starts without a history. */
export async function resetEndpoint(em: PlatformEntityManager, subscriptionPid: string): Promise<void> {
  await em.nativeUpdate(EndpointEntity, { subscriptionPid }, { failures: 0, openUntil: null, coolDownMs: 0 });
}
