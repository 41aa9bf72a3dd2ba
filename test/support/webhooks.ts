import { ulid } from 'ulid';
import type { Actor } from '../../src/platform/auth/requests/actor.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { SecretBox } from '../../src/foundation/secrets/secret-box.ts';
import { TemporalGateway } from '../../src/foundation/temporal/temporal-gateway.ts';
import { cancelUnfinished, DeliveryAdmin } from '../../src/features/webhooks/deliveries/delivery-admin.ts';
import {
  AttemptEntity,
  DeliveryEntity,
  type Attempt,
  type Delivery,
} from '../../src/features/webhooks/deliveries/delivery.entity.ts';
import { DeliveryScheduler } from '../../src/features/webhooks/deliveries/delivery-scheduler.ts';
import { DeliveryStarter } from '../../src/features/webhooks/deliveries/delivery-starter.ts';
import {
  EndpointEntity,
  SubscriptionEntity,
  type Subscription,
} from '../../src/features/webhooks/subscription.entity.ts';
import { sealHeaders, sealSecret } from '../../src/features/webhooks/subscription-secrets.ts';
import { deliveryWorkflowId } from '../../workflows/contracts.ts';
import { temporal, until } from './faults.ts';
import { container, type TestTenant, type TestUser } from './world.ts';

type Fields = Partial<Omit<Subscription, 'secrets' | 'headers'>> & {
  readonly secret?: string;
  readonly headers?: Record<string, string>;
};

/** What seals in the program under test. */
export function secretBox(): SecretBox {
  return new SecretBox(readConfig().secretsKeys);
}

/** A subscription of a user's, past the API: quick retries, no limits of the API's. Gives its pid. */
export async function subscribe(
  tenant: TestTenant,
  user: TestUser,
  targetUrl: string,
  { secret, headers = {}, ...fields }: Fields = {},
): Promise<string> {
  const { orm } = await container();
  const em = orm.em.fork();
  const pid = ulid();
  const box = secretBox();
  em.create(SubscriptionEntity, {
    pid,
    environment: 'dev',
    tenantId: tenant.id,
    name: 'test',
    targetUrl,
    eventType: 'crm:create_lead',
    maxRetries: 8,
    timeoutMs: 10_000,
    retryScheduleMs: [50],
    ordering: 'none',
    enabled: true,
    roles: ['ADMIN'],
    createdBy: user.pid,
    createdByName: user.email,
    ownedBy: user.pid,
    secrets: secret === undefined ? [] : [sealSecret(box, pid, secret, new Date())],
    headers: sealHeaders(box, pid, headers),
    ...fields,
  });
  await em.flush();
  em.create(EndpointEntity, { subscriptionPid: pid });
  await em.flush();
  return pid;
}

/** Changes a subscription as its owner would, and does to its deliveries what that does. */
export async function change(
  subscriptionPid: string,
  fields: Partial<Pick<Subscription, 'enabled' | 'deletedAt' | 'secrets'>>,
): Promise<void> {
  const { orm } = await container();
  await orm.em.fork().transactional(async (em) => {
    em.assign(await em.findOneOrFail(SubscriptionEntity, { pid: subscriptionPid }), {
      ...fields,
      updatedAt: new Date(),
    });
    await em.flush();
    if (fields.deletedAt) await cancelUnfinished(sqlRunnerOf(em), subscriptionPid, 'subscription deleted');
    if (fields.enabled === false) await cancelUnfinished(sqlRunnerOf(em), subscriptionPid, 'subscription disabled');
  });
}

export async function subscriptionRow(pid: string): Promise<Subscription> {
  const { orm } = await container();
  return orm.em.fork().findOneOrFail(SubscriptionEntity, { pid });
}

/** What is known of a subscription's endpoint. */
export async function endpointOf(subscriptionPid: string) {
  const { orm } = await container();
  return orm.em.fork().findOneOrFail(EndpointEntity, { subscriptionPid });
}

/** A subscription's deliveries, oldest first. */
export async function deliveriesOf(subscriptionPid: string): Promise<Delivery[]> {
  const { orm } = await container();
  return orm.em.fork().find(DeliveryEntity, { subscriptionPid }, { orderBy: { id: 'asc' } });
}

/**
 * A subscription's deliveries once there are so many and `is` holds for each: by default, that it has ended.
 */
export function deliveriesOnce(
  subscriptionPid: string,
  count: number,
  is: (delivery: Delivery) => unknown = ({ finishedAt }) => finishedAt,
  timeoutMs?: number,
): Promise<Delivery[]> {
  return until(
    `${count} deliveries are where they are expected`,
    async () => {
      const deliveries = await deliveriesOf(subscriptionPid);
      if (deliveries.length >= count && deliveries.every(is)) return deliveries;
      throw new Error(JSON.stringify(deliveries.map(({ status, attemptCount }) => [status, attemptCount])));
    },
    timeoutMs,
  );
}

/** The first delivery of a subscription, once it has ended. */
export async function ended(subscriptionPid: string): Promise<Delivery> {
  return (await deliveriesOnce(subscriptionPid, 1))[0] as Delivery;
}

/** The first delivery of a subscription, once it waits for a retry. */
export async function waiting(subscriptionPid: string): Promise<Delivery> {
  return (await deliveriesOnce(subscriptionPid, 1, ({ nextAttemptAt }) => nextAttemptAt))[0] as Delivery;
}

/** A delivery's attempts, in their order. */
export async function attemptsOf(deliveryPid: string): Promise<Attempt[]> {
  const { orm } = await container();
  return orm.em.fork().find(AttemptEntity, { deliveryPid }, { orderBy: { number: 'asc' } });
}

/** How a delivery's workflow ended, once it has. */
export async function workflowEnd(deliveryPid: string): Promise<unknown> {
  const { workflow } = await temporal();
  return workflow.getHandle(deliveryWorkflowId(deliveryPid)).result();
}

/** The histories of a subscription's deliveries that have workflows, as text to search in. */
export async function deliveryTexts(subscriptionPid: string): Promise<string[]> {
  const { workflow } = await temporal();
  const query = `subscriptionPid = "${subscriptionPid}"`;
  const ids = await until('its workflows are listed', async () => {
    const found: string[] = [];
    for await (const { workflowId } of workflow.list({ query })) found.push(workflowId);
    return found.length > 0 ? found : null;
  });
  return Promise.all(ids.map(workflowText));
}

/** Everything that Temporal keeps of a workflow, as text to search in. */
async function workflowText(workflowId: string): Promise<string> {
  const { workflow } = await temporal();
  // JSON has the bytes of arguments, memos and results in base64.
  return JSON.stringify(await workflow.getHandle(workflowId).fetchHistory(), (key, value: unknown) =>
    key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
  );
}

/** What a user may do with deliveries, beside the routes. @param taskQueue where its workflows go */
export async function controlOf(taskQueue?: string): Promise<DeliveryAdmin> {
  const { database, config, logger, temporal: shared } = await container();
  const { namespace } = config.temporal;
  const gateway = new TemporalGateway({ namespace, taskQueue: taskQueue ?? shared.taskQueue, eager: false }, logger);
  await gateway.connect(async () => (await temporal()).connection);
  const { circuitFailures, retryScheduleMs, maxInFlight } = config.webhooks;
  const scheduler = new DeliveryScheduler({
    database,
    temporal: gateway,
    starter: new DeliveryStarter(gateway),
    attemptFirst: () => undefined,
    circuitFailures,
    maxInFlight,
    onExpired: () => Promise.resolve(),
    logger,
  });
  return new DeliveryAdmin(database, gateway, scheduler, retryScheduleMs);
}

/** A user as services know them. */
export async function actorOf(user: TestUser, tenant: TestTenant, roles: string[] = ['ADMIN']): Promise<Actor> {
  const metadata = await (await container()).snapshots.current('dev');
  const { id: userId, pid: userPid, email: username } = user;
  return {
    userId,
    userPid,
    username,
    tenantId: tenant.id,
    timeZone: metadata.timeZoneOf(tenant.id),
    roles,
    permissions: metadata.permissionsOf(roles),
    metadata,
  };
}
