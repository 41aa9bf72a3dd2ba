import type { ASTNode } from '@marcbachmann/cel-js';
import { evaluationScope } from './evaluation/evaluation-scope.ts';
import { type Message, quoted, text } from '../i18n/text.ts';
import { compileBounded } from './evaluation/bounded-expression.ts';
import { problemOfConstants } from './evaluation/constant-problem.ts';
import { nameMeant } from './name-meant.ts';
import { positionOf } from './position.ts';
import { MAX_CONDITION_STEPS, EvaluationBudget } from './evaluation/evaluation-budget.ts';

const NUMBER = /^-?\d{1,30}(\.\d{1,20})?$/;

/**
 * Compares numbers as JSON has them, with decimals and bigints as texts. Null if one of them is not a number.
 */
function compareNumbers(left: unknown, right: unknown): number | null {
  const [a, b] = [toNumber(left), toNumber(right)];
  return a === null || b === null ? null : a < b ? -1 : a > b ? 1 : 0;
}

/** Whether a text writes a number as JSON has decimals and bigints. */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text);
}

function toNumber(value: unknown): number | bigint | null {
  if (typeof value !== 'string') return value as number | bigint;
  if (!isNumberText(value)) return null;
  return value.includes('.') ? Number(value) : BigInt(value);
}

const scope = evaluationScope({ unlistedVariablesAreDyn: true });
for (const type of ['int', 'double']) {
  scope.registerOperator(
    `dyn<string> == ${type}`,
    (left: unknown, right: unknown) => compareNumbers(left, right) === 0,
  );
  for (const [left, right] of [
    ['string', type],
    [type, 'string'],
  ] as const) {
    const compare = (sign: string, holds: (order: number) => boolean): void => {
      scope.registerOperator(`${left} ${sign} ${right}`, (a: unknown, b: unknown) => {
        const ordered = compareNumbers(a, b);
        return ordered !== null && holds(ordered);
      });
    };
    compare('<', (ordered) => ordered < 0);
    compare('<=', (ordered) => ordered <= 0);
    compare('>', (ordered) => ordered > 0);
    compare('>=', (ordered) => ordered >= 0);
  }
}

/** Names that CEL uses itself: a variable of such a name cannot be read. */
export const reservedNames: ReadonlySet<string> = new Set(scope.getDefinitions().variables.map(({ name }) => name));

const LOOP_MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter']);
/** They make new values, which a condition has no use for. */
const REFUSED_FUNCTIONS: ReadonlySet<string> = new Set(['map', 'bind', 'join', 'json']);

/** Condition over undeclared variables; an absent one is null. */
export interface Condition {
  /** False as well if it cannot be evaluated within the limit of steps, or is neither true nor false. */
  holds(variables: ReadonlyMap<string, unknown>): boolean;
  /** Every name in it: variables, members, and the texts in brackets. */
  readonly names: ReadonlySet<string>;
}

/** Problem of a condition, and the character at which it begins. */
class InvalidCondition extends Error {
  readonly problem: Message;
  readonly start: number;

  constructor(problem: Message, start: number, cause?: unknown) {
    super(String(problem), { cause });
    this.problem = problem;
    this.start = start;
  }
}

class NullWhenAbsent extends Map<string, unknown> {
  override get(name: string): unknown {
    return super.get(name) ?? null;
  }
}

/**
 * Compiles a condition that is evaluated in linear time: the body of a loop reads its own variable only.
 * Numbers compare with texts that are numbers, because JSON has decimals as texts.
 * @throws InvalidCondition, whose problem names the position
 */
export function compileCondition(source: string): Condition {
  try {
    const parsed = scope.parse(source);
    const names = new Set<string>();
    inspect(parsed.ast, null, names);
    const evaluate = compileBounded(scope, source);
    const { type } = parsed.check();
    if (type !== 'bool' && type !== 'dyn')
      throw new InvalidCondition(text('says {type}, not true or false', { type: String(type) }), 0);
    return {
      names,
      holds: (variables) => {
        try {
          return evaluate(new NullWhenAbsent(variables), new EvaluationBudget(MAX_CONDITION_STEPS)) === true;
        } catch {
          return false;
        }
      },
    };
  } catch (error) {
    throw explained(source, error as Error);
  }
}

/** Problem of a condition, for its author; null if there is none. */
export function problemOfCondition(source: string): Message | null {
  try {
    compileCondition(source);
    const { problem, start = 0 } = problemOfConstants(source) ?? {};
    return problem === undefined ? null : explained(source, new InvalidCondition(problem, start)).problem;
  } catch (error) {
    return (error as InvalidCondition).problem;
  }
}

function explained(
  source: string,
  error: Error & { summary?: string; range?: { start: number }; start?: number; problem?: Message },
): InvalidCondition {
  const start = error.range?.start ?? error.start ?? 0;
  const words = error.problem ?? quoted(error.summary ?? error.message);
  const suggestion = nameMeant(error.summary ?? '', scope);
  const problem = text('is not a valid condition: line {line}, column {column}: {problem}', {
    ...positionOf(source, start),
    problem:
      suggestion === null ? words : text('{problem}; did you mean {suggestion}?', { problem: words, suggestion }),
  });
  return new InvalidCondition(problem, start, error);
}

/** Collects the names in a tree, and refuses what a condition must not contain. */
function inspect(node: ASTNode, loopVariable: string | null, names: Set<string>): void {
  if (node.op === 'id') {
    if (reservedNames.has(node.args)) {
      throw new InvalidCondition(
        text('{word} is a word of CEL; a field of that name is payload.{field}', { word: node.args, field: node.args }),
        node.start,
      );
    }
    if (loopVariable !== null && node.args !== loopVariable) {
      throw new InvalidCondition(
        text('within a loop only its variable {variable} can be read', { variable: loopVariable }),
        node.start,
      );
    }
    names.add(node.args);
  } else if (node.op === 'value') {
    if (typeof node.args === 'string') names.add(node.args);
  } else if (node.op === 'call' || node.op === 'rcall') {
    const [name] = node.args;
    if (REFUSED_FUNCTIONS.has(name))
      throw new InvalidCondition(text('{function}() is not available here', { function: name }), node.start);
    if (node.op === 'rcall') inspect(node.args[1], loopVariable, names);
    const parameters = node.op === 'rcall' ? node.args[2] : node.args[1];
    const variable = parameters[0];
    const inside = node.op === 'rcall' && LOOP_MACROS.has(name) && variable?.op === 'id' ? variable.args : loopVariable;
    for (const parameter of parameters) inspect(parameter, inside, names);
  } else {
    if (node.op === '.' || node.op === '.?') names.add(node.args[1]);
    for (const child of childrenOf(node.args)) inspect(child, loopVariable, names);
  }
}

function childrenOf(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(childrenOf);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : [];
}
