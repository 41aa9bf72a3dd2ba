import type { ASTNode } from '@marcbachmann/cel-js';
import { quoted, type Message } from '../../i18n/text.ts';
import { problemOfTimeZone } from '../../time/time-zone-problem.ts';
import { compileBounded } from './bounded-expression.ts';
import { EvaluationBudget, EvaluationLimit } from './evaluation-budget.ts';
import { untypedScope } from './evaluation-scope.ts';

/** What is wrong with a part of an expression, and the character at which that begins. */
interface ConstantProblem {
  readonly problem: Message;
  readonly start: number;
}

/** Operations that values of the right types can fail at. */
const FALLIBLE: ReadonlySet<string> = new Set(['call', 'rcall', '+', '-', '*', '/', '%']);

/**
 * The problem of a part that reads no variable and fails at every evaluation, such as `timestamp("soon")`.
 * @param source an expression that compiles
 */
export function problemOfConstants(source: string): ConstantProblem | null {
  // Most expressions have no such part.
  if (!/[(+*/%-]/.test(source)) return null;
  return inspect(untypedScope.parse(source).ast, source).problem;
}

interface Inspected {
  readonly isConstant: boolean;
  readonly problem: ConstantProblem | null;
}

function inspect(node: ASTNode, source: string): Inspected {
  if (node.op === 'value') return { isConstant: true, problem: null };
  if (node.op === 'id') return { isConstant: false, problem: null };
  const parts = nodesIn(node.args).map((part) => inspect(part, source));
  const problem = parts.find((part) => part.problem)?.problem ?? problemOfZone(node, source);
  const isConstant = parts.every((part) => part.isConstant);
  if (problem || !isConstant || !FALLIBLE.has(node.op)) return { isConstant, problem };
  const failure = failureOf(source.slice(node.start, node.end));
  return { isConstant, problem: failure === null ? null : { problem: failure, start: node.start } };
}

/** The name of a time zone beside a time that is not known yet. */
function problemOfZone(node: ASTNode, source: string): ConstantProblem | null {
  const zone = zoneIn(node);
  if (zone?.op !== 'value' || typeof zone.args !== 'string') return null;
  const name = source.slice(zone.start, zone.end);
  const isGet = node.op === 'rcall';
  const sample = isGet ? `timestamp(0).${String(node.args[0])}(${name})` : `date(timestamp(0), ${name})`;
  return failureOf(sample) === null ? null : { problem: problemOfTimeZone(zone.args), start: zone.start };
}

function zoneIn(node: ASTNode): ASTNode | undefined {
  if (node.op === 'call' && (node.args[0] === 'date' || node.args[0] === 'timestamp')) return node.args[1][1];
  return node.op === 'rcall' && /^get[A-Z]/.test(node.args[0]) ? node.args[2][0] : undefined;
}

/** Why an expression without variables cannot be evaluated; null where it can. */
function failureOf(source: string): Message | null {
  try {
    compileBounded(untypedScope, source)({}, new EvaluationBudget());
    return null;
  } catch (error) {
    if (error instanceof EvaluationLimit) return null;
    const { message, problem } = error as Error & { readonly problem?: Message };
    return problem ?? quoted(message.split('\n')[0] ?? '');
  }
}

function nodesIn(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(nodesIn);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : [];
}
