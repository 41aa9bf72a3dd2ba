import { fromColumn, localized } from '../../../foundation/i18n/text.ts';
import type { DeliveryDetails, ListedDelivery, ListedRow } from './delivery-log.ts';
import type { LoggedDelivery } from './tenant-log.ts';
import { type Attempt, type Delivery, DELIVERY_STATUSES, TRIGGERS } from '../deliveries/delivery.entity.ts';
import {
  PID,
  text,
  nullable,
  oneOf,
  integer,
  TIME,
  named,
  object,
  BOOLEAN,
  list,
  described,
  mapOf,
} from '../../../foundation/validation/schema.ts';

const ABOUT = {
  pid: PID,
  subscriptionPid: PID,
  eventPid: PID,
  eventType: text(),
  modelCode: nullable(text()),
  status: oneOf(DELIVERY_STATUSES),
  reason: nullable(text()),
  attemptCount: integer(0),
  nextAttemptAt: nullable(TIME),
  createdAt: TIME,
  finishedAt: nullable(TIME),
  traceId: described('Of the request that has caused the event', text()),
};
export const DELIVERY = named('WebhookDelivery', object(ABOUT));
const ATTEMPT = object({
  number: integer(1),
  trigger: oneOf(TRIGGERS),
  startedAt: TIME,
  finishedAt: nullable(TIME),
  durationMs: nullable(integer(0)),
  statusCode: nullable(integer()),
  errorClass: nullable(text()),
  errorMessage: nullable(text()),
  ip: nullable(text()),
  responseHeaders: described('Without what may be a credential', nullable(mapOf(text()))),
  responseBody: nullable(text()),
  responseTruncated: nullable(BOOLEAN),
  nextAttemptAt: nullable(TIME),
});
export const DELIVERY_DETAILS = named(
  'WebhookDeliveryDetails',
  object({
    ...ABOUT,
    request: described(
      'As the subscription has it now, without signatures and times',
      object({ url: text(), headers: mapOf(text()) }),
    ),
    body: nullable(text()),
    attempts: list(ATTEMPT),
  }),
);

/** A delivery as the log of all subscriptions has it. */
export const LOGGED_DELIVERY = named(
  'LoggedWebhookDelivery',
  object({
    ...ABOUT,
    subscriptionName: text(),
    targetUrl: text(),
    maxAttempts: described('Of one event, without resends', integer(1)),
    lastAttempt: nullable(
      object({ statusCode: nullable(integer()), errorClass: nullable(text()), durationMs: nullable(integer(0)) }),
    ),
  }),
);

export function presentLogged(delivery: LoggedDelivery) {
  const { subscriptionName, targetUrl, maxRetries, statusCode, errorClass, durationMs } = delivery;
  const lastAttempt = delivery.attemptCount === 0 ? null : { statusCode, errorClass, durationMs };
  return { ...presentDelivery(delivery), subscriptionName, targetUrl, maxAttempts: maxRetries + 1, lastAttempt };
}

/** A delivery as lists have it. */
export function presentDelivery(delivery: ListedDelivery | ListedRow) {
  const { pid, subscriptionPid, eventPid, eventType, modelCode, status, reason, attemptCount } = delivery;
  const { nextAttemptAt, createdAt, finishedAt, traceId } = delivery;
  const about = { pid, subscriptionPid, eventPid, eventType, modelCode: modelCode === '' ? null : modelCode };
  return { ...about, status, reason: localized(reason), attemptCount, nextAttemptAt, createdAt, finishedAt, traceId };
}

/** A delivery with its body and its attempts. */
export function presentDetails({ delivery, attempts, request, body, isReduced }: DeliveryDetails) {
  const shown = attempts.map((attempt) => presentAttempt(attempt, isInFlight(attempt, delivery), isReduced));
  return { ...presentDelivery(delivery), request, body, attempts: shown };
}

/** Its worker holds a slot for as long as it may take. */
function isInFlight({ number }: Attempt, { attemptCount, slotUntil }: Delivery): boolean {
  return number === attemptCount && (slotUntil ?? new Date(0)) > new Date();
}

/** An attempt whose worker died may or may not have reached the receiver. */
function presentAttempt(attempt: Attempt, inFlight: boolean, isReduced: boolean) {
  const { number, trigger, startedAt, finishedAt, durationMs, statusCode, errorMessage, ip } = attempt;
  const { responseTruncated, nextAttemptAt } = attempt;
  const errorClass = finishedAt || inFlight ? attempt.errorClass : 'unknown';
  const responseBody = isReduced ? null : attempt.responseBody;
  const responseHeaders = isReduced ? null : (attempt.responseHeaders ?? null);
  const times = { startedAt, finishedAt, durationMs };
  return {
    number,
    trigger,
    ...times,
    statusCode,
    errorClass,
    errorMessage: fromColumn(errorMessage),
    ip,
    responseHeaders,
    responseBody,
    responseTruncated,
    nextAttemptAt,
  };
}
