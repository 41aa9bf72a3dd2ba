import { Type, type Static } from 'typebox';
import { EXPRESSION } from '../../../platform/metadata/content/schema-parts.ts';
import type { ControlStepKind } from './step-kind.ts';
import { toRole } from './step-references.ts';
import { controlSchema, FAIL_OR_CONTINUE, ROLE } from './step-schema.ts';
import { timedOut, timeoutAt, WAIT_TIMEOUT } from './wait-timeout.ts';

const schema = controlSchema('approval', {
  /** What the approver is asked. */
  message: Type.Optional(EXPRESSION),
  role: Type.Optional(ROLE),
  /** The pid or the username of a user. */
  user: Type.Optional(EXPRESSION),
  /** The person who started the run, or whose API key did, may not decide. */
  fourEyes: Type.Optional(Type.Boolean()),
  onReject: Type.Optional(FAIL_OR_CONTINUE),
  ...WAIT_TIMEOUT,
});
export type ApprovalStep = Static<typeof schema>;

/** Waits for a person's decision, which `AutomationsService` takes. */
export const approvalStep: ControlStepKind<ApprovalStep> = {
  schema,
  problemOf: ({ role, user }) =>
    role === undefined && user === undefined ? 'needs a role or a user who may decide' : null,
  references: ({ role }) => toRole('role', role),

  begin(step, start) {
    const { expressions } = start;
    const user = step.user === undefined ? null : expressions.evaluate(step.user, 'user');
    if (user !== null && typeof user !== 'string') throw expressions.problem('user', 'is not a text');
    return {
      status: 'WAITING',
      approverRole: step.role ?? null,
      approverUser: user,
      dueAt: timeoutAt(step, start),
      output: { message: step.message === undefined ? null : expressions.evaluate(step.message, 'message') },
    };
  },

  expire: timedOut,
};
