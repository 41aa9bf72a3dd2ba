import { Router, type Request } from 'express';
import { authorise, type Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import type { SqlRunner } from '../database/pool.ts';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { onlyMethods } from '../http/app.ts';
import { parsePaging } from '../http/paging.ts';
import { answer, ok } from '../http/reply.ts';
import { WEBHOOK_MANAGE } from '../metadata/permission-codes.ts';
import type { DeliveryDetails, DeliveryFilter, DeliveryLog } from './delivery-log.ts';
import { metricsOf } from './delivery-metrics.ts';
import { DELIVERY_STATUSES, type Attempt, type Delivery } from './delivery.entity.ts';
import type { SubscriptionsService } from './subscriptions.service.ts';

const BASE = '/api/webhooks';
const MAX_HOURS = 24 * 90;

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
    answer(async (request) => ok(presentDetails(await log.get(await admitted(request), String(request.params.pid))))),
  );
  router.all(`${BASE}/deliveries/:pid`, onlyMethods('GET'));

  router.get(
    `${BASE}/:pid/deliveries`,
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
        return ok({ records: records.map(present), nextCursor: next && toCursor(next) });
      }
      const { records, total } = await log.page(actor, pid, filter, { pageNum, pageSize });
      return ok({ records: records.map(present), total, pageNum, pageSize });
    }),
  );
  router.all(`${BASE}/:pid/deliveries`, onlyMethods('GET'));

  router.get(
    `${BASE}/:pid/metrics`,
    answer(async (request) => {
      const actor = await admitted(request);
      const { subscription } = await subscriptions.get(actor, String(request.params.pid));
      const errors: FieldErrors = {};
      const { hours = '24' } = request.query;
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
    if (typeof value === 'string' && value.length <= 200 && !value.includes('\0')) return value;
    errors[name] = 'must be one text of at most 200 characters';
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

function present(delivery: Delivery) {
  const { pid, subscriptionPid, eventPid, eventType, modelCode, status, reason, attemptCount } = delivery;
  const { nextAttemptAt, createdAt, finishedAt } = delivery;
  const about = { pid, subscriptionPid, eventPid, eventType, modelCode: modelCode === '' ? null : modelCode };
  return { ...about, status, reason, attemptCount, nextAttemptAt, createdAt, finishedAt };
}

function presentDetails({ delivery, attempts, body, isReduced }: DeliveryDetails) {
  const shown = attempts.map((attempt) => presentAttempt(attempt, isInFlight(attempt, delivery), isReduced));
  return { ...present(delivery), body, attempts: shown };
}

/** Its worker holds a slot for as long as it may take. */
function isInFlight({ number }: Attempt, { attemptCount, slotUntil }: Delivery): boolean {
  return number === attemptCount && (slotUntil ?? new Date(0)) > new Date();
}

/** An attempt whose end nobody lived to see may or may not have reached the receiver. */
function presentAttempt(attempt: Attempt, inFlight: boolean, isReduced: boolean) {
  const { number, trigger, startedAt, finishedAt, durationMs, statusCode, errorMessage, ip } = attempt;
  const { responseTruncated, nextAttemptAt } = attempt;
  const errorClass = finishedAt || inFlight ? attempt.errorClass : 'unknown';
  const responseBody = isReduced ? null : attempt.responseBody;
  const times = { startedAt, finishedAt, durationMs };
  return {
    number,
    trigger,
    ...times,
    statusCode,
    errorClass,
    errorMessage,
    ip,
    responseBody,
    responseTruncated,
    nextAttemptAt,
  };
}
