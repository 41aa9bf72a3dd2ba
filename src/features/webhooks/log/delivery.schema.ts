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
import { DELIVERY_STATUSES, TRIGGERS } from '../deliveries/delivery.entity.ts';

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
