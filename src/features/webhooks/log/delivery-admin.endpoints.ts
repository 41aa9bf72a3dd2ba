import { presentDetails, DELIVERY_DETAILS } from './present-delivery.ts';
import { WEBHOOK_MANAGE } from '../../../platform/metadata/permissions/permission-codes.ts';
import {
  named,
  object,
  PID,
  TIME,
  oneOf,
  integer,
  text,
  nullable,
  list,
  parameters,
} from '../../../foundation/validation/schema.ts';
import { RECOVERY_STATUSES } from '../deliveries/delivery.entity.ts';
import { REFUSALS, type DeliveryAdmin } from '../deliveries/delivery-admin.ts';
import { MAX_RESENT } from '../webhooks.limits.ts';
import { type DeliveryLog } from './delivery-log.ts';
import { type Recoveries } from './recoveries.ts';
import { type Endpoint, endpoint } from '../../../platform/auth/requests/endpoint.ts';
import { ISO_DATETIME, dateOf } from '../../../foundation/validation/formats.ts';
import { reply } from '../../../foundation/http/reply.ts';

const BASE = '/api/webhooks';
const access = [WEBHOOK_MANAGE];
const tag = 'Webhook deliveries';

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

/** Sending deliveries again and giving them up. All need `webhook:manage`. */
export function deliveryAdminEndpoints(
  deliveries: DeliveryAdmin,
  log: DeliveryLog,
  recoveries: Recoveries,
): readonly Endpoint[] {
  return [...actionEndpoints(deliveries, log), ...recoveryEndpoints(deliveries, recoveries)];
}

/** Stands before the endpoints of one delivery, whose pid would be `resend`. */
export function resendEndpoint(deliveries: DeliveryAdmin): Endpoint {
  return endpoint({
    method: 'POST',
    path: `${BASE}/deliveries/resend`,
    access,
    tag,
    summary: 'Send several again: those that cannot be sent are told, and hold up no other',
    body: object({ pids: list(PID, { minItems: 1, maxItems: MAX_RESENT }) }),
    data: object({ resent: list(PID), refused: list(object({ pid: PID, reason: oneOf(REFUSALS) })) }),
    handle: ({ actor, body }) => deliveries.resendAll(actor, body.pids),
  });
}

function actionEndpoints(deliveries: DeliveryAdmin, log: DeliveryLog): readonly Endpoint[] {
  const actionOf = ({ action, summary }: { action: 'resend' | 'cancel'; summary: string }) =>
    endpoint({
      method: 'POST',
      path: `${BASE}/deliveries/:pid/${action}`,
      access,
      tag,
      summary,
      data: DELIVERY_DETAILS,
      errors: ['CONFLICT'],
      async handle({ actor, params }) {
        await deliveries[action](actor, params.pid);
        return presentDetails(await log.get(actor, params.pid));
      },
    });
  return [
    actionOf({ action: 'resend', summary: 'Send it again' }),
    actionOf({ action: 'cancel', summary: 'Give it up' }),
  ];
}

function recoveryEndpoints(deliveries: DeliveryAdmin, recoveries: Recoveries): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: `${BASE}/:pid/recover`,
      access,
      tag,
      summary: 'Send again what failed in a time',
      body: object({ since: ISO_DATETIME }, { until: nullable(ISO_DATETIME) }),
      data: RECOVERY,
      accepted: RECOVERY,
      alwaysAccepted: true,
      errors: ['CONFLICT'],
      check({ body: { since, until } }, errors) {
        const [from, to] = [dateOf(since), dateOf(until) ?? new Date()];
        if (from && from > to) errors.until = 'must not be before since';
      },
      async handle({ actor, params: { pid }, body: { since, until } }) {
        const recoveryPid = await deliveries.recover(actor, pid, new Date(since), dateOf(until) ?? new Date());
        return reply(await recoveries.get(actor, pid, recoveryPid), { status: 202 });
      },
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid/recoverable`,
      access,
      tag,
      summary: 'How many deliveries a recovery would send again',
      query: parameters({ until: ISO_DATETIME }, { since: ISO_DATETIME }),
      data: object({ total: integer(0) }),
      async handle({ actor, params, query: { since, until } }) {
        return { total: await deliveries.recoverable(actor, params.pid, new Date(since), dateOf(until) ?? new Date()) };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid/recoveries`,
      access,
      tag,
      summary: "A subscription's recoveries, newest first",
      data: list(RECOVERY),
      handle: ({ actor, params }) => recoveries.list(actor, params.pid),
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid/recoveries/:recoveryPid`,
      access,
      tag,
      summary: 'How far a recovery has come',
      data: RECOVERY,
      handle: ({ actor, params }) => recoveries.get(actor, params.pid, params.recoveryPid),
    }),
  ];
}
