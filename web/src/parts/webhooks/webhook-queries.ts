import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';
import { queries } from '../../app/queries.ts';
import type { Address } from '../operate/use-address.ts';
import { sinceOf } from '../operate/since.ts';

export type Subscription = Schemas['WebhookSubscription'];
export type LoggedDelivery = Schemas['LoggedWebhookDelivery'];
export type Delivery = Schemas['WebhookDeliveryDetails'];
export type Attempt = Delivery['attempts'][number];

export const WEBHOOKS = ['webhooks'] as const;
export const STATUSES = ['PENDING', 'RETRYING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;
/** A tenant has as many at most. */
const MOST_SUBSCRIPTIONS = 100;
const PAGE_SIZE = 50;
/** How often unfinished things are looked at: no stream follows them. */
const LOOK_EVERY_MS = 10_000;
/** The same for the one that is open. */
const FOLLOW_EVERY_MS = 3_000;
/** What was just sent has mostly been answered by then. */
const SOON_MS = 1_500;

export const subscriptionsQuery = queryOptions({
  queryKey: [...WEBHOOKS, 'subscriptions'],
  queryFn: ({ signal }) => ask('GET /api/webhooks', { query: { pageSize: MOST_SUBSCRIPTIONS }, signal }),
  refetchInterval: 3 * LOOK_EVERY_MS,
});

export const eventTypesQuery = queryOptions({
  queryKey: [...WEBHOOKS, 'event types'],
  queryFn: async ({ signal }) => (await ask('GET /api/webhooks/event-types', { signal })).records,
});

/** The log, as the address filters it. */
export function deliveriesQuery({ state, answer, event, webhook, time }: Address) {
  return infiniteQueryOptions({
    queryKey: [...WEBHOOKS, 'log', { state, answer, event, webhook, time }],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor, signal }) => {
      const since = sinceOf(time);
      const status = STATUSES.find((one) => one === state);
      const statusClass = STATUS_CLASSES.find((one) => one === answer);
      const query = {
        cursor,
        pageSize: PAGE_SIZE,
        ...(status && { status }),
        ...(statusClass && { statusClass }),
        ...(event !== undefined && { eventType: event }),
        ...(webhook !== undefined && { subscriptionPid: webhook }),
        ...(since !== undefined && { since }),
      };
      return ask('GET /api/webhooks/deliveries', { query, signal });
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // A reader of older ones is not disturbed.
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 0) > 1 ? false : LOOK_EVERY_MS),
  });
}

export function deliveryQuery(pid: string) {
  return queryOptions({
    queryKey: [...WEBHOOKS, 'delivery', pid],
    queryFn: ({ signal }) => ask('GET /api/webhooks/deliveries/{pid}', { params: { pid }, signal }),
    refetchInterval: ({ state: { data } }) => (data && isGoing(data) ? FOLLOW_EVERY_MS : false),
  });
}

export function metricsQuery(pid: string) {
  return queryOptions({
    queryKey: [...WEBHOOKS, 'metrics', pid],
    queryFn: ({ signal }) => ask('GET /api/webhooks/{pid}/metrics', { params: { pid }, signal }),
    // What a recovery has put in the queue is followed until it is sent.
    refetchInterval: ({ state: { data } }) => (data && data.unfinished > 0 ? FOLLOW_EVERY_MS : 3 * LOOK_EVERY_MS),
  });
}

export function recoveriesQuery(pid: string) {
  return queryOptions({
    queryKey: [...WEBHOOKS, 'recoveries', pid],
    queryFn: ({ signal }) => ask('GET /api/webhooks/{pid}/recoveries', { params: { pid }, signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ status }) => status === 'RUNNING') ? FOLLOW_EVERY_MS : false,
  });
}

export function isGoing({ status }: { readonly status: string }): boolean {
  return status === 'PENDING' || status === 'RETRYING';
}

/** Everything of webhooks is read anew, and once more when what was sent has been answered. */
export async function webhooksChanged(): Promise<void> {
  setTimeout(() => void queries.invalidateQueries({ queryKey: WEBHOOKS }), SOON_MS);
  await queries.invalidateQueries({ queryKey: WEBHOOKS });
}
