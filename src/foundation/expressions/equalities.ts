import type { ASTNode } from '@marcbachmann/cel-js';
import { untypedScope } from './evaluation/evaluation-scope.ts';

/** An expression is true only where `path` of the variable equals `other`. */
export interface Equality {
  readonly path: readonly string[];
  /** An expression over the variables that count as constant. */
  readonly other: string;
}

/** The equalities of a variable's members and constants without which an expression cannot be true. */
export function equalitiesOf(source: string, variable: string, constants: ReadonlySet<string>): Equality[] {
  const found: Equality[] = [];
  const collect = (node: ASTNode): void => {
    if (node.op === '&&') node.args.forEach(collect);
    if (node.op !== '==') return;
    const [left, right] = node.args;
    for (const [member, other] of [
      [left, right],
      [right, left],
    ] as const) {
      const path = pathIn(member, variable);
      if (path !== null && namesIn(other).every((name) => constants.has(name))) {
        found.push({ path, other: source.slice(other.start, other.end) });
      }
    }
  };
  collect(untypedScope.parse(source).ast);
  return found;
}

/** `['result', 'pid']` for `event.result.pid`; null for anything else. */
function pathIn(node: ASTNode, variable: string): string[] | null {
  if (node.op === 'id') return node.args === variable ? [] : null;
  if (node.op !== '.') return null;
  const [object, name] = node.args;
  const path = pathIn(object, variable);
  return path && [...path, name];
}

/** The names in an expression, those of loops among them. @throws where it does not parse */
export function variablesOf(source: string): ReadonlySet<string> {
  return new Set(namesIn(untypedScope.parse(source).ast));
}

function namesIn(node: ASTNode): string[] {
  return node.op === 'id' ? [node.args] : nodesIn(node.args).flatMap(namesIn);
}

function nodesIn(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(nodesIn);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : [];
}
