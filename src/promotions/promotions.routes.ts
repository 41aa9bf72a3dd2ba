import { Router, type Request } from 'express';
import { authorise, type Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import type { Paging } from '../http/paging.ts';
import { readBody, readQuery } from '../http/read-request.ts';
import { answer, ok } from '../http/reply.ts';
import { ADMIN_PROMOTIONS } from '../metadata/permission-codes.ts';
import type { StreamQuery } from '../streams/stream-contract.ts';
import { streamKey } from '../streams/stream-key.ts';
import type { Streams } from '../streams/streams.ts';
import { KEPT, newPromotionRules, RULES, unitsOf, type RequestBodies } from './promotion-requests.ts';
import type { PromotionStatus, RequestKind } from './promotion.entity.ts';
import type { PromotionStreams } from './promotion-stream.ts';
import { present } from './present-promotion.ts';
import type { NewPromotion, PromotionsService } from './promotions.service.ts';
import * as contracts from './promotions.contracts.ts';

const BASE = '/api/admin/promotions';

interface Filter {
  readonly status?: PromotionStatus;
  readonly targetEnvId?: number;
}

/** Spec: "Endpoints", promotions. All need `admin:promotions`. */
export function promotionRoutes(
  gate: Gate,
  promotions: PromotionsService,
  streams: Streams,
  promotionStreams: PromotionStreams,
): Router {
  const router = Router();
  const admitted = (request: Request): Promise<Actor> => gate.admitWith(request, ADMIN_PROMOTIONS);

  router.get(
    BASE,
    access(ADMIN_PROMOTIONS),
    contract(contracts.listPromotions),
    answer(async (request) => {
      await admitted(request);
      const { pageNum, pageSize, ...filter } = readQuery<Paging & Filter>(request, contracts.listPromotions);
      const { records, total } = await promotions.list(filter, pageNum, pageSize);
      return ok({ records: records.map(present), total, pageNum, pageSize });
    }),
  );
  router.post(
    BASE,
    access(ADMIN_PROMOTIONS),
    contract(contracts.createPromotion),
    answer(async (request) => {
      const actor = await admitted(request);
      const asked = await readBody<NewPromotion>(request, contracts.createPromotion, newPromotionRules);
      return ok(present(await promotions.create(actor, { ...asked, units: unitsOf(asked) })));
    }),
  );
  router.all(BASE, onlyMethods('GET', 'POST'));

  router.get(
    `${BASE}/:pid`,
    access(ADMIN_PROMOTIONS),
    contract(contracts.getPromotion),
    answer(async (request) => {
      await admitted(request);
      const pid = String(request.params.pid);
      return ok({ ...present(await promotions.get(pid)), timeline: await promotions.timeline(pid) });
    }),
  );
  router.all(`${BASE}/:pid`, onlyMethods('GET'));

  router.get(
    `${BASE}/:pid/stream`,
    access(ADMIN_PROMOTIONS),
    contract(contracts.streamPromotion),
    async (request, response) => {
      const actor = await admitted(request);
      const { lastEventId } = readQuery<StreamQuery>(request, contracts.streamPromotion);
      const { promotion } = await promotions.get(String(request.params.pid));
      const recheck = (now: Actor): void => authorise(now, ADMIN_PROMOTIONS);
      const { pid } = promotion;
      const feed = (signal: AbortSignal): Promise<void> => promotionStreams.follow(pid, signal);
      const key = streamKey('promotion', pid);
      await streams.serve(request, response, { key, actor, lastEventId, recheck, feed });
    },
  );
  router.all(`${BASE}/:pid/stream`, onlyMethods('GET'));

  const take = <K extends RequestKind>(kind: K): void => {
    const promised = contracts.requestOf(kind);
    router.post(
      `${BASE}/:pid/${kind}`,
      access(ADMIN_PROMOTIONS),
      contract(promised),
      answer(async (request) => {
        const actor = await admitted(request);
        const body = await readBody<RequestBodies[K]>(request, promised, RULES[kind]);
        return ok(present(await promotions.request(actor, String(request.params.pid), kind, KEPT[kind](body))));
      }),
    );
    router.all(`${BASE}/:pid/${kind}`, onlyMethods('POST'));
  };
  for (const kind of Object.keys(KEPT) as RequestKind[]) take(kind);

  router.post(
    `${BASE}/:pid/rollback`,
    access(ADMIN_PROMOTIONS),
    contract(contracts.rollBack),
    answer(async (request) => {
      const actor = await admitted(request);
      return ok(present(await promotions.createRollback(actor, String(request.params.pid))));
    }),
  );
  router.all(`${BASE}/:pid/rollback`, onlyMethods('POST'));
  return router;
}
