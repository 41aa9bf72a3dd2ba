import { type Message, quoted, text } from '../i18n/text.ts';
import type { Environment as EvaluationScope } from '@marcbachmann/cel-js';
import { LRUCache } from 'lru-cache';
import { ApplicationError, validationError } from '../errors/application-error.ts';
import { compileBounded, type BoundedExpression } from './evaluation/bounded-expression.ts';
import { problemOfConstants } from './evaluation/constant-problem.ts';
import { Decimal } from './values/decimal.ts';
import { nameMeant } from './name-meant.ts';
import { positionOf } from './position.ts';
import { MAX_EVALUATION_STEPS, EvaluationBudget, EvaluationLimit } from './evaluation/evaluation-budget.ts';

/** Variables of an expression. */
export type ExpressionContext = Readonly<Record<string, unknown>>;

/** Keys to expressions. */
export type Mapping = Readonly<Record<string, string>>;

/** A text that its author may have meant literally. */
const WORDS = /^[\p{L}\p{N}](?:[\p{L}\p{N} _,!?@:/-]|\.(?!\p{L}))*$/u;

/** An expression as a text of a definition: in quotes, which YAML and JSON both understand. */
export function asExpression(expression: string): string {
  return expression.includes("'") ? JSON.stringify(expression) : `'${expression}'`;
}

/** An error of the library, or of `compileBounded`. */
type ScopeError = Error & {
  readonly problem?: Message;
  readonly summary?: string;
  readonly range?: { readonly start: number };
};

/** @param start the character at which the problem begins */
function problemAt(source: string, start: number, problem: Message): Message {
  return text('is not a valid expression: line {line}, column {column}: {problem}', {
    ...positionOf(source, start),
    problem,
  });
}

/** CEL over one set of variables. Evaluations that follow each other without a pause share a budget. */
export interface ExpressionLanguage {
  /**
   * Evaluates an expression.
   * @throws VALIDATION_ERROR at `path` where the data lacks what it reads; EXPRESSION_LIMIT
   */
  readonly evaluate: (source: string, context: ExpressionContext, path: string, budget?: EvaluationBudget) => unknown;
  /** As `evaluate`, with exact numbers and times as expressions read them, for expressions that follow. */
  readonly compute: ExpressionLanguage['evaluate'];
  /** Whether a condition holds; null counts as false. @throws as `evaluate`, also for any other value */
  readonly holds: (source: string, context: ExpressionContext, path: string, budget?: EvaluationBudget) => boolean;
  /** Evaluates each expression of a mapping. @throws VALIDATION_ERROR at `path.key`; EXPRESSION_LIMIT */
  readonly evaluateAll: (
    mapping: Mapping,
    context: ExpressionContext,
    path: string,
    budget?: EvaluationBudget,
  ) => Record<string, unknown>;
  /** As `evaluateAll`, with the values of `compute`. */
  readonly computeAll: ExpressionLanguage['evaluateAll'];
  /** Problem of an expression, for its author; null if it compiles and its types match. */
  readonly problemOf: (source: string) => Message | null;
}

export function celLanguage(scope: EvaluationScope): ExpressionLanguage {
  const compiled = new LRUCache<string, BoundedExpression>({ max: 2_000 });
  const compile = (source: string): BoundedExpression => {
    let expression = compiled.get(source);
    if (!expression) {
      expression = compileBounded(scope, source);
      compiled.set(source, expression);
    }
    return expression;
  };
  const evaluator =
    (convert: Convert): ExpressionLanguage['evaluate'] =>
    (source, context, path, budget = new EvaluationBudget()) => {
      try {
        return converted(compile(source)(context, budget), budget, convert);
      } catch (error) {
        if (error instanceof EvaluationLimit) throw limitError(error, source, path);
        const { problem = quoted(withoutValues(error as Error, source)) } = error as { problem?: Message };
        throw validationError({ [path]: problem });
      }
    };
  const forAll =
    (one: ExpressionLanguage['evaluate']): ExpressionLanguage['evaluateAll'] =>
    (mapping, context, path, budget = new EvaluationBudget()) =>
      Object.fromEntries(
        Object.entries(mapping).map(([key, source]) => [key, one(source, context, `${path}.${key}`, budget)]),
      );
  const evaluate = evaluator(toJson);
  const compute = evaluator(toOperand);
  return {
    evaluate,
    compute,
    holds(source, context, path, budget) {
      const value = evaluate(source, context, path, budget) ?? false;
      if (typeof value === 'boolean') return value;
      const type = Array.isArray(value) ? 'list' : typeof value;
      throw validationError({ [path]: text('says {type}, not true or false', { type }) });
    },
    evaluateAll: forAll(evaluate),
    computeAll: forAll(compute),
    problemOf(source) {
      try {
        compile(source);
        const { problem, start = 0 } = problemOfConstants(source) ?? {};
        return problem === undefined ? null : problemAt(source, start, problem);
      } catch (error) {
        const { message, problem = quoted(message), summary = '', range } = error as ScopeError;
        const meant = nameMeant(summary, scope);
        if (meant !== null) {
          const words = text('{problem}; did you mean {suggestion}?', { problem: quoted(summary), suggestion: meant });
          return problemAt(source, range?.start ?? 0, words);
        }
        if (!WORDS.test(source)) return text('is not a valid expression: {problem}', { problem });
        const expression = asExpression(JSON.stringify(source));
        return text('is not a valid expression (a text is written {expression}): {problem}', { expression, problem });
      }
    },
  };
}

/** Codes of the library's errors that quote a value. */
const QUOTING: ReadonlySet<string> = new Set([
  'no_such_key',
  'index_out_of_bounds',
  'bool_conversion_error',
  'invalid_duration',
  'invalid_regular_expression',
  'numeric_overflow',
]);

/** The problem without values: its reader may not be allowed to read them. */
function withoutValues({ message, code = '' }: Error & { code?: string }, source: string): string {
  const [line = ''] = message.split('\n');
  const [problem = '', quoted = ''] = line.split(': ');
  return !QUOTING.has(code) || source.includes(`.${quoted}`) ? line : problem;
}

function limitError({ start }: EvaluationLimit, source: string, path: string): ApplicationError {
  const { line, column } = positionOf(source, start);
  const message = text('The expression {path} takes more than {max} steps: line {line}, column {column}', {
    path,
    max: MAX_EVALUATION_STEPS,
    line,
    column,
  });
  return new ApplicationError('EXPRESSION_LIMIT', {
    message,
    data: { path, line, column, maxSteps: MAX_EVALUATION_STEPS },
  });
}

/** A value that holds no others, in another form. */
type Convert = (value: unknown) => unknown;

/** In JSON safe integers are numbers, other integers and decimals texts, and times ISO 8601. */
function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (value instanceof Date) return value.toISOString();
  return value instanceof Decimal ? value.toString() : value;
}

/** Numbers are those of fields. */
function toOperand(value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : new Decimal(value, 0);
}

/** CEL's values as plain ones. A part that is held twice is copied twice, so each copy costs a step. */
function converted(value: unknown, budget: EvaluationBudget, convert: Convert): unknown {
  budget.spend(1, 0);
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, item]) => [String(key), converted(item, budget, convert)]));
  }
  if (Array.isArray(value)) return value.map((item) => converted(item, budget, convert));
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, converted(item, budget, convert)]));
  }
  return convert(value);
}
