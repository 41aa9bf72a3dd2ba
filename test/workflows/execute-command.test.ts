import { ulid } from 'ulid';
import { commandActivities } from '../../activities/commands.activities.ts';
import { ApplicationError, unavailable } from '../../src/foundation/errors/application-error.ts';
import { ERROR_CATALOGUE, type ErrorCode } from '../../src/foundation/errors/catalogue.ts';
import { codeOfFailure, toApplicationFailure } from '../../src/foundation/errors/temporal-failure.ts';
import { commandWorkflowId, EXECUTE_COMMAND, type Activities } from '../../workflows/contracts.ts';
import { historyText } from '../support/command-workflows.ts';
import {} from '../support/stubs.ts';
import { runWorkflow } from '../support/workflows.ts';

const CODES = Object.keys(ERROR_CATALOGUE) as ErrorCode[];
const NO_GROUPS = { runGroup: async () => ({ again: [] }), startAlone: async () => undefined };
const SECRET = 'mary@example.com';
const DATA = { fieldErrors: { email: `${SECRET} is taken` } };

/** Runs the workflow of an execution to its end; `failure` is what a client gets, null for none. */
async function failureOf(executionPid: string, applyCommand: Activities['applyCommand']): Promise<unknown> {
  const workflowId = commandWorkflowId(executionPid);
  return runWorkflow(EXECUTE_COMMAND, { executionPid }, { applyCommand }, workflowId).then(
    () => null,
    (failure: unknown) => failure,
  );
}

describe('a code of the error catalogue', () => {
  it.each(CODES)('%s goes through activity, workflow and client, and comes back unchanged', async (code) => {
    const executionPid = ulid();
    const inputs: unknown[] = [];

    const failure = await failureOf(executionPid, async (input) => {
      inputs.push(input);
      throw toApplicationFailure(new ApplicationError(code, { data: DATA }));
    });

    expect(codeOfFailure(failure)).toBe(code);
    expect(inputs).toEqual([{ executionPid }]);
    expect(await historyText(executionPid)).not.toContain(SECRET);
  });
});

describe('a command that fails', () => {
  /** The program's own activity, around a runner whose attempts fail like this; null lets one succeed. */
  const failing = (errorOf: (attempt: number) => Error | null) => {
    const attempts: string[] = [];
    const run = async (executionPid: string): Promise<void> => {
      attempts.push(executionPid);
      const error = errorOf(attempts.length);
      if (error) throw error;
    };
    return { attempts, ...commandActivities({ ...NO_GROUPS, run }, { run: async () => undefined }) };
  };

  it.each(CODES.filter((code) => code !== 'SERVICE_UNAVAILABLE'))('with %s is not tried again', async (code) => {
    const executionPid = ulid();
    const error = new ApplicationError(code, { data: DATA, cause: new Error(SECRET) });
    const { attempts, applyCommand } = failing(() => error);

    const failure = await failureOf(executionPid, applyCommand);

    expect(codeOfFailure(failure)).toBe(code);
    expect(attempts).toEqual([executionPid]);
    expect(await historyText(executionPid)).not.toContain(SECRET);
  });

  it.each([
    ['SERVICE_UNAVAILABLE', unavailable('postgres', new Error(SECRET))],
    ['a deadlock', Object.assign(new Error(`deadlock of ${SECRET}`), { code: '40P01' })],
  ])('with %s is tried again until it succeeds', async (_what, error) => {
    const executionPid = ulid();
    const { attempts, applyCommand } = failing((attempt) => (attempt < 3 ? error : null));

    expect(await failureOf(executionPid, applyCommand)).toBeNull();

    expect(attempts).toEqual([executionPid, executionPid, executionPid]);
    expect(await historyText(executionPid)).not.toContain(SECRET);
  });
});
