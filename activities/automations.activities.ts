import { heartbeat } from '@temporalio/activity';
import type { RunAdvancer } from '../src/automations/run-advancer.ts';
import type { ScheduledRuns } from '../src/automations/scheduled-runs.ts';
import type { StepRunner } from '../src/automations/step-runner.ts';
import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';

/** Well below the heartbeat timeout: one that gets lost does no harm. */
const HEARTBEAT_MS = 2_500;

export function automationActivities(
  advancer: RunAdvancer,
  runner: StepRunner,
  scheduled: ScheduledRuns,
): Pick<Activities, 'advanceRun' | 'runStep' | 'fireAutomation'> {
  return {
    advanceRun: ({ runPid }) => failing(advancer.advance(runPid)),
    async runStep({ runPid, ...call }) {
      const beating = setInterval(() => heartbeat(), HEARTBEAT_MS);
      try {
        await failing(runner.run(runPid, call));
      } finally {
        clearInterval(beating);
      }
    },
    fireAutomation: ({ environment, automationCode, fireId }) =>
      failing(scheduled.fire(environment, automationCode, fireId)),
  };
}
