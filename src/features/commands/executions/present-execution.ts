import { executionState } from './execution-stream.ts';
import type { ListedExecution } from './executions.ts';

/** An execution as lists show it. */
export function presentListed(execution: ListedExecution) {
  const { operation, targetRecordId, userPid, username, traceId } = execution;
  const { error, ...state } = executionState(execution);
  // The data of an error can hold values of the record; readers of the list are not its caller only.
  const told = error && { code: error.code, message: error.message };
  return { ...state, operation, targetRecordId, userPid, username, traceId, error: told };
}
