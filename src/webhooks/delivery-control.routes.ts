import { Router } from 'express';
import type { Gate } from '../auth/gate.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { dateOf } from '../http/formats.ts';
import { readBody, type Rules } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import { WEBHOOK_MANAGE } from '../metadata/permission-codes.ts';
import type { DeliveryControl } from './delivery-control.ts';
import type { DeliveryLog } from './delivery-log.ts';
import { presentDetails } from './present-delivery.ts';
import type { Recoveries } from './recoveries.ts';
import * as contracts from './deliveries.contracts.ts';

const BASE = '/api/webhooks';

/** Sending deliveries again and giving them up. All need `webhook:manage`. */
export function deliveryControlRoutes(
  gate: Gate,
  control: DeliveryControl,
  log: DeliveryLog,
  recoveries: Recoveries,
): Router {
  const router = Router();

  for (const action of ['resend', 'cancel'] as const) {
    router.post(
      `${BASE}/deliveries/:pid/${action}`,
      access(WEBHOOK_MANAGE),
      contract(contracts.control[action]),
      answer(async (request) => {
        const actor = await gate.admitWith(request, WEBHOOK_MANAGE);
        const pid = String(request.params.pid);
        await control[action](actor, pid);
        return ok(presentDetails(await log.get(actor, pid)));
      }),
    );
    router.all(`${BASE}/deliveries/:pid/${action}`, onlyMethods('POST'));
  }

  router.post(
    `${BASE}/:pid/recover`,
    access(WEBHOOK_MANAGE),
    contract(contracts.recover),
    answer(async (request) => {
      const actor = await gate.admitWith(request, WEBHOOK_MANAGE);
      const { since, until } = await readBody<Period>(request, contracts.recover, inOrder);
      const subscriptionPid = String(request.params.pid);
      const recoveryPid = await control.recover(actor, subscriptionPid, new Date(since), dateOf(until) ?? new Date());
      return ok(await recoveries.get(actor, subscriptionPid, recoveryPid), { status: 202 });
    }),
  );
  router.all(`${BASE}/:pid/recover`, onlyMethods('POST'));

  router.get(
    `${BASE}/:pid/recoveries`,
    access(WEBHOOK_MANAGE),
    contract(contracts.listRecoveries),
    answer(async (request) => {
      const actor = await gate.admitWith(request, WEBHOOK_MANAGE);
      return ok(await recoveries.list(actor, String(request.params.pid)));
    }),
  );
  router.all(`${BASE}/:pid/recoveries`, onlyMethods('GET'));
  router.get(
    `${BASE}/:pid/recoveries/:recoveryPid`,
    access(WEBHOOK_MANAGE),
    contract(contracts.getRecovery),
    answer(async (request) => {
      const actor = await gate.admitWith(request, WEBHOOK_MANAGE);
      return ok(await recoveries.get(actor, String(request.params.pid), String(request.params.recoveryPid)));
    }),
  );
  router.all(`${BASE}/:pid/recoveries/:recoveryPid`, onlyMethods('GET'));
  return router;
}

interface Period {
  readonly since: string;
  /** Where nothing is said, now. */
  readonly until?: string | null;
}

const inOrder: Rules<Period> = ({ since, until }, errors) => {
  const [from, to] = [dateOf(since), dateOf(until) ?? new Date()];
  if (from && from > to) errors.until = 'must not be before since';
};
