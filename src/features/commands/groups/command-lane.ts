import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { Metrics } from '../../../foundation/metrics/metrics.ts';
import { StartLane } from '../../../foundation/temporal/start-lane.ts';
import type { CommandStarter } from '../executions/command-starter.ts';
import type { ExecutionNotifier } from '../executions/execution-notifier.ts';
import type { NewExecution } from '../executions/execution-store.ts';
import { LANE } from './groups.limits.ts';

/** Starts the workflows of commands. */
export type CommandLane = StartLane<NewExecution>;

interface Sizes {
  /** Most commands of a group; 1: each command has a workflow of its own. */
  readonly commandGroupMax: number;
  readonly commandQueueMax: number;
}

/** The lane of commands: they count as unfinished until their end is announced. */
export function commandLane(
  starter: CommandStarter,
  notifier: ExecutionNotifier,
  { commandGroupMax, commandQueueMax }: Sizes,
  canRepeat: (error: unknown) => Promise<boolean>,
  metrics: Metrics,
): CommandLane {
  const { maxOfOneTenant, maxWaitMs, maxStillMs, maxHoldMs, returnMs, longMs } = LANE;
  return new StartLane<NewExecution>(
    {
      things: 'commands',
      maxSize: commandGroupMax,
      maxWaiting: commandQueueMax,
      maxOfOneTenant,
      maxStillMs,
      maxHoldMs,
      returnMs,
      maxWaitMs,
      startOne: (execution) => starter.start(execution),
      startGroup: (groupPid, executions) => starter.startGroup(groupPid, executions),
      canRepeat,
      holdUntil: ({ pid }) => notifier.wait(pid, longMs),
      overloaded,
    },
    metrics,
    'command',
  );
}

function overloaded(): ApplicationError {
  const data = { dependency: 'temporal', reason: 'BUSY' };
  const message = 'Too many commands are waiting; try again';
  return new ApplicationError('SERVICE_UNAVAILABLE', { message, data, retryAfterSeconds: 2 });
}
