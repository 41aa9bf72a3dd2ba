import { validationError, type ApplicationError } from '../../../foundation/errors/application-error.ts';
import { automationCel } from '../../../foundation/expressions/automation-cel.ts';
import { StepBudget } from '../../../foundation/expressions/evaluation/step-budget.ts';
import type { Message } from '../../../foundation/i18n/text.ts';
import type { ExpressionContext } from '../../../foundation/expressions/language.ts';

/**
 * Evaluates the expressions of one step. A failure names the expression by the step's key and its path in the
 * step.
 */
export class StepExpressions {
  readonly #key: string;
  readonly #variables: ExpressionContext;
  readonly #budget = new StepBudget();

  constructor(key: string, variables: ExpressionContext) {
    this.#key = key;
    this.#variables = variables;
  }

  /** @throws VALIDATION_ERROR, EXPRESSION_LIMIT */
  evaluate(source: string, path: string): unknown {
    return automationCel.evaluate(source, this.#variables, `${this.#key}.${path}`, this.#budget);
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
