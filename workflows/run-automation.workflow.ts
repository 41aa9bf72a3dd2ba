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

/** Length of the history at which the workflow continues as new, so that replays stay cheap. */
const MAX_EVENTS = 500;
/** Time for a step's activity beside the step itself: to start, and to write the outcome. */
const MARGIN_MS = 30_000;
const FAULT_PAUSE = '5 seconds';

/**
 * Executes one run of an automation without knowing its definition: an activity reads the rows and returns
 * the steps to execute and when to look again; each step is an activity of its own. A signal only means "look
 * again".
 */
export async function runAutomation(input: RunAutomationInput): Promise<string> {
  const running = new Set<string>();
  let hasChanged = false;
  let status = '';
  setHandler(changedSignal, () => {
    hasChanged = true;
  });

  const startStep = ({ key, attempt, timeoutMs }: StepCall): void => {
    if (running.has(key)) return;
    running.add(key);
    const { runStep } = proxyActivities<Activities>({ ...OUTBOUND, startToCloseTimeout: timeoutMs + MARGIN_MS });
    void runStep({ ...input, key, attempt, timeoutMs })
      // A failing step is in its row. This is a fault of ours, which must not loop without a pause.
      .catch(() => sleep(FAULT_PAUSE))
      .then(() => {
        running.delete(key);
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
    // A signal at the end may mean a cancellation or retry: the next read of the rows shows it.
    if (state.ended && running.size === 0 && !hasChanged) return status;
    const isLong = workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > MAX_EVENTS;
    if (isLong) {
      await condition(() => running.size === 0);
      await continueAsNew<typeof runAutomation>(input);
    }
    for (const call of state.steps) startStep(call);
    await condition(() => hasChanged, state.waitMs);
  }
}
