import { saidFailure } from '../i18n/said.ts';
import type { RunRow } from './run-store.ts';
import type { StepRow } from './step-store.ts';

/** A step as the API shows it: what it gave stays inside. */
export function presentStep(step: StepRow) {
  const { key, step_id: id, iteration, type, status, attempt, error, due_at: dueAt } = step;
  return {
    id,
    ...{ key, type, status, attempt },
    ...(iteration.length > 0 && { iteration }),
    startedAt: step.started_at,
    finishedAt: step.finished_at,
    ...(dueAt !== null && step.finished_at === null && { dueAt }),
    ...(type === 'approval' && { approvers: { role: step.approver_role, user: step.approver_user } }),
    error: saidFailure(error),
  };
}

/** A run as the API shows it in lists. */
export function presentRun(run: RunRow) {
  return {
    runPid: run.pid,
    automationCode: run.automation_code,
    version: run.version,
    status: run.status,
    trigger: run.trigger,
    input: run.input,
    startedBy: { userPid: run.user_pid, username: run.username },
    parentRunPid: run.parent_run_pid,
    createdAt: run.created_at,
    startedAt: run.started_at,
    finishedAt: run.finished_at,
    error: saidFailure(run.error),
  };
}

export function presentRunWithSteps(run: RunRow, steps: readonly StepRow[]) {
  return { ...presentRun(run), steps: steps.map(presentStep) };
}
