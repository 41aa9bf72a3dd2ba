import type { Actor } from '../auth/actor.ts';
import { ApplicationError, conflict } from '../errors/application-error.ts';
import type { ApprovalStep } from '../metadata/automation-content.ts';
import type { RunRow } from './run-store.ts';
import type { StepRow } from './step-store.ts';

/** Whether somebody is asked by a step that waits for an approval: by a role they have, or by name. */
export function isAsked(step: StepRow, actor: Pick<Actor, 'roles' | 'userPid' | 'username'>): boolean {
  if (step.type !== 'approval' || step.status !== 'WAITING') return false;
  const { approver_role: role, approver_user: user } = step;
  return (role !== null && actor.roles.includes(role)) || user === actor.userPid || user === actor.username;
}

/** Whether somebody was ever asked by one of these steps. */
export function wasAsked(steps: readonly StepRow[], actor: Actor): boolean {
  return steps.some((step) => isAsked({ ...step, status: 'WAITING' }, actor));
}

/**
 * The step that an approver decides about.
 * @param named its key, where several wait
 * @throws CONFLICT (STATE) where none waits, CONFLICT (AMBIGUOUS); FORBIDDEN for whoever is not asked
 */
export function stepToDecide(steps: readonly StepRow[], named: string | null, actor: Actor): StepRow {
  const waiting = steps.filter(
    ({ type, status, key, step_id: id }) =>
      type === 'approval' && status === 'WAITING' && (named === null || key === named || id === named),
  );
  const [first] = waiting;
  if (!first) throw conflict('STATE', 'No step of the run waits for an approval');
  const mine = waiting.filter((step) => isAsked(step, actor));
  const [step] = mine;
  if (!step) throw notAsked(first);
  if (mine.length > 1) {
    throw conflict('AMBIGUOUS', 'Several steps wait for you: name one', { steps: mine.map(({ key }) => key) });
  }
  return step;
}

/** @throws FORBIDDEN where whoever began the run would decide about it */
export function checkFourEyes({ fourEyes }: ApprovalStep, run: RunRow, actor: Actor): void {
  if (!fourEyes || run.user_pid !== actor.userPid) return;
  throw new ApplicationError('FOUR_EYES_REQUIRED', { message: 'Somebody else than who began the run has to decide' });
}

function notAsked({ approver_role: role, approver_user: user }: StepRow): ApplicationError {
  const permission = role === null ? `user:${user ?? ''}` : `role:${role}`;
  return new ApplicationError('FORBIDDEN', {
    message: 'Somebody else is asked',
    data: { permission, reason: 'NOT_APPROVER' },
  });
}
