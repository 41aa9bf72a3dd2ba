import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';
import { heartbeating, isRetry } from './context.ts';

type StepCall = Omit<Parameters<Activities['runStep']>[0], 'runPid'>;

interface Automations {
  advanceRun(runPid: string): ReturnType<Activities['advanceRun']>;
  runStep(runPid: string, call: StepCall, isRepeated: boolean): ReturnType<Activities['runStep']>;
  fireSchedule(environment: string, automationCode: string, fireId: string): ReturnType<Activities['fireAutomation']>;
}

export function automationActivities(
  automations: Automations,
): Pick<Activities, 'advanceRun' | 'runStep' | 'fireAutomation'> {
  return {
    advanceRun: ({ runPid }) => failing(automations.advanceRun(runPid)),
    runStep: ({ runPid, ...call }) => heartbeating(automations.runStep(runPid, call, isRetry())),
    fireAutomation: ({ environment, automationCode, fireId }) =>
      failing(automations.fireSchedule(environment, automationCode, fireId)),
  };
}
