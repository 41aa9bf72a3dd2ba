import {
  presentDetails,
  presentDelivery,
  presentLogged,
  DELIVERY_DETAILS,
  DELIVERY,
  LOGGED_DELIVERY,
} from './present-delivery.ts';
import { STATUS_CLASSES, tenantLog } from './tenant-log.ts';
import { Type } from 'typebox';
import { WEBHOOK_MANAGE } from '../../../platform/metadata/permissions/permission-codes.ts';
import { type DeliveryLog } from './delivery-log.ts';
import { type SubscriptionsService } from '../subscriptions/subscriptions.service.ts';
import { type SqlRunner } from '../../../foundation/database/pool.ts';
import { type Endpoint, endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { PAGING_QUERY, pageOf } from '../../../foundation/http/paging.ts';
import {
  oneOf,
  object,
  list,
  nullable,
  text,
  withDefault,
  integer,
  NUMBER,
  mapOf,
  parameters,
  described,
  PID,
} from '../../../foundation/validation/schema.ts';
import { DELIVERY_STATUSES } from '../deliveries/delivery.entity.ts';
import { storable, textOf, ISO_DATETIME, dateOf } from '../../../foundation/validation/formats.ts';
import type { Message } from '../../../foundation/i18n/text.ts';
import { metricsOf } from '../deliveries/delivery-metrics.ts';
import { MAX_METRICS_HOURS } from '../webhooks.limits.ts';

const BASE = '/api/webhooks';
const access = [WEBHOOK_MANAGE];
const tag = 'Webhook deliveries';

/** Where a list of deliveries goes on; empty to begin. */
const DELIVERY_CURSOR = textOf('delivery-cursor', problemOfCursor, {
  minLength: 0,
  description: '`nextCursor` of the list before; empty to begin',
});

/** The log of all subscriptions. Stands before the endpoints of one, whose pid would be `deliveries`. */
export function tenantLogEndpoint(runner: SqlRunner): Endpoint {
  return endpoint({
    method: 'GET',
    path: `${BASE}/deliveries`,
    access,
    tag,
    summary: 'The deliveries of all subscriptions, newest first',
    query: parameters({
      cursor: withDefault('', DELIVERY_CURSOR),
      pageSize: PAGING_QUERY.pageSize,
      subscriptionPid: PID,
      status: oneOf(DELIVERY_STATUSES),
      statusClass: described('How the last attempt was answered; `none`: not at all', oneOf(STATUS_CLASSES)),
      eventType: storable({ maxLength: 200 }),
      since: ISO_DATETIME,
      until: ISO_DATETIME,
    }),
    data: object({ records: list(LOGGED_DELIVERY), nextCursor: nullable(text()) }),
    async handle({ actor, query: { cursor, pageSize, ...query } }) {
      const filter = { ...query, since: dateOf(query.since), until: dateOf(query.until) };
      const { records, next } = await tenantLog(runner, actor, filter, idIn(cursor), pageSize);
      return { records: records.map(presentLogged), nextCursor: next && toCursor(next) };
    },
  });
}

/** The delivery log and its numbers. All need `webhook:manage`. */
export function deliveryLogEndpoints(
  log: DeliveryLog,
  subscriptions: SubscriptionsService,
  runner: SqlRunner,
): readonly Endpoint[] {
  return [...deliveryEndpoints(log), ...metricsEndpoints(subscriptions, runner)];
}

function deliveryEndpoints(log: DeliveryLog): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${BASE}/deliveries/:pid`,
      access,
      tag,
      summary: 'One delivery, its body and its attempts',
      data: DELIVERY_DETAILS,
      handle: async ({ actor, params }) => presentDetails(await log.get(actor, params.pid)),
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid/deliveries`,
      access,
      tag,
      summary: "A subscription's deliveries, newest first: by pages, or from `cursor` on",
      query: parameters({
        ...PAGING_QUERY,
        cursor: DELIVERY_CURSOR,
        status: oneOf(DELIVERY_STATUSES),
        eventType: storable({ maxLength: 200 }),
        since: ISO_DATETIME,
        until: ISO_DATETIME,
      }),
      data: Type.Union([pageOf(DELIVERY), object({ records: list(DELIVERY), nextCursor: nullable(text()) })]),
      async handle({ actor, params: { pid }, query }) {
        const { pageNum, pageSize, cursor, status, eventType } = query;
        const filter = { status, eventType, since: dateOf(query.since), until: dateOf(query.until) };
        if (cursor !== undefined) {
          const { records, next } = await log.after(actor, pid, filter, idIn(cursor), pageSize);
          return { records: records.map(presentDelivery), nextCursor: next && toCursor(next) };
        }
        const { records, total } = await log.page(actor, pid, filter, { pageNum, pageSize });
        return { records: records.map(presentDelivery), total, pageNum, pageSize };
      },
    }),
  ];
}

function metricsEndpoints(subscriptions: SubscriptionsService, runner: SqlRunner): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid/metrics`,
      access,
      tag,
      summary: 'How deliveries have gone of late',
      query: parameters({ hours: withDefault(24, integer(1, MAX_METRICS_HOURS)) }),
      data: object({
        hours: integer(1),
        attempts: integer(0),
        succeeded: integer(0),
        failed: integer(0),
        successRate: nullable(NUMBER),
        durationMs: object({ p50: nullable(integer(0)), p95: nullable(integer(0)) }),
        errors: mapOf(integer(0)),
        unfinished: integer(0),
        exhausted: integer(0),
      }),
      async handle({ actor, params, query }) {
        const { subscription } = await subscriptions.get(actor, params.pid);
        return metricsOf(runner, subscription.pid, query.hours);
      },
    }),
  ];
}

/** @param id of the delivery after which the list goes on */
function toCursor(id: string): string {
  return Buffer.from(`d${id}`).toString('base64url');
}

/** The id that is in a cursor that was found good; null for the empty one. */
function idIn(cursor: string): string | null {
  return cursor === '' ? null : textInCursor(cursor).slice(1);
}

function problemOfCursor(cursor: string): Message | null {
  return cursor === '' || /^d[1-9]\d{0,17}$/.test(textInCursor(cursor)) ? null : 'is not one that this list has given';
}

function textInCursor(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString();
}
