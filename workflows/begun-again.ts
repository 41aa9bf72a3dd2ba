import { workflowInfo } from '@temporalio/workflow';

/** Events of a history when its first workflow task begins: started, task scheduled, task started. */
const FIRST_EVENTS = 3;

/** For the first workflow task: whether an earlier worker began it and died, as a longer history shows. */
export function isBegunAgain(): boolean {
  return workflowInfo().historyLength > FIRST_EVENTS;
}
