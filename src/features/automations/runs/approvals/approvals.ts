import { personOf, type Actor } from '../../../../platform/auth/requests/actor.ts';
import { ApplicationError, conflict } from '../../../../foundation/errors/application-error.ts';
import type { ApprovalStep } from '../../steps/approval.step.ts';
import type { RunRow } from '../rows/run-store.ts';
import type { StepRow } from '../rows/step-store.ts';

/** Whether a user is an approver of a step, by a role or by pid. */
export function isApprover({ approverRole: role, approverUser: user }: StepRow, actor: Actor): boolean {
  return (role !== null && actor.roles.includes(role)) || user === actor.userPid;
}

/**
 * The waiting step that the actor is an approver of.
 * @param all the approvals that the run waits for
 * @param named the step's key or id, where several wait
 * @throws CONFLICT (STATE) where none waits, CONFLICT (AMBIGUOUS); FORBIDDEN where the actor is no approver
 */
export function stepToDecide(all: readonly StepRow[], named: string | null, actor: Actor): StepRow {
  const waiting = all.filter(({ key, stepId: id }) => named === null || key === named || id === named);
  const [first] = waiting;
  if (!first) throw conflict('STATE', 'No step of the run waits for an approval');
  const own = waiting.filter((step) => isApprover(step, actor));
  const [step] = own;
  if (!step) throw notApprover(first);
  if (own.length > 1) {
    throw conflict('AMBIGUOUS', 'Several steps wait for you: name one', { steps: own.map(({ key }) => key) });
  }
  return step;
}

/** @throws FOUR_EYES_REQUIRED where the person who started the run, or whose API key did, would decide */
export function checkFourEyes({ fourEyes }: ApprovalStep, run: RunRow, actor: Actor): void {
  if (!fourEyes || personOf(run) !== personOf(actor)) return;
  throw new ApplicationError('FOUR_EYES_REQUIRED', {
    message: 'Another person than the one who started the run must decide',
  });
}

function notApprover({ approverRole: role, approverUser: user }: StepRow): ApplicationError {
  const permission = role === null ? `user:${user ?? ''}` : `role:${role}`;
  return new ApplicationError('FORBIDDEN', {
    message: 'Somebody else is asked',
    data: { permission, reason: 'NOT_APPROVER' },
  });
}
