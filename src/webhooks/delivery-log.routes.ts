import { Router, type Request } from 'express';
import { authorise, type Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import type { SqlRunner } from '../database/pool.ts';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { parsePaging } from '../http/paging.ts';
import { answer, ok } from '../http/reply.ts';
import { WEBHOOK_MANAGE } from '../metadata/permission-codes.ts';
import type { DeliveryFilter, DeliveryLog } from './delivery-log.ts';
import { metricsOf } from './delivery-metrics.ts';
import { DELIVERY_STATUSES } from './delivery.entity.ts';
import { presentDelivery, presentDetails } from './present-delivery.ts';
import type { SubscriptionsService } from './subscriptions.service.ts';
import { MAX_FILTER_LENGTH } from './webhooks.contracts.ts';
import * as contracts from './deliveries.contracts.ts';

const BASE = '/api/webhooks';
const { DEFAULT_HOURS, MAX_HOURS } = contracts;

/** The delivery log and its numbers. All need `webhook:manage`. */
export function deliveryLogRoutes(
  gate: Gate,
  log: DeliveryLog,
  subscriptions: SubscriptionsService,
  runner: SqlRunner,
): Router {
  const router = Router();
  const admitted = async (request: Request): Promise<Actor> => {
    const { actor } = await gate.admit(request);
    authorise(actor, WEBHOOK_MANAGE);
    return actor;
  };

  router.get(
    `${BASE}/deliveries/:pid`,
    access(WEBHOOK_MANAGE),
    contract(contracts.getDelivery),
    answer(async (request) => ok(presentDetails(await log.get(await admitted(request), String(request.params.pid))))),
  );
  router.all(`${BASE}/deliveries/:pid`, onlyMethods('GET'));

  router.get(
    `${BASE}/:pid/deliveries`,
    access(WEBHOOK_MANAGE),
    contract(contracts.listDeliveries),
    answer(async (request) => {
      const actor = await admitted(request);
      const pid = String(request.params.pid);
      const errors: FieldErrors = {};
      const { pageNum, pageSize } = parsePaging(request.query, errors);
      const filter = parseFilter(request.query, errors);
      const before = parseCursor(request.query.cursor, errors);
      throwIfInvalid(errors);
      if (before !== undefined) {
        const { records, next } = await log.after(actor, pid, filter, before, pageSize);
        return ok({ records: records.map(presentDelivery), nextCursor: next && toCursor(next) });
      }
      const { records, total } = await log.page(actor, pid, filter, { pageNum, pageSize });
      return ok({ records: records.map(presentDelivery), total, pageNum, pageSize });
    }),
  );
  router.all(`${BASE}/:pid/deliveries`, onlyMethods('GET'));

  router.get(
    `${BASE}/:pid/metrics`,
    access(WEBHOOK_MANAGE),
    contract(contracts.getMetrics),
    answer(async (request) => {
      const actor = await admitted(request);
      const { subscription } = await subscriptions.get(actor, String(request.params.pid));
      const errors: FieldErrors = {};
      const { hours = String(DEFAULT_HOURS) } = request.query;
      const number = typeof hours === 'string' && /^\d{1,4}$/.test(hours) ? Number(hours) : 0;
      if (number < 1 || number > MAX_HOURS) errors.hours = `must be a whole number from 1 to ${MAX_HOURS}`;
      throwIfInvalid(errors);
      return ok(await metricsOf(runner, subscription.pid, number));
    }),
  );
  router.all(`${BASE}/:pid/metrics`, onlyMethods('GET'));
  return router;
}

function parseFilter(query: Request['query'], errors: FieldErrors): DeliveryFilter {
  const text = (name: string): string | undefined => {
    const value = query[name];
    if (value === undefined || value === '') return undefined;
    if (typeof value === 'string' && value.length <= MAX_FILTER_LENGTH && !value.includes('\0')) return value;
    errors[name] = `must be one text of at most ${MAX_FILTER_LENGTH} characters`;
    return undefined;
  };
  const time = (name: string): Date | undefined => {
    const value = text(name);
    const date = value === undefined ? undefined : new Date(value);
    if (!date || !Number.isNaN(date.getTime())) return date;
    errors[name] = 'must be an ISO 8601 time';
    return undefined;
  };
  const named = text('status');
  const status = DELIVERY_STATUSES.find((known) => known === named);
  if (named !== undefined && !status) errors.status = `must be one of ${DELIVERY_STATUSES.join(', ')}`;
  return { status, eventType: text('eventType'), since: time('since'), until: time('until') };
}

/** Undefined without a cursor; null for an empty one, which asks for the beginning. */
function parseCursor(cursor: unknown, errors: FieldErrors): string | null | undefined {
  if (cursor === undefined) return undefined;
  if (cursor === '') return null;
  const id = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : '';
  if (/^d[1-9]\d{0,17}$/.test(id)) return id.slice(1);
  errors.cursor = 'is not one that this list has given';
  return undefined;
}

function toCursor(id: string): string {
  return Buffer.from(`d${id}`).toString('base64url');
}
