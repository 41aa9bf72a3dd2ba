import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyLocalActivities,
  proxyActivities,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { OUTBOUND, QUICK } from './activity-options.ts';
import { DELIVERY_CHANGED, type Activities, type DeliverWebhookInput, type DeliveryState } from './contracts.ts';

const { attemptDelivery } = proxyActivities<Activities>(OUTBOUND);
const { attemptQuickly } = proxyLocalActivities<Activities>(QUICK);

const changedSignal = defineSignal(DELIVERY_CHANGED);
const statusAttribute = defineSearchAttributeKey('status', SearchAttributeType.KEYWORD);

/**
 * Delivers one event to one subscription: an attempt, then the delay before the next one, until the row has
 * ended. A signal only shortens a delay; the row has the state.
 */
export async function deliverWebhook({ waitMs, ...input }: DeliverWebhookInput): Promise<string> {
  let hasChanged = false;
  setHandler(changedSignal, () => {
    hasChanged = true;
  });
  let status = '';
  if (waitMs !== undefined) await condition(() => hasChanged, waitMs);
  for (;;) {
    hasChanged = false;
    const state = (await quickAttempt(input)) ?? (await attemptDelivery(input));
    if (state.status !== status) {
      status = state.status;
      upsertSearchAttributes([{ key: statusAttribute, value: status }]);
    }
    if (!state.ended) await condition(() => hasChanged, state.waitMs);
    // A signal during the last attempt may mean a resend: the next read of the row shows it.
    else if (!hasChanged) return status;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliverWebhook>(input);
  }
}

/** @returns null if it is not possible or has failed: `attemptDelivery` retries for longer */
async function quickAttempt({ deliveryPid, subscriptionPid }: DeliverWebhookInput): Promise<DeliveryState | null> {
  if (subscriptionPid === undefined) return null;
  try {
    return await attemptQuickly({ deliveryPid, subscriptionPid });
  } catch (error) {
    if (isCancellation(error)) throw error;
    return null;
  }
}
