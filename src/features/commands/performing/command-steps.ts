import { inTurn } from '../../../foundation/jobs/turns.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import {
  compute,
  computeAll,
  evaluate,
  evaluateAll,
  holds,
  type ExpressionContext,
} from '../definition/command-cel.ts';
import { EvaluationBudget } from '../../../foundation/expressions/evaluation/evaluation-budget.ts';
import { inTimeZone } from '../../../foundation/expressions/evaluation/zone-of-context.ts';
import type { CommandContent, CommandRuleContent } from '../definition/command-content.ts';
import { stepOrigins } from '../definition/command-origins.ts';
import type { CommandWriter } from '../steps/command-writer.ts';
import type { StepExecution } from '../steps/command-step.ts';
import { kindOf } from '../steps/step-kinds.ts';
import { refused } from '../../../platform/records/writing/record-checks.ts';

/** What expressions of a command read. `record` is the target as it was before the command. */
export function expressionContext(
  actor: Actor,
  payload: Readonly<Record<string, unknown>>,
  record: Readonly<Record<string, unknown>> | null,
): ExpressionContext {
  const { userPid: pid, username, tenantId, timeZone } = actor;
  const variables = { payload, record, steps: {}, actor: { pid, username, tenantId }, now: new Date() };
  return inTimeZone(variables, timeZone);
}

/**
 * @param isChecked whether a rule with an expression is asked
 * @throws the first broken rule's error: CONFLICT with its reason, or VALIDATION_ERROR at its field;
 * EXPRESSION_LIMIT
 */
export function checkRules(
  rules: readonly CommandRuleContent[] = [],
  context: ExpressionContext,
  isChecked: (assert: string) => boolean = () => true,
): void {
  const budget = new EvaluationBudget();
  for (const [index, { assert, message, code = 'CONFLICT', reason = 'STATE', field = 'payload' }] of rules.entries()) {
    if (!isChecked(assert) || holds(assert, context, `rules.${index}.assert`, budget)) continue;
    throw refused(message, code === 'CONFLICT' ? { reason } : { fields: [field] });
  }
}

/**
 * Runs the steps in their order and gives the command's result. All of it is one transaction: all or nothing.
 */
export async function runSteps(
  command: CommandContent,
  actor: Actor,
  writer: CommandWriter,
  context: ExpressionContext,
): Promise<unknown> {
  const { steps = [], result } = command;
  const answered: Record<string, unknown> = {};
  const read: Record<string, unknown> = {};
  for (const step of steps) {
    const { id, when } = step;
    const kind = kindOf(step);
    const current = { ...context, steps: read };
    const isLeftOut = when !== undefined && !holds(when, current, `steps.${id}.when`);
    const given = isLeftOut ? null : await kind.run(step, stepExecution(command, id, actor, writer, current));
    if (kind.isAnswered) answered[id] = given?.output ?? null;
    read[id] = given?.read ?? null;
  }
  if (!result) return answered;
  return inTurn(() => evaluateAll(result, { ...context, steps: read }, 'result'));
}

function stepExecution(
  command: CommandContent,
  id: string,
  actor: Actor,
  writer: CommandWriter,
  context: ExpressionContext,
): StepExecution {
  const at = (path: string): string => `steps.${id}.${path}`;
  return {
    actor,
    writer,
    evaluate: (source, path) => evaluate(source, context, at(path)),
    compute: (source, path) => compute(source, context, at(path)),
    holds: (source, path) => holds(source, context, at(path)),
    evaluateAll: (mapping, path) => inTurn(() => evaluateAll(mapping, context, at(path))),
    computeAll: (mapping, path) => inTurn(() => computeAll(mapping, context, at(path))),
    forItem: (item) => stepExecution(command, id, actor, writer, { ...context, item }),
    originOf: stepOrigins(command, id),
  };
}
