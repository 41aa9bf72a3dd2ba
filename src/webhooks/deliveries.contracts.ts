import type { Contract } from '../http/contract.ts';
import { MOMENT } from '../http/formats.ts';
import { PAGING_QUERY } from '../http/paging.ts';
import {
  BOOLEAN,
  integer,
  list,
  mapOf,
  named,
  nullable,
  NUMBER,
  object,
  oneOf,
  PID,
  text,
  TIME,
} from '../http/schema.ts';
import { DELIVERY_STATUSES, RECOVERY_STATUSES, TRIGGERS } from './delivery.entity.ts';
import { DELIVERY_CURSOR } from './delivery-cursor.ts';
import { FILTER } from './webhooks.contracts.ts';

const tag = 'Webhook deliveries';
const path = { pid: PID };

const MAX_HOURS = 24 * 90;

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
const DELIVERY = named('WebhookDelivery', object(ABOUT));
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
const DETAILS = named('WebhookDeliveryDetails', object({ ...ABOUT, body: nullable(text()), attempts: list(ATTEMPT) }));
const RECOVERY = named(
  'WebhookRecovery',
  object({
    pid: PID,
    subscriptionPid: PID,
    since: TIME,
    until: TIME,
    status: oneOf(RECOVERY_STATUSES),
    total: integer(0),
    resent: integer(0),
    createdBy: text(),
    createdAt: TIME,
    finishedAt: nullable(TIME),
  }),
);
const RECORDS = list(DELIVERY);

export const getDelivery: Contract = { tag, summary: 'One delivery, its body and its attempts', path, data: DETAILS };
export const listDeliveries: Contract = {
  ...{ tag, summary: "A subscription's deliveries, newest first: by pages, or from `cursor` on", path },
  query: {
    ...PAGING_QUERY,
    cursor: DELIVERY_CURSOR,
    status: oneOf(DELIVERY_STATUSES),
    eventType: FILTER,
    since: MOMENT,
    until: MOMENT,
  },
  data: {
    anyOf: [
      object({ records: RECORDS, total: integer(0), pageNum: integer(1), pageSize: integer(1) }),
      object({ records: RECORDS, nextCursor: nullable(text()) }),
    ],
  },
};
export const getMetrics: Contract = {
  ...{ tag, summary: 'How deliveries have gone of late', path },
  query: { hours: { ...integer(1, MAX_HOURS), default: 24 } },
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
};
export const control: Record<'resend' | 'cancel', Contract> = {
  resend: { tag, summary: 'Send it again', path, data: DETAILS, errors: ['CONFLICT'] },
  cancel: { tag, summary: 'Give it up', path, data: DETAILS, errors: ['CONFLICT'] },
};
export const recover: Contract = {
  ...{ tag, summary: 'Send again what failed in a time', path, alwaysAccepted: true, errors: ['CONFLICT'] },
  ...{ body: object({ since: MOMENT }, { until: nullable(MOMENT) }), data: RECOVERY, accepted: RECOVERY },
};
export const listRecoveries: Contract = {
  ...{ tag, summary: "A subscription's recoveries, newest first", path, data: list(RECOVERY) },
};
export const getRecovery: Contract = {
  ...{ tag, summary: 'How far a recovery has come', path: { ...path, recoveryPid: PID }, data: RECOVERY },
};
