import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  allHandlersFinished,
  condition,
  defineSignal,
  defineUpdate,
  proxyLocalActivities,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { CONFIGURATION } from './activity-options.ts';
import {
  PROMOTION_APPROVED,
  PROMOTION_REQUEST,
  type Activities,
  type PromotionInput,
  type PromotionState,
} from './contracts.ts';

const { handlePromotionRequest, readPromotion, expirePromotion } = proxyLocalActivities<Activities>(CONFIGURATION);

const requestUpdate = defineUpdate<PromotionState, [{ requestPid: string }]>(PROMOTION_REQUEST);
const approvedSignal = defineSignal<[{ approvalPid: string }]>(PROMOTION_APPROVED);
const statusAttribute = defineSearchAttributeKey('promotionStatus', SearchAttributeType.KEYWORD);

const ENDED = new Set(['APPLIED', 'REJECTED', 'CANCELLED', 'EXPIRED']);

/**
 * Accompanies a promotion from its creation to its end: people's requests arrive as updates and are carried out one
 * after the other, scheduled applies when they are due, and a promotion that nobody applies expires. Every decision is
 * made in an activity's transaction, over rows; nothing that is sent here is believed.
 */
export async function promotion({ promotionPid, expiresMs }: PromotionInput): Promise<string> {
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
  await condition(allHandlersFinished);
  return state.status;
}

/** Refused here, an update leaves no trace; an error in its handler would hold the workflow up. */
function requireRequestPid(input: { requestPid?: unknown } | undefined): void {
  if (typeof input?.requestPid !== 'string') throw new TypeError('a request is named by its pid');
}
