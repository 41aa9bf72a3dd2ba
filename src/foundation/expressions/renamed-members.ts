import type { ASTNode } from '@marcbachmann/cel-js';
import { untypedScope } from './evaluation/evaluation-scope.ts';

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * An expression in which variables, and members of the variables `parts`, have other names; the rest of its
 * text stays as it is. One that does not parse is given back.
 * @param names former name -> new name
 */
export function withRenamedMembers(
  source: string,
  parts: ReadonlySet<string>,
  names: ReadonlyMap<string, string>,
): string {
  const found: Replacement[] = [];
  const isPart = (node: unknown): boolean => isNode(node) && node.op === 'id' && parts.has(node.args);
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(visit);
    if (!isNode(part)) return;
    const { op, args, start, end } = part as { op: string; args: unknown; start: number; end: number };
    const [of, key] = Array.isArray(args) ? (args as unknown[]) : [];
    if (op === 'id') {
      const text = names.get(args as string);
      if (text !== undefined) found.push({ start, end, text });
      return;
    }
    if ((op === '.' || op === '.?') && isPart(of)) {
      const text = typeof key === 'string' ? names.get(key) : undefined;
      const at = source.lastIndexOf(String(key), end - 1);
      if (text !== undefined && at > start) found.push({ start: at, end: at + String(key).length, text });
      return;
    }
    if (op === '[]' && isPart(of) && isNode(key) && key.op === 'value') {
      const text = names.get(String(key.args));
      if (text !== undefined) found.push({ start: key.start, end: key.end, text: JSON.stringify(text) });
      return;
    }
    visit(args);
  };
  try {
    visit(untypedScope.parse(source).ast);
  } catch {
    return source;
  }
  return found
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, one) => text.slice(0, one.start) + one.text + text.slice(one.end), source);
}

function isNode(part: unknown): part is ASTNode {
  return typeof part === 'object' && part !== null && 'op' in part && 'args' in part;
}
