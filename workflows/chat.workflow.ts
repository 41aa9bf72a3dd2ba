import {
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { GENERATION, TRANSACTION } from './activity-options.ts';
import { CHAT_CHANGED, type Activities, type ChatInput, type ChatState } from './contracts.ts';

const { makeReply } = proxyActivities<Activities>(GENERATION);
const { giveReplyUp } = proxyLocalActivities<Activities>(TRANSACTION);

const changedSignal = defineSignal(CHAT_CHANGED);

/**
 * Makes one reply of an assistant: a worker generates until the reply ends, or waits for its turn or for a
 * confirmation. A signal only shortens the wait; the row has the state.
 */
export async function chat(input: ChatInput): Promise<string> {
  let hasChanged = false;
  setHandler(changedSignal, () => {
    hasChanged = true;
  });
  for (;;) {
    hasChanged = false;
    const state = await reply(input);
    if (state.ended) return state.status;
    await condition(() => hasChanged, Math.max(1, state.waitMs));
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof chat>(input);
  }
}

/** A reply that no worker could make ends with an error that its reader sees. */
async function reply(input: ChatInput): Promise<ChatState> {
  try {
    return await makeReply(input);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return giveReplyUp(input);
  }
}
