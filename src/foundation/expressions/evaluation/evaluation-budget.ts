/** Steps of one evaluation: about 20 ms. A step is the visit of one node of the expression's tree. */
export const MAX_EVALUATION_STEPS = 250_000;
/** The same for a condition: each event is matched with those of all subscriptions. */
export const MAX_CONDITION_STEPS = 50_000;

/** An evaluation has spent its budget. */
export class EvaluationLimit extends Error {
  /** Character of the expression at which the last step was spent. */
  start = 0;
}

/** Steps that one or more evaluations may take together, before the event loop is free again. */
export class EvaluationBudget {
  #left: number;
  /** Made before it is needed: loops swallow errors, and a stack trace costs more than a step. */
  readonly #limit = new EvaluationLimit();

  constructor(steps = MAX_EVALUATION_STEPS) {
    this.#left = steps;
  }

  /** @throws EvaluationLimit, again at every call once the budget is spent */
  spend(steps: number, start: number): void {
    if (this.#left < 0) throw this.#limit;
    this.#left -= steps;
    if (this.#left >= 0) return;
    this.#limit.start = start;
    throw this.#limit;
  }

  /** Ends an evaluation: operators such as `||` may have swallowed the limit. @throws EvaluationLimit */
  check(): void {
    if (this.#left < 0) throw this.#limit;
  }
}
