import { WEBHOOK_MANAGE } from '../../../platform/metadata/permissions/permission-codes.ts';
import {
  PID,
  mapOf,
  text,
  nullable,
  integer,
  list,
  oneOf,
  BOOLEAN,
  object,
  TIME,
  named,
  MAP,
  ANYTHING,
  openObject,
  withDefault,
  described,
  parameters,
} from '../../../foundation/validation/schema.ts';
import { Text, type Template } from '../../../foundation/i18n/text.ts';
import { SUSPENSIONS } from '../../../platform/auth/accounts/vouching.ts';
import { storable } from '../../../foundation/validation/formats.ts';
import { ORDERINGS } from '../subscription.entity.ts';
import { REMARK } from '../../../platform/audit/reason.ts';
import { type SubscriptionsService } from './subscriptions.service.ts';
import { type SendTest } from './test-delivery.ts';
import { type SecretBox } from '../../../foundation/secrets/secret-box.ts';
import { type Endpoint, endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { type SubscriptionDetails, presentSubscription, settingsOf } from './present-subscription.ts';
import { type Actor } from '../../../platform/auth/requests/actor.ts';
import { warningsFor } from './subscription-rules.ts';
import { PAGING_QUERY, pageOf } from '../../../foundation/http/paging.ts';
import { NEW_SUBSCRIPTION_BODY, requestOf, SUBSCRIPTION_CHANGES_BODY, ROTATION_BODY } from './subscription-request.ts';
import { eventTypesFor } from './event-types.ts';

const BASE = '/api/webhooks';
const access = [WEBHOOK_MANAGE];
const tag = 'Webhooks';

/** A text that a list is to be searched for. */
const FILTER = storable({ maxLength: 200 });

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
  paused: described(
    'Why no event is matched or sent: its owner is no active member, or lacks what it reads with',
    nullable(oneOf(SUSPENSIONS)),
  ),
  createdBy: text(),
  ownedBy: described('The user whose rights it needs', PID),
  createdAt: TIME,
  updatedAt: TIME,
};
const SUBSCRIPTION = named('WebhookSubscription', object(ABOUT));
/** What saving answers. */
const SAVED = { ...ABOUT, warnings: list(text()) };
/** A body of texts about something: an event as it is sent. Spec: "Webhook delivery payload". */
const EVENT = object({ commandCode: text(), modelCode: nullable(text()), payload: MAP, result: ANYTHING });
const REASON_GIVEN = openObject({}, { reason: REMARK });
const SAMPLE = openObject({}, { sample: withDefault(true, BOOLEAN) });

const eventTypesEndpoint = endpoint({
  method: 'GET',
  path: `${BASE}/event-types`,
  access,
  tag,
  summary: 'What subscriptions can listen for',
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
  handle: ({ actor }) => eventTypesFor(actor),
});

/** Spec: "Webhook subscription", `POST /api/webhooks/{pid}/test`. All need `webhook:manage`. */
export function subscriptionEndpoints(
  subscriptions: SubscriptionsService,
  sendTest: SendTest,
  box: SecretBox,
  circuitFailures: number,
): readonly Endpoint[] {
  const present: Present = (details) => presentSubscription(details, box, circuitFailures);
  const presentSaved: PresentSaved = (details, { metadata }) => ({
    ...present(details),
    warnings: warningsFor(settingsOf(details.subscription), metadata),
  });
  return [
    ...collectionEndpoints(subscriptions, present, presentSaved),
    eventTypesEndpoint,
    ...singleSubscriptionEndpoints(subscriptions, present, presentSaved),
    ...actionEndpoints(subscriptions, sendTest, present),
    adoptEndpoint(subscriptions, present),
  ];
}

type Present = (details: SubscriptionDetails) => ReturnType<typeof presentSubscription>;
type PresentSaved = (details: SubscriptionDetails, actor: Actor) => ReturnType<Present> & { warnings: Text[] };

const REMOVED = new Text(
  'The stored headers and secret belong to the former address and are removed' satisfies Template,
);

function collectionEndpoints(
  subscriptions: SubscriptionsService,
  present: Present,
  presentSaved: PresentSaved,
): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: BASE,
      access,
      tag,
      summary: 'Subscriptions, newest first',
      query: parameters({
        ...PAGING_QUERY,
        eventType: FILTER,
        enabled: BOOLEAN,
        keyword: described('In the name', FILTER),
      }),
      data: pageOf(SUBSCRIPTION),
      async handle({ actor, query: { pageNum, pageSize, ...filter } }) {
        const { records, total } = await subscriptions.list(actor, filter, pageNum, pageSize);
        return { records: records.map(present), total, pageNum, pageSize };
      },
    }),
    endpoint({
      method: 'POST',
      path: BASE,
      access,
      tag,
      summary: 'Make a subscription; a `secret` of the request is shown once',
      body: NEW_SUBSCRIPTION_BODY,
      data: object(SAVED, { secret: text() }),
      errors: ['CONFLICT'],
      check: ({ actor, body }, errors) => subscriptions.check(actor, requestOf(body), errors),
      async handle({ actor, body }) {
        const created = await subscriptions.create(actor, requestOf(body));
        return { ...presentSaved(created, actor), ...(typeof body.secret === 'string' && { secret: body.secret }) };
      },
    }),
  ];
}

function singleSubscriptionEndpoints(
  subscriptions: SubscriptionsService,
  present: Present,
  presentSaved: PresentSaved,
): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid`,
      access,
      tag,
      summary: 'One subscription',
      data: SUBSCRIPTION,
      handle: async ({ actor, params }) => present(await subscriptions.get(actor, params.pid)),
    }),
    endpoint({
      method: 'PATCH',
      path: `${BASE}/:pid`,
      access,
      tag,
      summary: 'Change what the body names',
      description:
        'A `targetUrl` of another origin removes the stored `headers` and `secret`, unless the body gives them again, and cancels retries. Where a secret was stored, a new one is made and shown once.',
      body: SUBSCRIPTION_CHANGES_BODY,
      data: object(SAVED, { secret: text() }),
      errors: ['CONFLICT'],
      check: ({ actor, params, body }, errors) => subscriptions.check(actor, requestOf(body), errors, params.pid),
      async handle({ actor, params, body }) {
        const { secret, removed, ...details } = await subscriptions.update(actor, params.pid, requestOf(body));
        const { warnings, ...saved } = presentSaved(details, actor);
        return {
          ...saved,
          warnings: removed ? [REMOVED, ...warnings] : warnings,
          ...(secret !== undefined && { secret }),
        };
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${BASE}/:pid`,
      access,
      tag,
      summary: 'Delete a subscription',
      data: object({ pid: PID }),
      async handle({ actor, params: { pid } }) {
        await subscriptions.delete(actor, pid);
        return { pid };
      },
    }),
  ];
}

function actionEndpoints(
  subscriptions: SubscriptionsService,
  sendTest: SendTest,
  present: Present,
): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: `${BASE}/:pid/enable`,
      access,
      tag,
      summary: 'Switch delivery on',
      body: MAP,
      data: SUBSCRIPTION,
      handle: async ({ actor, params }) => present(await subscriptions.setEnabled(actor, params.pid, true)),
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/:pid/disable`,
      access,
      tag,
      summary: 'Switch delivery off; cancels what is unfinished',
      body: REASON_GIVEN,
      data: SUBSCRIPTION,
      handle: async ({ actor, params, body }) =>
        present(await subscriptions.setEnabled(actor, params.pid, false, body.reason ?? null)),
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/:pid/rotate-secret`,
      access,
      tag,
      summary: 'A new secret, shown once; the old one signs for the overlap',
      body: ROTATION_BODY,
      data: object({ ...ABOUT, secret: text() }),
      errors: ['CONFLICT'],
      async handle({ actor, params, body }) {
        const { secret, ...details } = await subscriptions.rotateSecret(actor, params.pid, body);
        return { ...present(details), secret };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${BASE}/:pid/test`,
      access,
      tag,
      summary: 'Send one request at once',
      body: SAMPLE,
      data: TEST_RESULT,
      errors: ['CONFLICT'],
      handle: async ({ actor, params, body }) =>
        sendTest(actor, (await subscriptions.get(actor, params.pid)).subscription, body.sample),
    }),
  ];
}

const TEST_RESULT = object({
  delivered: BOOLEAN,
  statusCode: nullable(integer()),
  durationMs: integer(0),
  request: object({ headers: HEADERS, body: text() }),
  response: nullable(object({ headers: HEADERS, body: text(), truncated: BOOLEAN })),
  error: nullable(object({ errorClass: text(), message: text() })),
});

function adoptEndpoint(subscriptions: SubscriptionsService, present: Present): Endpoint {
  return endpoint({
    method: 'POST',
    path: `${BASE}/:pid/adopt`,
    access,
    tag,
    summary: 'Have it read as you, so that one whose owner is gone or demoted goes on',
    data: SUBSCRIPTION,
    errors: ['CONFLICT'],
    handle: async ({ actor, params }) => present(await subscriptions.adopt(actor, params.pid)),
  });
}
