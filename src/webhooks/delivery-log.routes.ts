import { Router } from 'express';
import type { Gate } from '../auth/gate.ts';
import type { SqlRunner } from '../database/pool.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { dateOf } from '../http/formats.ts';
import type { Paging } from '../http/paging.ts';
import { readQuery } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import { WEBHOOK_MANAGE } from '../metadata/permission-codes.ts';
import { idIn, toCursor } from './delivery-cursor.ts';
import type { DeliveryLog } from './delivery-log.ts';
import { metricsOf } from './delivery-metrics.ts';
import type { DeliveryStatus } from './delivery.entity.ts';
import { presentDelivery, presentDetails } from './present-delivery.ts';
import type { SubscriptionsService } from './subscriptions.service.ts';
import * as contracts from './deliveries.contracts.ts';

const BASE = '/api/webhooks';

interface ListQuery extends Paging {
  readonly cursor?: string;
  readonly status?: DeliveryStatus;
  readonly eventType?: string;
  readonly since?: string;
  readonly until?: string;
}

/** The delivery log and its numbers. All need `webhook:manage`. */
export function deliveryLogRoutes(
  gate: Gate,
  log: DeliveryLog,
  subscriptions: SubscriptionsService,
  runner: SqlRunner,
): Router {
  const router = Router();

  router.get(
    `${BASE}/deliveries/:pid`,
    access(WEBHOOK_MANAGE),
    contract(contracts.getDelivery),
    answer(async (request) => {
      const actor = await gate.admitWith(request, WEBHOOK_MANAGE);
      return ok(presentDetails(await log.get(actor, String(request.params.pid))));
    }),
  );
  router.all(`${BASE}/deliveries/:pid`, onlyMethods('GET'));

  router.get(
    `${BASE}/:pid/deliveries`,
    access(WEBHOOK_MANAGE),
    contract(contracts.listDeliveries),
    answer(async (request) => {
      const actor = await gate.admitWith(request, WEBHOOK_MANAGE);
      const pid = String(request.params.pid);
      const query = readQuery<ListQuery>(request, contracts.listDeliveries);
      const { pageNum, pageSize, cursor, status, eventType } = query;
      const filter = { status, eventType, since: dateOf(query.since), until: dateOf(query.until) };
      if (cursor !== undefined) {
        const { records, next } = await log.after(actor, pid, filter, idIn(cursor), pageSize);
        return ok({ records: records.map(presentDelivery), nextCursor: next && toCursor(next) });
      }
      const { records, total } = await log.page(actor, pid, filter, { pageNum, pageSize });
      return ok({ records: records.map(presentDelivery), total, pageNum, pageSize });
    }),
  );
  router.all(`${BASE}/:pid/deliveries`, onlyMethods('GET'));

  router.get(
    `${BASE}/:pid/metrics`,
    access(WEBHOOK_MANAGE),
    contract(contracts.getMetrics),
    answer(async (request) => {
      const actor = await gate.admitWith(request, WEBHOOK_MANAGE);
      const { hours } = readQuery<{ hours: number }>(request, contracts.getMetrics);
      const { subscription } = await subscriptions.get(actor, String(request.params.pid));
      return ok(await metricsOf(runner, subscription.pid, hours));
    }),
  );
  router.all(`${BASE}/:pid/metrics`, onlyMethods('GET'));
  return router;
}
