import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { OUTBOUND } from './activity-options.ts';
import { DELIVERY_CHANGED, type Activities, type DeliverWebhookInput } from './contracts.ts';

const { attemptDelivery } = proxyActivities<Activities>(OUTBOUND);

const changedSignal = defineSignal(DELIVERY_CHANGED);
const statusAttribute = defineSearchAttributeKey('status', SearchAttributeType.KEYWORD);

/**
 * Goes on with a delivery that its first attempt has not ended: the delay, an attempt, until the row has
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
    const state = await attemptDelivery(input);
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
