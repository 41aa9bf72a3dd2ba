import { fromColumn, localized } from '../../../foundation/i18n/text.ts';
import type { DeliveryDetails, ListedDelivery } from './delivery-log.ts';
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
  responseBody: nullable(text()),
  responseTruncated: nullable(BOOLEAN),
  nextAttemptAt: nullable(TIME),
});
export const DELIVERY_DETAILS = named(
  'WebhookDeliveryDetails',
  object({ ...ABOUT, body: nullable(text()), attempts: list(ATTEMPT) }),
);

/** A delivery as lists have it. */
export function presentDelivery(delivery: ListedDelivery) {
  const { pid, subscriptionPid, eventPid, eventType, modelCode, status, reason, attemptCount } = delivery;
  const { nextAttemptAt, createdAt, finishedAt } = delivery;
  const about = { pid, subscriptionPid, eventPid, eventType, modelCode: modelCode === '' ? null : modelCode };
  return { ...about, status, reason: localized(reason), attemptCount, nextAttemptAt, createdAt, finishedAt };
}

/** A delivery with its body and its attempts. */
export function presentDetails({ delivery, attempts, body, isReduced }: DeliveryDetails) {
  const shown = attempts.map((attempt) => presentAttempt(attempt, isInFlight(attempt, delivery), isReduced));
  return { ...presentDelivery(delivery), body, attempts: shown };
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
  const times = { startedAt, finishedAt, durationMs };
  return {
    number,
    trigger,
    ...times,
    statusCode,
    errorClass,
    errorMessage: fromColumn(errorMessage),
    ip,
    responseBody,
    responseTruncated,
    nextAttemptAt,
  };
}
