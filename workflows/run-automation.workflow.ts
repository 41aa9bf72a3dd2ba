import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { OUTBOUND, TRANSACTION } from './activity-options.ts';
import { RUN_CHANGED, type Activities, type RunAutomationInput, type StepCall } from './contracts.ts';

const { advanceRun } = proxyLocalActivities<Activities>(TRANSACTION);

const changedSignal = defineSignal(RUN_CHANGED);
const statusAttribute = defineSearchAttributeKey('status', SearchAttributeType.KEYWORD);

/** So many events of history, and the run goes on in a new one: replaying it stays cheap. */
const MAX_EVENTS = 500;
/** What a step's activity needs beside the step: to begin, and to write down what came of it. */
const MARGIN_MS = 30_000;
const PAUSE = '5 seconds';

/**
 * Carries one run of an automation to its end. It knows nothing of the definition: an activity looks at the rows and says
 * which steps are to be done and when to look again, and each step is an activity of its own. A signal only means "look".
 */
export async function runAutomation(input: RunAutomationInput): Promise<string> {
  const underWay = new Set<string>();
  let hasChanged = false;
  let status = '';
  setHandler(changedSignal, () => {
    hasChanged = true;
  });

  const begin = ({ key, attempt, timeoutMs }: StepCall): void => {
    if (underWay.has(key)) return;
    underWay.add(key);
    const { runStep } = proxyActivities<Activities>({ ...OUTBOUND, startToCloseTimeout: timeoutMs + MARGIN_MS });
    void runStep({ ...input, key, attempt, timeoutMs })
      // Not a failure of the step, which stands in its row: something is wrong here, and must not spin.
      .catch(() => sleep(PAUSE))
      .then(() => {
        underWay.delete(key);
        hasChanged = true;
      });
  };

  for (;;) {
    hasChanged = false;
    const state = await advanceRun(input);
    if (state.status !== status) {
      status = state.status;
      upsertSearchAttributes([{ key: statusAttribute, value: status }]);
    }
    // Cancelled or retried while it was ending: the next look at the rows tells.
    if (state.ended && underWay.size === 0 && !hasChanged) return status;
    const isLong = workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > MAX_EVENTS;
    if (isLong) {
      await condition(() => underWay.size === 0);
      await continueAsNew<typeof runAutomation>(input);
    }
    for (const call of state.steps) begin(call);
    await condition(() => hasChanged, state.waitMs);
  }
}
