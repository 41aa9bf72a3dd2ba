import { Router, type Request } from 'express';
import { authorise, type Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { readJsonBody } from '../http/json-body.ts';
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
  const admitted = async (request: Request): Promise<Actor> => {
    const { actor } = await gate.admit(request);
    authorise(actor, WEBHOOK_MANAGE);
    return actor;
  };

  for (const action of ['resend', 'cancel'] as const) {
    router.post(
      `${BASE}/deliveries/:pid/${action}`,
      access(WEBHOOK_MANAGE),
      contract(contracts.control[action]),
      answer(async (request) => {
        const actor = await admitted(request);
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
      const actor = await admitted(request);
      const { since, until } = parsePeriod(await readJsonBody(request));
      const subscriptionPid = String(request.params.pid);
      const recoveryPid = await control.recover(actor, subscriptionPid, since, until);
      return ok(await recoveries.get(actor, subscriptionPid, recoveryPid), { status: 202 });
    }),
  );
  router.all(`${BASE}/:pid/recover`, onlyMethods('POST'));

  router.get(
    `${BASE}/:pid/recoveries`,
    access(WEBHOOK_MANAGE),
    contract(contracts.listRecoveries),
    answer(async (request) => ok(await recoveries.list(await admitted(request), String(request.params.pid)))),
  );
  router.all(`${BASE}/:pid/recoveries`, onlyMethods('GET'));
  router.get(
    `${BASE}/:pid/recoveries/:recoveryPid`,
    access(WEBHOOK_MANAGE),
    contract(contracts.getRecovery),
    answer(async (request) => {
      const actor = await admitted(request);
      return ok(await recoveries.get(actor, String(request.params.pid), String(request.params.recoveryPid)));
    }),
  );
  router.all(`${BASE}/:pid/recoveries/:recoveryPid`, onlyMethods('GET'));
  return router;
}

/** `since` is required; `until` is now. */
function parsePeriod(body: Readonly<Record<string, unknown>>): { since: Date; until: Date } {
  const errors: FieldErrors = {};
  const time = (name: string, fallback: Date | null): Date => {
    const value = body[name];
    if (fallback && (value === undefined || value === null)) return fallback;
    const date = typeof value === 'string' ? new Date(value) : new Date(Number.NaN);
    if (Number.isNaN(date.getTime())) errors[name] = 'must be an ISO 8601 time';
    return date;
  };
  for (const name of Object.keys(body)) if (name !== 'since' && name !== 'until') errors[name] = 'is not a known field';
  const since = time('since', null);
  const until = time('until', new Date());
  if (since > until) errors.until = 'must not be before since';
  throwIfInvalid(errors);
  return { since, until };
}
