import { localizedError } from '../../../../foundation/errors/failure.ts';
import { visibleError, type RunWithSteps, type VisibleRun } from './run-visibility.ts';
import type { StepRow } from '../rows/step-store.ts';

/** A step as the API shows it, without its output. */
export function presentStep(step: StepRow) {
  const { key, stepId: id, iteration, type, status, attempt, error, dueAt } = step;
  return {
    id,
    key,
    type,
    status,
    attempt,
    ...(iteration.length > 0 && { iteration }),
    startedAt: step.startedAt,
    finishedAt: step.finishedAt,
    ...(dueAt !== null && step.finishedAt === null && { dueAt }),
    ...(type === 'approval' && { approvers: { role: step.approverRole, user: step.approverUser } }),
    error: localizedError(error),
  };
}

/** A run as the API shows it in lists. */
export function presentRun({ run, input, isWhole }: VisibleRun) {
  return {
    runPid: run.pid,
    automationCode: run.automationCode,
    version: run.version,
    status: run.status,
    trigger: run.trigger,
    input,
    startedBy: { userPid: run.userPid, username: run.username },
    parentRunPid: run.parentRunPid,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    error: localizedError(visibleError(run.error, isWhole)),
  };
}

/** Steps with what the reader may see of their outputs. */
export function presentSteps({ visible, steps, outputs }: RunWithSteps) {
  return steps.map((step) => ({
    ...presentStep({ ...step, error: visibleError(step.error, visible.isWhole) }),
    output: outputs.get(step.key) ?? null,
  }));
}

export function presentRunWithSteps(run: RunWithSteps) {
  return { ...presentRun(run.visible), stepCount: run.total, steps: presentSteps(run) };
}
