import { ulid } from 'ulid';
import { commandGroupWorkflowId, EXECUTE_COMMANDS } from '../../workflows/contracts.ts';
import { FINAL, outcomes, TRANSIENT, type Stubs } from '../support/stubs.ts';
import { runWorkflow } from '../support/workflows.ts';

const EXECUTIONS = ['one', 'two', 'three'];

/** Runs the workflow of a group to its end. Gives its pid. */
async function run(stubs: Stubs): Promise<string> {
  const groupPid = ulid();
  const input = { groupPid, executionPids: EXECUTIONS };
  await runWorkflow(EXECUTE_COMMANDS, input, stubs, commandGroupWorkflowId(groupPid));
  return groupPid;
}

describe('a group of commands', () => {
  it('is applied by one activity, and ends', async () => {
    const applyCommands = outcomes({ again: [] });

    const groupPid = await run({ applyCommands });

    expect(applyCommands.calls).toEqual([{ groupPid, executionPids: EXECUTIONS, isRepeated: false }]);
  });

  it('is applied again as a whole when its activity fails', async () => {
    const applyCommands = outcomes<{ again: string[] }>(TRANSIENT, { again: [] });

    await run({ applyCommands });

    expect(applyCommands.calls).toHaveLength(2);
  });

  it('retries by itself each command that was put off', async () => {
    const applyCommand = outcomes<void>(TRANSIENT, undefined);

    const groupPid = await run({ applyCommands: outcomes({ again: ['two'] }), applyCommand });

    const call = { executionPid: 'two', groupPid };
    expect(applyCommand.calls).toEqual([call, call]);
  });

  it('gives a workflow of its own to what does not succeed within the group', async () => {
    const startCommand = outcomes<void>(TRANSIENT, undefined);

    await run({
      applyCommands: outcomes({ again: ['one', 'three'] }),
      applyCommand: async ({ executionPid }) =>
        executionPid === 'one' ? undefined : outcomes<void>(FINAL)().then(() => undefined),
      startCommand,
    });

    expect(startCommand.calls).toEqual([{ executionPid: 'three' }, { executionPid: 'three' }]);
  });
});
