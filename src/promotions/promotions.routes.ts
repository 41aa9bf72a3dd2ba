import { Router, type Request } from 'express';
import { authorise, type Actor } from '../auth/actor.ts';
import { parseReason } from '../audit/reason.ts';
import type { Gate } from '../auth/gate.ts';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { access } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { readJsonBody } from '../http/json-body.ts';
import { parsePaging } from '../http/paging.ts';
import { answer, ok } from '../http/reply.ts';
import { ADMIN_PROMOTIONS } from '../metadata/permission-codes.ts';
import { streamKey } from '../streams/stream-key.ts';
import type { Streams } from '../streams/streams.ts';
import { parseApply, parseNewPromotion, parseRemark, parseValidation } from './promotion-requests.ts';
import { PROMOTION_STATUSES, type RequestKind } from './promotion.entity.ts';
import type { PromotionStreams } from './promotion-stream.ts';
import { present } from './present-promotion.ts';
import type { PromotionsService } from './promotions.service.ts';
import * as contracts from './promotions.contracts.ts';

const BASE = '/api/admin/promotions';

type Body = Record<string, unknown>;

/** What each request takes from its body. */
const REQUESTS: Record<RequestKind, (body: Body) => Body> = {
  validate: parseValidation,
  approve: ({ comment }) => ({ comment: parseRemark('comment', comment) }),
  reject: (body) => ({ reason: parseReason(body) }),
  cancel: ({ reason }) => ({ reason: parseRemark('reason', reason) }),
  apply: (body) => ({ ...parseApply(body), reason: parseReason(body) }),
};

/** Spec: "Endpoints", promotions. All need `admin:promotions`. */
export function promotionRoutes(
  gate: Gate,
  promotions: PromotionsService,
  streams: Streams,
  promotionStreams: PromotionStreams,
): Router {
  const router = Router();
  const admitted = async (request: Request): Promise<Actor> => {
    const { actor } = await gate.admit(request);
    authorise(actor, ADMIN_PROMOTIONS);
    return actor;
  };

  router.get(
    BASE,
    access(ADMIN_PROMOTIONS),
    contract(contracts.listPromotions),
    answer(async (request) => {
      await admitted(request);
      const { filter, pageNum, pageSize } = parseListing(request.query);
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
      return ok(present(await promotions.create(actor, parseNewPromotion(await readJsonBody(request)))));
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
      const { promotion } = await promotions.get(String(request.params.pid));
      const recheck = (now: Actor): void => authorise(now, ADMIN_PROMOTIONS);
      const { pid } = promotion;
      const feed = (signal: AbortSignal): Promise<void> => promotionStreams.follow(pid, signal);
      await streams.serve(request, response, { key: streamKey('promotion', pid), actor, recheck, feed });
    },
  );
  router.all(`${BASE}/:pid/stream`, onlyMethods('GET'));

  for (const [kind, parse] of Object.entries(REQUESTS) as [RequestKind, (body: Body) => Body][]) {
    router.post(
      `${BASE}/:pid/${kind}`,
      access(ADMIN_PROMOTIONS),
      contract(contracts.requestOf(kind)),
      answer(async (request) => {
        const actor = await admitted(request);
        const pid = String(request.params.pid);
        return ok(present(await promotions.request(actor, pid, kind, parse(await readJsonBody(request)))));
      }),
    );
    router.all(`${BASE}/:pid/${kind}`, onlyMethods('POST'));
  }

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

function parseListing(query: Request['query']) {
  const errors: FieldErrors = {};
  const paging = parsePaging(query, errors);
  const status = PROMOTION_STATUSES.find((known) => known === query.status);
  const { targetEnvId } = query;
  if (query.status !== undefined && !status) errors.status = `must be one of ${PROMOTION_STATUSES.join(', ')}`;
  const isId = typeof targetEnvId === 'string' && /^\d{1,9}$/.test(targetEnvId);
  if (targetEnvId !== undefined && !isId) errors.targetEnvId = 'must be the numeric id of an environment';
  throwIfInvalid(errors);
  return { ...paging, filter: { ...(status && { status }), ...(isId && { targetEnvId: Number(targetEnvId) }) } };
}
