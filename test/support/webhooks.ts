import { ulid } from 'ulid';
import { readConfig } from '../../src/config/config.ts';
import { SecretBox } from '../../src/secrets/secret-box.ts';
import { AttemptEntity, DeliveryEntity, type Attempt, type Delivery } from '../../src/webhooks/delivery.entity.ts';
import { EndpointEntity, SubscriptionEntity, type Subscription } from '../../src/webhooks/subscription.entity.ts';
import { sealSecret } from '../../src/webhooks/subscription-secrets.ts';
import { container, type TestTenant, type TestUser } from './world.ts';

type Fields = Partial<Omit<Subscription, 'secrets'>> & { readonly secret?: string };

/** A subscription of a user's, past the API: quick retries, no limits of the API's. Gives its pid. */
export async function subscribe(
  tenant: TestTenant,
  user: TestUser,
  targetUrl: string,
  { secret, ...fields }: Fields = {},
): Promise<string> {
  const { orm } = await container();
  const em = orm.em.fork();
  const pid = ulid();
  const box = new SecretBox(readConfig().secretsKey);
  em.create(SubscriptionEntity, {
    ...{ pid, environment: 'dev', tenantId: tenant.id, name: 'test', targetUrl, eventType: 'crm:create_lead' },
    ...{ maxRetries: 8, timeoutMs: 2_000, retryScheduleMs: [50], ordering: 'none', enabled: true, roles: ['ADMIN'] },
    ...{ createdBy: user.pid, createdByName: user.email },
    secrets: secret === undefined ? [] : [sealSecret(box, pid, secret, new Date())],
    ...fields,
  });
  await em.flush();
  em.create(EndpointEntity, { subscriptionPid: pid });
  await em.flush();
  return pid;
}

/** A subscription's deliveries, oldest first. */
export async function deliveriesOf(subscriptionPid: string): Promise<Delivery[]> {
  const { orm } = await container();
  return orm.em.fork().find(DeliveryEntity, { subscriptionPid }, { orderBy: { id: 'asc' } });
}

/** A delivery's attempts, in their order. */
export async function attemptsOf(deliveryPid: string): Promise<Attempt[]> {
  const { orm } = await container();
  return orm.em.fork().find(AttemptEntity, { deliveryPid }, { orderBy: { number: 'asc' } });
}
