import { REMARK } from '../audit/reason.ts';
import type { Contract } from '../http/contract.ts';
import { storable } from '../http/formats.ts';
import { PAGING_QUERY, pageOf } from '../http/paging.ts';
import {
  ANYTHING,
  BOOLEAN,
  integer,
  list,
  MAP,
  mapOf,
  named,
  nullable,
  object,
  oneOf,
  openObject,
  PID,
  text,
  TIME,
} from '../http/schema.ts';
import { NEW_SUBSCRIPTION_BODY, ROTATION_BODY, SUBSCRIPTION_CHANGES_BODY } from './subscription-request.ts';
import { ORDERINGS } from './subscription.entity.ts';

const tag = 'Webhooks';
const path = { pid: PID };

/** A text that a list is to be searched for. */
export const FILTER = storable({ maxLength: 200 });

const HEADERS = mapOf(text());
const ABOUT = {
  pid: PID,
  name: text(),
  description: nullable(text()),
  targetUrl: text(),
  eventType: text(),
  modelCode: nullable(text()),
  filterExpression: nullable(text()),
  maxRetries: integer(),
  timeoutMs: integer(),
  retryScheduleMs: nullable(list(integer())),
  rateLimitPerSecond: nullable(integer()),
  ordering: oneOf(ORDERINGS),
  enabled: BOOLEAN,
  headers: nullable(HEADERS),
  hasSecret: BOOLEAN,
  disabledReason: nullable(text()),
  circuit: object({ state: oneOf(['CLOSED', 'OPEN', 'HALF_OPEN']), failures: integer(0), openUntil: nullable(TIME) }),
  createdBy: text(),
  createdAt: TIME,
  updatedAt: TIME,
};
const SUBSCRIPTION = named('WebhookSubscription', object(ABOUT));
/** What saving answers. */
const SAVED = { ...ABOUT, warnings: list(text()) };
/** A body of texts about something: an event as it is sent. Spec: "Webhook delivery payload". */
const EVENT = object({ commandCode: text(), modelCode: nullable(text()), payload: MAP, result: ANYTHING });

export const listSubscriptions: Contract = {
  ...{ tag, summary: 'Subscriptions, newest first', data: pageOf(SUBSCRIPTION) },
  query: {
    ...PAGING_QUERY,
    eventType: FILTER,
    enabled: BOOLEAN,
    keyword: { ...FILTER, description: 'In the name' },
  },
};
export const createSubscription: Contract = {
  ...{ tag, summary: 'Make a subscription; a `secret` of the request is shown once', body: NEW_SUBSCRIPTION_BODY },
  ...{ data: object(SAVED, { secret: text() }), errors: ['CONFLICT'] },
};
export const listEventTypes: Contract = {
  ...{ tag, summary: 'What subscriptions can listen for' },
  data: object({
    records: list(
      object({
        eventType: text(),
        description: text(),
        modelCode: nullable(text()),
        commandCode: nullable(text()),
        sample: EVENT,
      }),
    ),
    wildcards: text(),
  }),
};
export const getSubscription: Contract = { tag, summary: 'One subscription', path, data: SUBSCRIPTION };
export const changeSubscription: Contract = {
  ...{ tag, summary: 'Change what the body names', path, body: SUBSCRIPTION_CHANGES_BODY, data: object(SAVED) },
};
export const deleteSubscription: Contract = { tag, summary: 'Delete a subscription', path, data: object({ pid: PID }) };

const REASON = openObject({}, { reason: REMARK });
const SAMPLE = openObject({}, { sample: { ...BOOLEAN, default: true } });
export const actions = {
  enable: { tag, summary: 'Switch delivery on', path, body: MAP, data: SUBSCRIPTION },
  disable: { tag, summary: 'Switch delivery off; cancels what is unfinished', path, body: REASON, data: SUBSCRIPTION },
  'rotate-secret': {
    ...{ tag, summary: 'A new secret, shown once; the old one signs for the overlap', path, body: ROTATION_BODY },
    data: object({ ...ABOUT, secret: text() }),
  },
  test: {
    ...{ tag, summary: 'Send one request at once', path, body: SAMPLE, errors: ['CONFLICT'] },
    data: object({
      delivered: BOOLEAN,
      statusCode: nullable(integer()),
      durationMs: integer(0),
      request: object({ headers: HEADERS, body: text() }),
      response: nullable(object({ headers: HEADERS, body: text(), truncated: BOOLEAN })),
      error: nullable(object({ errorClass: text(), message: text() })),
    }),
  },
} as const satisfies Record<string, Contract>;
