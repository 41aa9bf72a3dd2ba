import { validationError, type ApplicationError } from '../../../foundation/errors/application-error.ts';
import { EvaluationBudget } from '../../../foundation/expressions/evaluation/evaluation-budget.ts';
import type { Message } from '../../../foundation/i18n/text.ts';
import { type ExpressionContext, celLanguage } from '../../../foundation/expressions/language.ts';
import { zoneOfContext } from '../../../foundation/expressions/evaluation/zone-of-context.ts';
import { evaluationScope } from '../../../foundation/expressions/evaluation/evaluation-scope.ts';

/** Expressions of automations. */
export const automationCel = celLanguage(
  evaluationScope()
    .registerVariable('input', 'dyn', { description: 'what the run was given' })
    .registerVariable('event', 'dyn', { description: 'the event that started the run, or that a step waited for' })
    .registerVariable('steps', 'dyn', { description: 'what earlier steps gave, by step id' })
    .registerVariable('item', 'dyn', { description: 'within a for-each: what it is at' })
    .registerVariable('index', 'dyn', { description: 'within a for-each: the number of the item, from 0' })
    .registerVariable('loops', 'dyn', { description: 'item and index of every for-each around, by step id' })
    .registerVariable('run', 'dyn', { description: 'pid, automationCode, createdAt, startedBy' })
    .registerVariable('actor', 'dyn', { description: 'as whom the run acts: pid, username, tenantId' })
    .registerVariable('now', 'google.protobuf.Timestamp', { description: 'the time of the evaluation' }),
);

/**
 * Evaluates the expressions of one step. A failure names the expression by the step's key and its path in the
 * step.
 */
export class StepExpressions {
  readonly #key: string;
  readonly #variables: ExpressionContext;
  readonly #budget = new EvaluationBudget();

  constructor(key: string, variables: ExpressionContext) {
    this.#key = key;
    this.#variables = variables;
  }

  /** In which days are meant. */
  get timeZone(): string {
    return zoneOfContext(this.#variables);
  }

  /** @throws VALIDATION_ERROR, EXPRESSION_LIMIT */
  evaluate(source: string, path: string): unknown {
    return automationCel.evaluate(source, this.#variables, `${this.#key}.${path}`, this.#budget);
  }

  /** Whether a condition holds. @throws VALIDATION_ERROR, EXPRESSION_LIMIT */
  holds(source: string, path: string): boolean {
    return automationCel.holds(source, this.#variables, `${this.#key}.${path}`, this.#budget);
  }

  /** @throws VALIDATION_ERROR, EXPRESSION_LIMIT, also where the value is not a text */
  text(source: string, path: string): string {
    const value = this.evaluate(source, path);
    if (typeof value !== 'string') throw this.problem(path, 'is not a text');
    return value;
  }

  /** @throws VALIDATION_ERROR, EXPRESSION_LIMIT */
  evaluateAll(mapping: Readonly<Record<string, string>> | undefined, path: string): Record<string, unknown> {
    return automationCel.evaluateAll(mapping ?? {}, this.#variables, `${this.#key}.${path}`, this.#budget);
  }

  problem(path: string, message: Message): ApplicationError {
    return validationError({ [`${this.#key}.${path}`]: message });
  }
}
