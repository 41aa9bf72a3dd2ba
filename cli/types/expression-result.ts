import type { ParseResult } from '@marcbachmann/cel-js';
import { celEnvironment } from '../../src/foundation/expressions/environment.ts';
import { parsedBy, type ResultType, type TypeCheck } from '../../src/foundation/expressions/type-check.ts';
import { unionOf } from './source-text.ts';

type Node = ParseResult['ast'];

/** The type of a value that an expression names, such as `steps.lead`; undefined where it is not known. */
export type NamedTypes = (path: readonly string[]) => string | undefined;

const PRINTED: Record<ResultType, string> = { text: 'string', number: 'number', boolean: 'boolean', time: 'DateTime' };

const environment = celEnvironment();

/** The type of what an expression answers; `unknown` where only the data can tell. */
export function typeOfResult(source: string, named: NamedTypes, check: TypeCheck): string {
  const parsed = parsedBy(environment, source);
  if (!parsed) return 'unknown';
  const typeOfNode = (node: Node): string => {
    if (node.op === '?:') {
      const [, then, otherwise] = node.args;
      return unionOf([then, otherwise].map(typeOfNode));
    }
    if (node.op === 'value' && node.args === null) return 'null';
    const path = pathOf(node);
    if (path) return named(path) ?? 'unknown';
    const type = check.typeOf(node === parsed.ast ? source : source.slice(node.start, node.end));
    return type === null ? 'unknown' : PRINTED[type];
  };
  return typeOfNode(parsed.ast);
}

/** `steps.lead.pid` as its names. */
function pathOf({ op, args }: Node): string[] | null {
  if (op === 'id') return [args];
  if (op !== '.') return null;
  const [of, name] = args;
  const path = pathOf(of);
  return path && [...path, name];
}
