import type { Environment as EvaluationScope } from '@marcbachmann/cel-js';
import { text, type Message } from '../../i18n/text.ts';
import { Decimal } from '../values/decimal.ts';
import {
  checkedTreeOf,
  isNode,
  type CheckedNode as Node,
  type Comprehension,
  type Evaluate,
  type Handle,
  type Macro,
} from './checked-tree.ts';
import { costOfCall, costOfOperator } from './operation-costs.ts';
import { compilePattern, InvalidPattern } from '../values/regular-expression.ts';
import { isCalendarDate } from '../../validation/iso-datetime.ts';
import { dayIn, isTimeZone, startOfDay, UTC } from '../../time/time-zones.ts';
import { zoneOfContext } from './zone-of-context.ts';
import type { EvaluationBudget } from './evaluation-budget.ts';

/**
 * `all`, `exists`, `||` and `&&` swallow the errors inside them. Each error costs time all the same: its
 * message quotes the expression.
 */
const SWALLOWED_ERROR_STEPS = 150;
const CHARACTERS_SHOWN_PER_STEP = 2;

/** Evaluates an expression within a budget. @throws EvaluationLimit, and what the evaluation meets */
export type BoundedExpression = (context: object, budget: EvaluationBudget) => unknown;

/** Problem of an expression that the library does not know, and the character at which it is. */
class ProblemAt extends Error {
  readonly problem: Message;
  readonly start: number;

  constructor(problem: Message, start: number) {
    super(String(problem));
    this.problem = problem;
    this.start = start;
  }
}

/**
 * Compiles an expression so that its time is bounded, and `matches` is RE2.
 *
 * The library has no limit of its own. Its time without loops is bounded by `maxAstNodes`; beyond that, time
 * is spent only in the body of a comprehension, which is one node, and in operations, which the checked tree
 * holds as `handle` of their nodes. Both are replaced here by ones that spend steps first. A node that lacks
 * what is replaced fails to compile, so a new version of the library cannot evaluate without a bound.
 */
export function compileBounded(scope: EvaluationScope, source: string): BoundedExpression {
  const parsed = scope.parse(source);
  const { valid, error } = parsed.check();
  if (!valid) throw error ?? new Error('type error');
  const bounds = new Bounds();
  bounds.bind(checkedTreeOf(parsed));
  return (context, budget) => {
    bounds.budget = budget;
    bounds.timeZone = zoneOfContext(context);
    // Swallowed errors are many, and their stacks are never read.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      return parsed(context) as unknown;
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
      budget.check();
    }
  };
}

/** Evaluation is synchronous, so one budget at a time is enough. */
class Bounds {
  declare budget: EvaluationBudget;
  declare timeZone: string;

  /** Replaces the operations of a tree. @returns the number of its nodes outside of inner loops */
  bind(node: Node): number {
    if (node.meta.alternate) return this.bind(node.meta.alternate);
    if (node.op === 'comprehension') return this.#bindLoop(node, node.args as Comprehension);
    if (isHas(node)) return bindHas(node);
    const nodes = 1 + this.#bindAll(node.args);
    if (node.op === '||' || node.op === '&&') this.#replace(node.left as Node, 0);
    else if (ACCESSES.has(node.op)) this.#bindAccess(node);
    else if (OPERATIONS.has(node.op) && node.meta.macro === undefined) this.#bindOperation(node);
    return nodes;
  }

  #bindAll(part: unknown): number {
    if (Array.isArray(part)) return part.reduce<number>((sum, each) => sum + this.#bindAll(each), 0);
    return isNode(part) ? this.bind(part) : 0;
  }

  #bindLoop(node: Node, { iterable, init, step }: Comprehension): number {
    const outside = 1 + this.bind(iterable) + this.bind(init);
    this.#replace(step, this.bind(step));
    const handle = handleOf(node);
    node.handle = (items, ...others) => {
      // The keys of a map are listed before they are looped over.
      if (!Array.isArray(items)) this.budget.spend(Object.keys(items ?? {}).length, node.start);
      return handle(items, ...others);
    };
    return outside;
  }

  /** Spends steps before a node is evaluated, and for an error that the node around it may swallow. */
  #replace(node: Node, steps: number): void {
    let { evaluate } = node;
    const bounded: Evaluate = (evaluator, given, context) => {
      this.budget.spend(steps, node.start);
      try {
        return evaluate.call(node, evaluator, given, context);
      } catch (error) {
        this.budget.spend(SWALLOWED_ERROR_STEPS + node.start / CHARACTERS_SHOWN_PER_STEP, node.start);
        throw error;
      }
    };
    // The node's own method sets `evaluate` at its first call.
    Object.defineProperty(node, 'evaluate', { get: () => bounded, set: (given: Evaluate) => (evaluate = given) });
  }

  /** A member that the data lacks is null. */
  #bindAccess(node: Node): void {
    const handle = handleOf(node);
    node.handle = (container, key, ...others) => (isAbsent(container, key) ? null : handle(container, key, ...others));
  }

  #bindOperation(node: Node): void {
    const handle = handleOf(node);
    const spend = (steps: number): void => this.budget.spend(steps, node.start);
    if (node.op === 'call' || node.op === 'rcall') {
      const [name] = node.args as [string];
      const call: Handle = this.#callOf(name, node, handle);
      node.handle = (values, ...others) => {
        spend(costOfCall(name, values as unknown[]));
        return call(values, ...others);
      };
    } else {
      node.handle = (left, right, ...others) => {
        spend(costOfOperator(node.op, left, right));
        if (node.op === 'in' && left instanceof Decimal && Array.isArray(right)) return left.isAmong(right);
        return handle(left, right, ...others);
      };
    }
  }

  /** What a function does here that the library does not know of. */
  #callOf(name: string, node: Node, handle: Handle): Handle {
    if (node.op === 'rcall') return name === 'matches' ? this.#matches(node, handle) : handle;
    if (name !== 'date' && name !== 'timestamp') return handle;
    return (values, ...others) => {
      const [value, zone = this.timeZone] = values as unknown[];
      const inZone = typeof zone === 'string' ? zone : UTC;
      if (name === 'date' && value instanceof Date) return dayIn(value, requireZone(inZone, node.start));
      // A day is its beginning.
      const isDay = name === 'timestamp' && typeof value === 'string' && isCalendarDate(value);
      return isDay ? startOfDay(value, requireZone(inZone, node.start)) : handle(values, ...others);
    };
  }

  #matches(node: Node, otherwise: Handle): Handle {
    const [, , [literal]] = node.args as [string, Node, [Node]];
    if (literal.op === 'value' && typeof literal.args === 'string') patternOf(literal.args, literal.start);
    return (values, ...others) => {
      const [given, source] = values as unknown[];
      if (typeof given !== 'string' || typeof source !== 'string') return otherwise(values, ...others);
      const pattern = patternOf(source, literal.start);
      this.budget.spend((pattern.size * given.length) / 2, node.start);
      return pattern.test(given);
    };
  }
}

const OPERATIONS: ReadonlySet<string> = new Set([
  'call',
  'rcall',
  '==',
  '!=',
  'in',
  '+',
  '-',
  '*',
  '/',
  '<',
  '<=',
  '>',
  '>=',
]);

function isHas({ op, args, meta }: Node): boolean {
  return op === 'call' && (args as [string])[0] === 'has' && meta.macro !== undefined;
}

/** `has(payload.a.b)` is false where there is no `payload.a`. @returns the number of its nodes */
function bindHas({ meta }: Node): number {
  const macro = meta.macro as Macro;
  const { evaluate } = macro;
  macro.evaluate = (...given) => {
    try {
      return evaluate(...given);
    } catch (error) {
      if ((error as { code?: unknown }).code === 'no_such_key') return false;
      throw error;
    }
  };
  return 1;
}

const ACCESSES: ReadonlySet<string> = new Set(['.', '[]']);

function isAbsent(container: unknown, key: unknown): boolean {
  if (container === null || container === undefined) return true;
  if (Array.isArray(container)) {
    const index = typeof key === 'bigint' ? Number(key) : key;
    return typeof index === 'number' && container[index] === undefined;
  }
  if (container instanceof Map) return container.get(key) === undefined;
  if (typeof container !== 'object' || Object.getPrototypeOf(container) !== Object.prototype) return false;
  return !Object.hasOwn(container, key as PropertyKey);
}

function handleOf({ op, handle }: Node): Handle {
  if (typeof handle !== 'function') throw new Error(`the operation ${op} cannot be bounded`);
  return handle;
}

function requireZone(name: string, start: number): string {
  if (name === UTC || isTimeZone(name)) return name;
  throw new ProblemAt('is not the name of a time zone', start);
}

function patternOf(source: string, start: number) {
  try {
    return compilePattern(source);
  } catch (error) {
    throw error instanceof InvalidPattern
      ? new ProblemAt(text('the pattern {problem}', { problem: error.problem }), start)
      : error;
  }
}
