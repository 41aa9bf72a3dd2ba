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
 * Accompanies a promotion from its creation to its end. Requests arrive as updates and are handled one after
 * the other, scheduled applies at their time; an unapplied promotion expires. Every decision is made in an
 * activity's transaction over rows, because the data of updates and signals is not trusted.
 *
 * An applied promotion with a soak is watched, and rolled back by its inverse, which has a workflow of its
 * own.
 */
export async function promotion({ promotionPid, expiresMs, requestPids = [] }: PromotionInput): Promise<string> {
  const asksAt = Date.now() + expiresMs;
  let state: PromotionState = { status: 'DRAFT', applyAt: null, applyRequestPid: null };
  let queue: Promise<unknown> = Promise.resolve();

  const serialized = (step: () => Promise<PromotionState>): Promise<PromotionState> => {
    const done = queue.then(step).then((next) => {
      if (next.status !== state.status) upsertSearchAttributes([{ key: statusAttribute, value: next.status }]);
      state = next;
      return next;
    });
    queue = done.catch(() => undefined);
    return done;
  };
  const runRequest = (requestPid: string, due: boolean): Promise<PromotionState> =>
    serialized(() => handlePromotionRequest({ promotionPid, requestPid, due }));
  /** Reads the state again, because a failed request may have changed it. */
  const refresh = (): Promise<PromotionState> => serialized(() => readPromotion({ promotionPid }));

  const handleRequest = async ({ requestPid }: { requestPid: string }): Promise<PromotionState> => {
    try {
      return await runRequest(requestPid, false);
    } catch (error) {
      await refresh();
      throw error;
    }
  };
  setHandler(requestUpdate, handleRequest, { validator: requireRequestPid });
  setHandler(approvedSignal, async () => {
    await refresh();
  });

  // A failure is recorded in the row with its reason.
  for (const requestPid of requestPids) await handleRequest({ requestPid }).catch(() => undefined);

  while (!ENDED.has(state.status)) {
    const { applyAt, applyRequestPid: scheduled, expiresAt = asksAt } = state;
    const wakeAt = Math.min(expiresAt, applyAt ?? expiresAt);
    const before = state;
    const woken = await condition(() => state !== before, Math.max(1, wakeAt - Date.now()));
    if (woken) continue;
    // A failed apply is recorded with its reason; the promotion waits for the next request.
    if (scheduled && wakeAt === applyAt) await runRequest(scheduled, true).catch(refresh);
    else await serialized(() => expirePromotion({ promotionPid }));
  }
  while (state.soak) {
    const { until, everyMs } = state.soak;
    await sleep(Math.max(1, Math.min(everyMs, until - Date.now())));
    const { rollback } = await serialized(() => watchPromotion({ promotionPid }));
    if (rollback) await rollBack(rollback);
  }
  await condition(allHandlersFinished);
  return state.status;
}

/** Starts the inverse promotion in a workflow of its own, where operators find it if it does not finish. */
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
    // A request by a person has started the inverse's workflow first, without these requests.
    for (const requestPid of requestPids) {
      await handlePromotionRequest({ promotionPid, requestPid, due: false }).catch(() => undefined);
    }
  }
}

/** Validates before the handler, because an error in the handler would block the workflow. */
function requireRequestPid(input: { requestPid?: unknown } | undefined): void {
  if (typeof input?.requestPid !== 'string') throw new TypeError('a request is named by its pid');
}
