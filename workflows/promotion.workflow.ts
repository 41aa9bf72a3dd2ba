import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import {
  allHandlersFinished,
  condition,
  defineSignal,
  defineUpdate,
  ParentClosePolicy,
  proxyLocalActivities,
  setHandler,
  sleep,
  startChild,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { CONFIGURATION } from './activity-options.ts';
import {
  PROMOTION_APPROVED,
  PROMOTION_REQUEST,
  promotionWorkflowId,
  type Activities,
  type PromotionInput,
  type PromotionState,
} from './contracts.ts';

const { handlePromotionRequest, readPromotion, expirePromotion, watchPromotion } =
  proxyLocalActivities<Activities>(CONFIGURATION);

const requestUpdate = defineUpdate<PromotionState, [{ requestPid: string }]>(PROMOTION_REQUEST);
const approvedSignal = defineSignal<[{ approvalPid: string }]>(PROMOTION_APPROVED);
const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const statusAttribute = keyword('promotionStatus');

const ENDED = new Set(['APPLIED', 'REJECTED', 'CANCELLED', 'EXPIRED']);

/**
 * Accompanies a promotion from its creation to its end: people's requests arrive as updates and are carried out one
 * after the other, scheduled applies when they are due, and a promotion that nobody applies expires. Every decision is
 * made in an activity's transaction, over rows; nothing that is sent here is believed.
 *
 * One that was applied with a soak is watched on, and taken back by its inverse, a promotion with a workflow of its own.
 */
export async function promotion({ promotionPid, expiresMs, requestPids = [] }: PromotionInput): Promise<string> {
  const expiresAt = Date.now() + expiresMs;
  let state: PromotionState = { status: 'DRAFT', applyAt: null, applyRequestPid: null };
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = (step: () => Promise<PromotionState>): Promise<PromotionState> => {
    const done = turn.then(step).then((next) => {
      if (next.status !== state.status) upsertSearchAttributes([{ key: statusAttribute, value: next.status }]);
      state = next;
      return next;
    });
    turn = done.catch(() => undefined);
    return done;
  };
  const handle = (requestPid: string, due: boolean): Promise<PromotionState> =>
    inTurn(() => handlePromotionRequest({ promotionPid, requestPid, due }));
  /** A request that failed may still have changed the state. */
  const look = (): Promise<PromotionState> => inTurn(() => readPromotion({ promotionPid }));

  const carryOut = async ({ requestPid }: { requestPid: string }): Promise<PromotionState> => {
    try {
      return await handle(requestPid, false);
    } catch (error) {
      await look();
      throw error;
    }
  };
  setHandler(requestUpdate, carryOut, { validator: requireRequestPid });
  setHandler(approvedSignal, async () => {
    await look();
  });

  // What failed is written down with its reason, as for people.
  for (const requestPid of requestPids) await carryOut({ requestPid }).catch(() => undefined);

  while (!ENDED.has(state.status)) {
    const { applyAt, applyRequestPid: scheduled } = state;
    const wakeAt = Math.min(expiresAt, applyAt ?? expiresAt);
    const before = state;
    const woken = await condition(() => state !== before, Math.max(1, wakeAt - Date.now()));
    if (woken) continue;
    // A failed apply has been written down with its reason; the promotion waits for the next request.
    if (scheduled && wakeAt === applyAt) await handle(scheduled, true).catch(look);
    else await inTurn(() => expirePromotion({ promotionPid }));
  }
  while (state.soak) {
    const { until, everyMs } = state.soak;
    await sleep(Math.max(1, Math.min(everyMs, until - Date.now())));
    const { rollback } = await inTurn(() => watchPromotion({ promotionPid }));
    if (rollback) await rollBack(rollback);
  }
  await condition(allHandlersFinished);
  return state.status;
}

/** Has the inverse promotion go its way in a workflow of its own, where people find it should it get stuck. */
async function rollBack({ targetEnv, ...input }: NonNullable<PromotionState['rollback']>): Promise<void> {
  const { promotionPid, requestPids } = input;
  try {
    await startChild(promotion, {
      workflowId: promotionWorkflowId(promotionPid),
      args: [input],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      typedSearchAttributes: new TypedSearchAttributes([
        { key: keyword('promotionPid'), value: promotionPid },
        { key: keyword('targetEnv'), value: targetEnv },
        { key: statusAttribute, value: 'DRAFT' },
      ]),
    });
  } catch {
    // Somebody was quicker to ask something of the inverse, and has started its workflow: that one knows no requests.
    for (const requestPid of requestPids) {
      await handlePromotionRequest({ promotionPid, requestPid, due: false }).catch(() => undefined);
    }
  }
}

/** Refused here, an update leaves no trace; an error in its handler would hold the workflow up. */
function requireRequestPid(input: { requestPid?: unknown } | undefined): void {
  if (typeof input?.requestPid !== 'string') throw new TypeError('a request is named by its pid');
}
