import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { ulid } from 'ulid';
import { ApplicationError, unavailable } from '../../src/errors/application-error.ts';
import { ERROR_CATALOGUE, type ErrorCode } from '../../src/errors/catalogue.ts';
import { codeOfFailure, toApplicationFailure } from '../../src/errors/failure.ts';
import type { CommandRunner } from '../../src/commands/command-runner.ts';
import { commandActivities } from '../../activities/commands.activities.ts';
import { workflowBundle } from '../../src/workflow-bundle.ts';
import { commandWorkflowId, EXECUTE_COMMAND } from '../../workflows/contracts.ts';
import { historyText, temporal, temporalAddress } from '../support/faults.ts';

const CODES = Object.keys(ERROR_CATALOGUE) as ErrorCode[];
const TASK_QUEUE = `failures-${ulid()}`;
const SECRET = 'mary@example.com';
const DATA = { fieldErrors: { email: `${SECRET} is taken` } };

/** What an attempt to apply an execution throws, by the execution's pid: null lets it succeed. */
const faults = new Map<string, (attempt: number) => Error | null>();
const attempts = new Map<string, number>();
const applyCommand = async ({ executionPid }: { executionPid: string }): Promise<void> => {
  const attempt = (attempts.get(executionPid) ?? 0) + 1;
  attempts.set(executionPid, attempt);
  const error = faults.get(executionPid)?.(attempt);
  if (error) throw error;
};
/** The program's own activity, around a runner that fails as the test wants it to. */
const { applyCommand: applyAsTheProgramDoes } = commandActivities({
  run: (executionPid: string) => applyCommand({ executionPid }),
} as CommandRunner);

let worker: Worker;
let running: Promise<void>;
let connection: NativeConnection;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  connection = await NativeConnection.connect({ address: temporalAddress() });
  worker = await Worker.create({
    connection,
    taskQueue: TASK_QUEUE,
    workflowBundle: await workflowBundle(),
    activities: {
      applyCommand: (input: { executionPid: string }) =>
        input.executionPid.startsWith('bare-') ? applyCommand(input) : applyAsTheProgramDoes(input),
    },
  });
  running = worker.run();
}, 60_000);

afterAll(async () => {
  worker.shutdown();
  await running;
  await connection.close();
});

/** Runs the workflow of an execution to its end, and gives its failure as a client sees it; null for none. */
async function failureOf(executionPid: string, fault: (attempt: number) => Error | null): Promise<unknown> {
  faults.set(executionPid, fault);
  const { workflow } = await temporal();
  const options = { workflowId: commandWorkflowId(executionPid), taskQueue: TASK_QUEUE };
  return workflow.execute(EXECUTE_COMMAND, { ...options, args: [{ executionPid }] }).then(
    () => null,
    (failure: unknown) => failure,
  );
}

describe('a code of the error catalogue', () => {
  it.each(CODES)('%s goes through activity, workflow and client, and comes back unchanged', async (code) => {
    const pid = `bare-${ulid()}`;

    const failure = await failureOf(pid, () => toApplicationFailure(new ApplicationError(code, { data: DATA })));

    expect(codeOfFailure(failure)).toBe(code);
    expect(attempts.get(pid)).toBe(1);
    expect(await historyText(pid)).not.toContain(SECRET);
  });
});

describe('a command that fails', () => {
  it.each(CODES.filter((code) => code !== 'SERVICE_UNAVAILABLE'))('with %s is not tried again', async (code) => {
    const pid = ulid();
    const error = new ApplicationError(code, { data: DATA, cause: new Error(SECRET) });

    const failure = await failureOf(pid, () => error);

    expect(codeOfFailure(failure)).toBe(code);
    expect(attempts.get(pid)).toBe(1);
    expect(await historyText(pid)).not.toContain(SECRET);
  });

  it.each([
    ['SERVICE_UNAVAILABLE', unavailable('postgres', new Error(SECRET))],
    ['a deadlock', Object.assign(new Error(`deadlock of ${SECRET}`), { code: '40P01' })],
  ])('with %s is tried again until it succeeds', async (_what, error) => {
    const pid = ulid();

    expect(await failureOf(pid, (attempt) => (attempt < 3 ? error : null))).toBeNull();

    expect(attempts.get(pid)).toBe(3);
    expect(await historyText(pid)).not.toContain(SECRET);
  });
});
