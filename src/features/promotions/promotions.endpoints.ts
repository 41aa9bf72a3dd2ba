import { ADMIN_PROMOTIONS } from '../../platform/metadata/permissions/permission-codes.ts';
import {
  BOOLEAN,
  described,
  integer,
  list,
  openObject,
  TIME,
  object,
  text,
  nullable,
  oneOf,
  MAP,
  type Schema,
  type Static,
  parameters,
} from '../../foundation/validation/schema.ts';
import { ERROR_CATALOGUE } from '../../foundation/errors/catalogue.ts';
import { type FieldErrors } from '../../foundation/errors/application-error.ts';
import { type PromotionChanges } from './intake/promotion-changes.ts';
import { type PromotionsService } from './intake/promotions.service.ts';
import { type Streams } from '../../platform/streams/streams.ts';
import { type PromotionStreams } from './promotion/promotion-stream.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { type RequestKind, PROMOTION_STATUSES } from './promotion/promotion.entity.ts';
import {
  CHANGE_DETAILS,
  PROMOTION,
  PROMOTION_CHANGE,
  PROMOTION_FIELDS,
  presentPromotion,
} from './intake/promotion.schema.ts';
import { PAGING_QUERY, pageOf } from '../../foundation/http/paging.ts';
import {
  ENVIRONMENT_ID,
  NEW_PROMOTION_BODY,
  checkUnits,
  unitsOf,
  VALIDATE_BODY,
  checkResolutions,
  APPLY_BODY,
  APPROVE_BODY,
} from './intake/promotion-requests.ts';
import { streamEndpoint } from '../../platform/streams/stream-endpoint.ts';
import { streamKey } from '../../platform/streams/stream-entry.ts';
import { authorize } from '../../platform/auth/requests/actor.ts';
import { REMARK, REASON_BODY } from '../../platform/audit/reason.ts';

const BASE = '/api/admin/promotions';
const access = [ADMIN_PROMOTIONS];
const tag = 'Promotions';
const AGREEMENT = object({
  needed: described('People who must agree beside the creator, unless the target lets creators count', integer(0)),
  mayApprove: described('Whether an approval of the caller is of use', BOOLEAN),
  missing: described('Of them, those that are missing if the caller applied it now', integer(0)),
});
const TIMELINE = list(
  openObject({
    at: TIME,
    actor: object({ userPid: text(), username: text() }),
    action: text(),
    reason: nullable(text()),
    outcome: nullable(text()),
    error: nullable(object({ code: oneOf(Object.keys(ERROR_CATALOGUE)), message: text(), data: nullable(MAP) })),
  }),
);

interface RequestBody<B extends Schema> {
  readonly summary: string;
  readonly body: B;
  readonly check?: (input: { readonly body: Partial<Static<B>> }, errors: FieldErrors) => void;
  /** What the request row keeps of the body. */
  readonly toStored: (body: Static<B>) => Record<string, unknown>;
}

/** Spec: "Endpoints", promotions. All need `admin:promotions`. */
export function promotionEndpoints(
  promotions: PromotionsService,
  changes: PromotionChanges,
  streams: Streams,
  promotionStreams: PromotionStreams,
): readonly Endpoint[] {
  return [
    ...promotionReadEndpoints(promotions, streams, promotionStreams),
    ...changeEndpoints(changes),
    ...requestEndpoints(promotions),
    ...rollbackEndpoints(promotions),
  ];
}

function promotionReadEndpoints(
  promotions: PromotionsService,
  streams: Streams,
  promotionStreams: PromotionStreams,
): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: BASE,
      access,
      tag,
      summary: 'Promotions, newest first',
      query: parameters({ ...PAGING_QUERY, status: oneOf(PROMOTION_STATUSES), targetEnvId: ENVIRONMENT_ID }),
      data: pageOf(PROMOTION),
      errors: ['CONFLICT'],
      async handle({ query: { pageNum, pageSize, ...filter } }) {
        const { records, total } = await promotions.list(filter, pageNum, pageSize);
        return { records: records.map(presentPromotion), total, pageNum, pageSize };
      },
    }),
    endpoint({
      method: 'POST',
      path: BASE,
      access,
      tag,
      summary: 'Make a promotion: a DRAFT',
      body: NEW_PROMOTION_BODY,
      data: PROMOTION,
      check({ body, body: { sourceEnvId, targetEnvId } }, errors) {
        checkUnits(body, errors);
        return promotions.check({ sourceEnvId, targetEnvId, units: unitsOf(body) }, errors);
      },
      handle: async ({ actor, body }) =>
        presentPromotion(await promotions.create(actor, { ...body, units: unitsOf(body) })),
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid`,
      access,
      tag,
      summary: 'One promotion, with what happened to it',
      data: object({ ...PROMOTION_FIELDS, agreement: AGREEMENT, timeline: TIMELINE }),
      async handle({ actor, params: { pid } }) {
        const found = await promotions.get(pid);
        const agreement = await promotions.agreement(actor, found);
        return { ...presentPromotion(found), agreement, timeline: await promotions.timeline(pid) };
      },
    }),
    streamEndpoint(streams, {
      path: `${BASE}/:pid/stream`,
      access,
      tag,
      summary: 'A promotion, live: events `promotion` and `soak`, then `end`',
      async open({ params }) {
        const { pid } = (await promotions.get(params.pid)).promotion;
        return {
          key: streamKey('promotion', pid),
          recheck: (now) => authorize(now, ADMIN_PROMOTIONS),
          feed: (signal) => promotionStreams.follow(pid, signal),
        };
      },
    }),
  ];
}

function changeEndpoints(changes: PromotionChanges): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid/changes`,
      access,
      tag,
      summary: 'What it is about, resource by resource; of an open one as source and target are now',
      data: list(PROMOTION_CHANGE),
      handle: ({ params: { pid } }) => changes.list(pid),
    }),
    endpoint({
      method: 'GET',
      path: `${BASE}/:pid/changes/:resourcePid`,
      access,
      tag,
      summary: 'One resource before and after, and the statements for its table with lock and rows',
      data: CHANGE_DETAILS,
      handle: ({ params: { pid, resourcePid } }) => changes.get(pid, resourcePid),
    }),
  ];
}

function requestEndpoints(promotions: PromotionsService): readonly Endpoint[] {
  const request = <B extends Schema>(kind: RequestKind, { summary, body, check, toStored }: RequestBody<B>) =>
    endpoint({
      method: 'POST',
      path: `${BASE}/:pid/${kind}`,
      access,
      tag,
      summary,
      body,
      data: PROMOTION,
      errors: ['CONFLICT', 'PROMOTION_STATE', 'STALE_PLAN', 'FOUR_EYES_REQUIRED'],
      ...(check && { check }),
      handle: async (given) =>
        presentPromotion(await promotions.request(given.actor, given.params.pid, kind, toStored(given.body))),
    });
  return [
    request('validate', {
      summary: 'Plan it as a dry run; without open conflicts it becomes VALIDATED',
      body: VALIDATE_BODY,
      check: ({ body }, errors) => checkResolutions(body, errors),
      toStored: ({ autoInclude, resolutions }) => ({
        ...(autoInclude !== undefined && { autoInclude }),
        ...(resolutions && {
          resolutions: resolutions.map(({ resourcePid, type, resolution }) => ({ resourcePid, type, resolution })),
        }),
      }),
    }),
    request('approve', {
      summary: 'Agree to the plan',
      body: APPROVE_BODY,
      toStored: ({ comment, planHash }) => ({ comment: comment ?? undefined, planHash }),
    }),
    request('reject', { summary: 'Refuse it for good', body: REASON_BODY, toStored: ({ reason }) => ({ reason }) }),
    request('cancel', {
      summary: 'Give it up',
      body: openObject({}, { reason: REMARK }),
      toStored: ({ reason }) => ({ reason: reason ?? undefined }),
    }),
    request('apply', {
      summary: 'Write it to the target, now or at a time',
      body: APPLY_BODY,
      toStored: ({ reason, consent, applyAt, soak, planHash }) => ({
        ...(planHash !== undefined && { planHash }),
        ...(consent && { consent }),
        ...(applyAt !== undefined && { applyAt: new Date(applyAt).toISOString() }),
        ...(soak && { soak }),
        reason,
      }),
    }),
  ];
}

function rollbackEndpoints(promotions: PromotionsService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: `${BASE}/:pid/rollback`,
      access,
      tag,
      summary: 'Make the inverse of an applied promotion, as a promotion of its own',
      body: openObject({}, { reason: REMARK }),
      data: PROMOTION,
      errors: ['PROMOTION_STATE', 'CONFLICT'],
      handle: async ({ actor, params, body: { reason = null } }) =>
        presentPromotion(await promotions.createRollback(actor, params.pid, reason)),
    }),
  ];
}
