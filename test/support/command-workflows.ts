import { commandGroupWorkflowId, commandWorkflowId } from '../../workflows/contracts.ts';
import { executionRow, temporal, until } from './faults.ts';

/** A command's workflow: its own or, as the row of one that has ended says, that of its group. */
async function workflowHandle(executionPid: string) {
  const { workflow } = await temporal();
  const { groupPid } = (await executionRow(executionPid)) ?? {};
  return workflow.getHandle(groupPid ? commandGroupWorkflowId(groupPid) : commandWorkflowId(executionPid));
}

/** A command's workflow, once it has started: the command may have ended before. */
export async function workflowOf(executionPid: string) {
  const handle = await workflowHandle(executionPid);
  await until('the workflow starts', () => handle.describe());
  return handle;
}

/** The events of a command's workflow, as Temporal keeps them. */
export async function historyOf(executionPid: string) {
  const { events } = await (await workflowHandle(executionPid)).fetchHistory();
  return events ?? [];
}

/** Everything that Temporal keeps of a command's workflow, as text to search in. */
export async function historyText(executionPid: string): Promise<string> {
  // JSON has the bytes of arguments, memos and failures in base64.
  return JSON.stringify(await historyOf(executionPid), (key, value: unknown) =>
    key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
  );
}
