import { Router, type Request } from 'express';
import type { Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract, type Contract } from '../http/contract.ts';
import type { Paging } from '../http/paging.ts';
import { readBody, readQuery } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import { WEBHOOK_MANAGE } from '../metadata/permission-codes.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { eventTypesFor } from './event-types.ts';
import { presentSubscription, settingsOf, type SubscriptionDetails } from './present-subscription.ts';
import { requestOf, type Rotation, type SubscriptionBody, type SubscriptionRequest } from './subscription-request.ts';
import { warningsFor } from './subscription-rules.ts';
import type { SubscriptionFilter, SubscriptionsService } from './subscriptions.service.ts';
import type { TestDelivery } from './test-delivery.ts';
import * as contracts from './webhooks.contracts.ts';

const BASE = '/api/webhooks';
const { actions } = contracts;

/** Spec: "Webhook subscription", `POST /api/webhooks/{pid}/test`. All need `webhook:manage`. */
export function webhookRoutes(
  gate: Gate,
  subscriptions: SubscriptionsService,
  tests: TestDelivery,
  box: SecretBox,
  circuitFailures: number,
): Router {
  const router = Router();
  const present = (details: SubscriptionDetails) => presentSubscription(details, box, circuitFailures);
  const saved = (details: SubscriptionDetails, { metadata }: Actor) => ({
    ...present(details),
    warnings: warningsFor(settingsOf(details.subscription), metadata),
  });
  const read = async (request: Request, promised: Contract, actor: Actor, pid?: string): Promise<SubscriptionRequest> =>
    requestOf(
      await readBody<SubscriptionBody>(request, promised, (good, errors) =>
        subscriptions.check(actor, requestOf(good), errors, pid),
      ),
    );

  router.get(
    BASE,
    access(WEBHOOK_MANAGE),
    contract(contracts.listSubscriptions),
    answer(async (request) => {
      const actor = await gate.admitWith(request, WEBHOOK_MANAGE);
      const query = readQuery<Paging & SubscriptionFilter>(request, contracts.listSubscriptions);
      const { pageNum, pageSize, ...filter } = query;
      const { records, total } = await subscriptions.list(actor, filter, pageNum, pageSize);
      return ok({ records: records.map(present), total, pageNum, pageSize });
    }),
  );
  router.post(
    BASE,
    access(WEBHOOK_MANAGE),
    contract(contracts.createSubscription),
    answer(async (request) => {
      const actor = await gate.admitWith(request, WEBHOOK_MANAGE);
      const asked = await read(request, contracts.createSubscription, actor);
      const created = await subscriptions.create(actor, asked);
      return ok({ ...saved(created, actor), ...(typeof asked.secret === 'string' && { secret: asked.secret }) });
    }),
  );
  router.all(BASE, onlyMethods('GET', 'POST'));

  router.get(
    `${BASE}/event-types`,
    access(WEBHOOK_MANAGE),
    contract(contracts.listEventTypes),
    answer(async (request) => ok(eventTypesFor(await gate.admitWith(request, WEBHOOK_MANAGE)))),
  );
  router.all(`${BASE}/event-types`, onlyMethods('GET'));

  router.get(
    `${BASE}/:pid`,
    access(WEBHOOK_MANAGE),
    contract(contracts.getSubscription),
    answer(async (request) => {
      const actor = await gate.admitWith(request, WEBHOOK_MANAGE);
      return ok(present(await subscriptions.get(actor, pidOf(request))));
    }),
  );
  router.patch(
    `${BASE}/:pid`,
    access(WEBHOOK_MANAGE),
    contract(contracts.changeSubscription),
    answer(async (request) => {
      const actor = await gate.admitWith(request, WEBHOOK_MANAGE);
      const asked = await read(request, contracts.changeSubscription, actor, pidOf(request));
      return ok(saved(await subscriptions.update(actor, pidOf(request), asked), actor));
    }),
  );
  router.delete(
    `${BASE}/:pid`,
    access(WEBHOOK_MANAGE),
    contract(contracts.deleteSubscription),
    answer(async (request) => {
      await subscriptions.delete(await gate.admitWith(request, WEBHOOK_MANAGE), pidOf(request));
      return ok({ pid: pidOf(request) });
    }),
  );
  router.all(`${BASE}/:pid`, onlyMethods('GET', 'PATCH', 'DELETE'));

  const action = <B>(name: keyof typeof actions, act: (actor: Actor, pid: string, body: B) => Promise<unknown>) => {
    router.post(
      `${BASE}/:pid/${name}`,
      access(WEBHOOK_MANAGE),
      contract(actions[name]),
      answer(async (request) => {
        const actor = await gate.admitWith(request, WEBHOOK_MANAGE);
        return ok(await act(actor, pidOf(request), await readBody<B>(request, actions[name])));
      }),
    );
    router.all(`${BASE}/:pid/${name}`, onlyMethods('POST'));
  };
  action('enable', async (actor, pid) => present(await subscriptions.setEnabled(actor, pid, true)));
  action<{ reason?: string | null }>('disable', async (actor, pid, { reason }) =>
    present(await subscriptions.setEnabled(actor, pid, false, reason ?? null)),
  );
  action<Rotation>('rotate-secret', async (actor, pid, rotation) => {
    const { secret, ...details } = await subscriptions.rotateSecret(actor, pid, rotation);
    return { ...present(details), secret };
  });
  action<{ sample: boolean }>('test', async (actor, pid, { sample }) =>
    tests.send(actor, (await subscriptions.get(actor, pid)).subscription, sample),
  );
  return router;
}

function pidOf(request: Request): string {
  return String(request.params.pid);
}
