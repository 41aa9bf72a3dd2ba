import { Context } from '@temporalio/activity';
import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';
import { heartbeating } from './heartbeating.ts';

type StepCall = Omit<Parameters<Activities['runStep']>[0], 'runPid'>;

interface Runs {
  advance(runPid: string): ReturnType<Activities['advanceRun']>;
}

interface Steps {
  run(runPid: string, call: StepCall, isRepeated: boolean): ReturnType<Activities['runStep']>;
}

interface ScheduledRuns {
  fire(environment: string, automationCode: string, fireId: string): ReturnType<Activities['fireAutomation']>;
}

export function automationActivities(
  runs: Runs,
  steps: Steps,
  scheduled: ScheduledRuns,
): Pick<Activities, 'advanceRun' | 'runStep' | 'fireAutomation'> {
  return {
    advanceRun: ({ runPid }) => failing(runs.advance(runPid)),
    runStep: ({ runPid, ...call }) => heartbeating(steps.run(runPid, call, Context.current().info.attempt > 1)),
    fireAutomation: ({ environment, automationCode, fireId }) =>
      failing(scheduled.fire(environment, automationCode, fireId)),
  };
}
