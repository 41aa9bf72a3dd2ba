import type { ASTNode } from '@marcbachmann/cel-js';
import { celEnvironment } from './environment.ts';

const NUMBER = /^-?\d{1,30}(\.\d{1,20})?$/;

/** The order of two numbers of JSON, where decimals and bigints are texts; null when one of them is no number. */
function order(left: unknown, right: unknown): number | null {
  const [a, b] = [toNumber(left), toNumber(right)];
  return a === null || b === null ? null : a < b ? -1 : a > b ? 1 : 0;
}

function toNumber(value: unknown): number | bigint | null {
  if (typeof value !== 'string') return value as number | bigint;
  if (!NUMBER.test(value)) return null;
  return value.includes('.') ? Number(value) : BigInt(value);
}

const environment = celEnvironment({ unlistedVariablesAreDyn: true });
for (const type of ['int', 'double']) {
  environment.registerOperator(`dyn<string> == ${type}`, (left: unknown, right: unknown) => order(left, right) === 0);
  for (const [left, right] of [
    ['string', type],
    [type, 'string'],
  ] as const) {
    const compare = (sign: string, holds: (order: number) => boolean): void => {
      environment.registerOperator(`${left} ${sign} ${right}`, (a: unknown, b: unknown) => {
        const ordered = order(a, b);
        return ordered !== null && holds(ordered);
      });
    };
    compare('<', (ordered) => ordered < 0);
    compare('<=', (ordered) => ordered <= 0);
    compare('>', (ordered) => ordered > 0);
    compare('>=', (ordered) => ordered >= 0);
  }
}

/** Names that CEL has taken: a variable of such a name cannot be read. */
const WORDS_OF_CEL: ReadonlySet<string> = new Set(environment.getDefinitions().variables.map(({ name }) => name));

const LOOPS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter']);
/** `matches` is JavaScript's RegExp, which can take longer than anybody lives; `map` and `bind` can double a value in each step. */
const REFUSED: ReadonlySet<string> = new Set(['matches', 'map', 'bind', 'join', 'json']);

/** A condition over variables that nobody declared; one that is absent is null. */
export interface Condition {
  /** Whether it holds: false too when it cannot be evaluated, or says neither true nor false. */
  holds(variables: ReadonlyMap<string, unknown>): boolean;
  /** Every name it mentions: variables, members, and the texts in brackets. */
  readonly names: ReadonlySet<string>;
}

/** Why a condition cannot be used, and from which character on. */
class ConditionError extends Error {
  readonly start: number;

  constructor(message: string, start: number) {
    super(message);
    this.start = start;
  }
}

/** Answers what it is asked for, and null for what it does not have. */
class NullWhereAbsent extends Map<string, unknown> {
  override get(name: string): unknown {
    return super.get(name) ?? null;
  }
}

/**
 * Compiles a condition whose evaluation takes time in proportion to what it reads: no regular expressions, and the body of a
 * loop reads its own variable only. Numbers compare with texts that are numbers, because JSON's decimals are texts.
 * @throws an Error with a message for the person who writes it, position included
 */
export function compileCondition(source: string): Condition {
  try {
    const evaluate = environment.parse(source);
    const names = new Set<string>();
    inspect(evaluate.ast, null, names);
    const { valid, type, error } = environment.check(source);
    if (!valid) throw error ?? new Error('its types do not fit');
    if (type !== 'bool' && type !== 'dyn') throw new ConditionError(`says ${type}, not true or false`, 0);
    return {
      names,
      holds: (variables) => {
        try {
          return evaluate(new NullWhereAbsent(variables)) === true;
        } catch {
          return false;
        }
      },
    };
  } catch (error) {
    throw new Error(explain(source, error as Error), { cause: error });
  }
}

function explain(
  source: string,
  error: Error & { summary?: string; range?: { start: number }; start?: number },
): string {
  const start = error.range?.start ?? error.start ?? 0;
  const lines = source.slice(0, start).split('\n');
  const column = (lines.at(-1) ?? '').length + 1;
  return `is not a valid condition: line ${lines.length}, column ${column}: ${error.summary ?? error.message}`;
}

/** Collects the names in a tree, and refuses what a condition must not do. */
function inspect(node: ASTNode, loopVariable: string | null, names: Set<string>): void {
  if (node.op === 'id') {
    if (WORDS_OF_CEL.has(node.args)) {
      throw new ConditionError(
        `${node.args} is a word of CEL; a field of that name is payload.${node.args}`,
        node.start,
      );
    }
    if (loopVariable !== null && node.args !== loopVariable) {
      throw new ConditionError(`within a loop only its variable ${loopVariable} can be read`, node.start);
    }
    names.add(node.args);
  } else if (node.op === 'value') {
    if (typeof node.args === 'string') names.add(node.args);
  } else if (node.op === 'call' || node.op === 'rcall') {
    const [name] = node.args;
    if (REFUSED.has(name)) throw new ConditionError(`${name}() is not available here`, node.start);
    if (node.op === 'rcall') inspect(node.args[1], loopVariable, names);
    const parameters = node.op === 'rcall' ? node.args[2] : node.args[1];
    const variable = parameters[0];
    const inside = node.op === 'rcall' && LOOPS.has(name) && variable?.op === 'id' ? variable.args : loopVariable;
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
