import { Router, type Request } from 'express';
import { isStorable, REASON_TEXT } from '../audit/reason.ts';
import { authorise, type Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { throwIfInvalid, validationError, type FieldErrors } from '../errors/application-error.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { readJsonBody } from '../http/json-body.ts';
import { parsePaging } from '../http/paging.ts';
import { answer, ok } from '../http/reply.ts';
import { WEBHOOK_MANAGE } from '../metadata/permission-codes.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { eventTypesFor } from './event-types.ts';
import { presentSubscription, settingsOf, type SubscriptionDetails } from './present-subscription.ts';
import { parseRotation, parseSubscription } from './subscription-request.ts';
import { warningsFor } from './subscription-rules.ts';
import type { SubscriptionFilter, SubscriptionsService } from './subscriptions.service.ts';
import type { TestDelivery } from './test-delivery.ts';
import * as contracts from './webhooks.contracts.ts';

const BASE = '/api/webhooks';
const { MAX_FILTER_LENGTH } = contracts;

type Body = Readonly<Record<string, unknown>>;

/** Spec: "Webhook subscription", `POST /api/webhooks/{pid}/test`. All need `webhook:manage`. */
export function webhookRoutes(
  gate: Gate,
  subscriptions: SubscriptionsService,
  tests: TestDelivery,
  box: SecretBox,
  circuitFailures: number,
): Router {
  const router = Router();
  const admitted = async (request: Request): Promise<Actor> => {
    const { actor } = await gate.admit(request);
    authorise(actor, WEBHOOK_MANAGE);
    return actor;
  };
  const present = (details: SubscriptionDetails) => presentSubscription(details, box, circuitFailures);
  const saved = (details: SubscriptionDetails, { metadata }: Actor) => ({
    ...present(details),
    warnings: warningsFor(settingsOf(details.subscription), metadata),
  });

  router.get(
    BASE,
    access(WEBHOOK_MANAGE),
    contract(contracts.listSubscriptions),
    answer(async (request) => {
      const actor = await admitted(request);
      const errors: FieldErrors = {};
      const { pageNum, pageSize } = parsePaging(request.query, errors);
      const filter = parseFilter(request.query, errors);
      throwIfInvalid(errors);
      const { records, total } = await subscriptions.list(actor, filter, pageNum, pageSize);
      return ok({ records: records.map(present), total, pageNum, pageSize });
    }),
  );
  router.post(
    BASE,
    access(WEBHOOK_MANAGE),
    contract(contracts.createSubscription),
    answer(async (request) => {
      const actor = await admitted(request);
      const errors: FieldErrors = {};
      const parsed = parseSubscription(await readJsonBody(request), errors, true);
      const created = await subscriptions.create(actor, parsed, errors);
      return ok({ ...saved(created, actor), ...(typeof parsed.secret === 'string' && { secret: parsed.secret }) });
    }),
  );
  router.all(BASE, onlyMethods('GET', 'POST'));

  router.get(
    `${BASE}/event-types`,
    access(WEBHOOK_MANAGE),
    contract(contracts.listEventTypes),
    answer(async (request) => ok(eventTypesFor(await admitted(request)))),
  );
  router.all(`${BASE}/event-types`, onlyMethods('GET'));

  router.get(
    `${BASE}/:pid`,
    access(WEBHOOK_MANAGE),
    contract(contracts.getSubscription),
    answer(async (request) => ok(present(await subscriptions.get(await admitted(request), pidOf(request))))),
  );
  router.patch(
    `${BASE}/:pid`,
    access(WEBHOOK_MANAGE),
    contract(contracts.changeSubscription),
    answer(async (request) => {
      const actor = await admitted(request);
      const errors: FieldErrors = {};
      const parsed = parseSubscription(await readJsonBody(request), errors, false);
      return ok(saved(await subscriptions.update(actor, pidOf(request), parsed, errors), actor));
    }),
  );
  router.delete(
    `${BASE}/:pid`,
    access(WEBHOOK_MANAGE),
    contract(contracts.deleteSubscription),
    answer(async (request) => {
      await subscriptions.delete(await admitted(request), pidOf(request));
      return ok({ pid: pidOf(request) });
    }),
  );
  router.all(`${BASE}/:pid`, onlyMethods('GET', 'PATCH', 'DELETE'));

  const actions: Record<keyof typeof contracts.actions, (actor: Actor, pid: string, body: Body) => Promise<unknown>> = {
    enable: async (actor, pid) => present(await subscriptions.setEnabled(actor, pid, true)),
    disable: async (actor, pid, body) =>
      present(await subscriptions.setEnabled(actor, pid, false, parseOptionalReason(body))),
    'rotate-secret': async (actor, pid, body) => {
      const { secret, ...details } = await subscriptions.rotateSecret(actor, pid, parseRotation(body));
      return { ...present(details), secret };
    },
    test: async (actor, pid, { sample = true }) => {
      if (typeof sample !== 'boolean') throw validationError({ sample: 'must be true or false' });
      return tests.send(actor, (await subscriptions.get(actor, pid)).subscription, sample);
    },
  };
  for (const [action, act] of Object.entries(actions) as [keyof typeof actions, (typeof actions)['test']][]) {
    router.post(
      `${BASE}/:pid/${action}`,
      access(WEBHOOK_MANAGE),
      contract(contracts.actions[action]),
      answer(async (request) => {
        const actor = await admitted(request);
        return ok(await act(actor, pidOf(request), await readJsonBody(request)));
      }),
    );
    router.all(`${BASE}/:pid/${action}`, onlyMethods('POST'));
  }
  return router;
}

function pidOf(request: Request): string {
  return String(request.params.pid);
}

function parseFilter(query: Request['query'], errors: FieldErrors): SubscriptionFilter {
  const text = (name: string): string | undefined => {
    const value = query[name];
    if (value === undefined || value === '') return undefined;
    if (typeof value === 'string' && value.length <= MAX_FILTER_LENGTH && isStorable(value)) return value;
    errors[name] = `must be one text of at most ${MAX_FILTER_LENGTH} characters`;
    return undefined;
  };
  const enabled = text('enabled');
  if (enabled !== undefined && enabled !== 'true' && enabled !== 'false') errors.enabled = 'must be true or false';
  return {
    eventType: text('eventType'),
    enabled: enabled === undefined ? undefined : enabled === 'true',
    keyword: text('keyword'),
  };
}

function parseOptionalReason({ reason = null }: Body): string | null {
  if (reason === null) return null;
  if (typeof reason === 'string' && reason.length <= REASON_TEXT.maxLength && isStorable(reason)) return reason;
  throw validationError({ reason: `must be a text of at most ${REASON_TEXT.maxLength} characters` });
}
