import { Context } from '@temporalio/activity';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Worker } from '@temporalio/worker';
import { ulid } from 'ulid';
import { afterEachFile } from '../../scripts/testing/jest/after-each-file.cjs';
import { codeOfFailure } from '../../src/foundation/errors/temporal-failure.ts';
import { workflowBundle } from '../../src/foundation/temporal/workflow-bundle.ts';
import type { Activities } from '../../workflows/contracts.ts';
import { temporalAddress, until } from './faults.ts';
import { installQuietRuntime } from './quiet-temporal.ts';
import type { Stubs } from './stubs.ts';

/*
 * Today's workflows on the Temporal server of the test run, in a worker of the test file whose activities are
 * stubs. What a test sees is the workflow's own part: the order of its steps, its retries, its answers to
 * signals and updates.
 */

type Handle = WorkflowHandleWithFirstExecutionRunId;

const TASK_QUEUE = `stubs-${ulid()}`;
/** By workflow id: a workflow that one test leaves behind never calls the stubs of the next. */
const stubsOf = new Map<string, Stubs>();
interface StubWorker {
  readonly environment: TestWorkflowEnvironment;
  readonly stop: () => Promise<void>;
}

let started: Promise<StubWorker> | null = null;

/** The first workflow of a file starts it. */
function stubWorker(): Promise<StubWorker> {
  started ??= startStubWorker();
  return started;
}

async function startStubWorker(): Promise<StubWorker> {
  const logger = new DefaultLogger('ERROR');
  installQuietRuntime();
  const environment = await TestWorkflowEnvironment.createFromExistingServer({ address: temporalAddress() });
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue: TASK_QUEUE,
    workflowBundle: await workflowBundle(logger),
    // `default` stands for every activity.
    activities: { default: callStub },
    shutdownGraceTime: 100,
  });
  const running = worker.run();
  return {
    environment,
    async stop() {
      worker.shutdown();
      await running;
      await environment.teardown();
    },
  };
}

afterEachFile(async () => {
  if (!started) return;
  const { environment, stop } = await started;
  const handles = [...stubsOf.keys()].map((workflowId) => environment.client.workflow.getHandle(workflowId));
  await Promise.all(handles.map((handle) => handle.terminate().catch(() => undefined)));
  stubsOf.clear();
  await stop();
  started = null;
});

async function callStub(...input: unknown[]): Promise<unknown> {
  const { activityType, workflowExecution } = Context.current().info;
  const stub = stubsOf.get(workflowExecution?.workflowId ?? '')?.[activityType as keyof Activities];
  if (!stub) throw new TypeError(`the test has no stub of ${activityType}`);
  return (stub as (...input: unknown[]) => Promise<unknown>)(...input);
}

/** Starts a workflow whose activities are these stubs. */
export async function startWorkflow(
  type: string,
  input: unknown,
  stubs: Stubs,
  workflowId = `stubbed:${ulid()}`,
): Promise<Handle> {
  useStubs(workflowId, stubs);
  const args = input === undefined ? [] : [input];
  const { environment } = await stubWorker();
  return environment.client.workflow.start(type, { workflowId, taskQueue: TASK_QUEUE, args });
}

/** Runs a workflow to its end and gives its result. */
export async function runWorkflow(type: string, input: unknown, stubs: Stubs, workflowId?: string): Promise<unknown> {
  return (await startWorkflow(type, input, stubs, workflowId)).result();
}

/** The code of the error by which a workflow fails; null for none. */
export async function failureCodeOf(...workflow: Parameters<typeof runWorkflow>): Promise<string | null> {
  return runWorkflow(...workflow).then(() => null, codeOfFailure);
}

/** Gives a workflow that another workflow starts its stubs. */
export function useStubs(workflowId: string, stubs: Stubs): void {
  stubsOf.set(workflowId, stubs);
}

/** Resolves when a workflow waits for nothing but a timer, and gives its length in milliseconds. */
export function timerOf({ workflowId }: Handle): Promise<number> {
  return until('the workflow waits for a timer', async () => {
    const timers = await eventsOf(workflowId, 'timerStartedEventAttributes');
    return milliseconds(timers.at(-1)?.startToFireTimeout);
  });
}

/** How a workflow has scheduled its activities: those that are tasks, not local. */
export async function schedulingOf({ workflowId }: Handle) {
  const scheduled = await eventsOf(workflowId, 'activityTaskScheduledEventAttributes');
  return scheduled.map(({ activityType, retryPolicy, ...timeouts }) => ({
    activity: activityType?.name,
    startToCloseMs: milliseconds(timeouts.startToCloseTimeout),
    scheduleToCloseMs: milliseconds(timeouts.scheduleToCloseTimeout),
    heartbeatMs: milliseconds(timeouts.heartbeatTimeout),
    maximumAttempts: retryPolicy?.maximumAttempts,
  }));
}

async function eventsOf<Kind extends 'timerStartedEventAttributes' | 'activityTaskScheduledEventAttributes'>(
  workflowId: string,
  kind: Kind,
) {
  const { environment } = await stubWorker();
  const { events } = await environment.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap((event) => event[kind] ?? []);
}

function milliseconds(duration?: { seconds?: unknown; nanos?: number | null } | null): number {
  return Number(duration?.seconds ?? 0) * 1_000 + (duration?.nanos ?? 0) / 1e6;
}
