import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { controlSchema, FAIL_OR_CONTINUE, ROLE, toRole } from './step-schema.ts';
import { Type, type Static } from 'typebox';
import { text } from '../../../foundation/i18n/text.ts';
import { withMembers } from '../../../foundation/expressions/value-origin.ts';
import { EXPRESSION } from '../../../platform/metadata/content/schema-parts.ts';
import { problemOfFit, WANTED } from '../../../platform/metadata/models/value-fit.ts';
import type { ControlStepKind, StepStart } from './step-kind.ts';
import { timedOut, timeoutAt, WAIT_TIMEOUT } from './wait-timeout.ts';

const schema = controlSchema('approval', {
  /** The question to the approver. */
  message: Type.Optional(EXPRESSION),
  role: Type.Optional(ROLE),
  /** The pid or the e-mail of a user of the tenant. */
  user: Type.Optional(EXPRESSION),
  /** The person who started the run, or whose API key did, may not decide. */
  fourEyes: Type.Optional(Type.Boolean()),
  onReject: Type.Optional(FAIL_OR_CONTINUE),
  ...WAIT_TIMEOUT,
});
export type ApprovalStep = Static<typeof schema>;

/** Expressions that give a user name, which is not unique. */
const USER_NAME = /\bactor\.username\b|\brun\.startedBy\b/;

/** Waits for the decision of a person, which `AutomationsService` stores. */
export const approvalStep: ControlStepKind<ApprovalStep> = {
  schema,
  problemOf: ({ role, user = '' }) => {
    if (role === undefined && user === '') return 'needs a role or a user who may decide';
    return USER_NAME.test(user) ? 'user must give a pid or an e-mail, such as actor.pid: names are not unique' : null;
  },
  outputType: () => ({
    fields: { message: 'any', approved: 'boolean', comment: 'text', by: 'any', timedOut: 'boolean' },
  }),
  outputOrigin: ({ message }, originOf) => withMembers(message === undefined ? [] : [['message', originOf(message)]]),
  references: ({ role }) => toRole('role', role),
  problemsAmong({ user }, _after, check): FieldErrors {
    const problem = user === undefined ? null : problemOfFit(WANTED.text, user, check);
    return problem ? { user: problem } : {};
  },

  async begin(step, start) {
    const { expressions } = start;
    const approverUser = step.user === undefined ? null : await memberOf(step.user, start);
    return {
      status: 'WAITING',
      approverRole: step.role ?? null,
      approverUser,
      dueAt: timeoutAt(step, start),
      output: { message: step.message === undefined ? null : expressions.evaluate(step.message, 'message') },
    };
  },

  expire: timedOut,
};

/** The pid of the user that an expression names. @throws VALIDATION_ERROR */
async function memberOf(source: string, { expressions, findMember }: StepStart): Promise<string> {
  const named = expressions.text(source, 'user');
  const pid = await findMember(named);
  if (pid !== null) return pid;
  const problem = text('"{user}" is not the pid or e-mail of an active user of this tenant', {
    user: named.slice(0, 320),
  });
  throw expressions.problem('user', problem);
}
