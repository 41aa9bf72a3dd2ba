import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import { text, type Message } from '../../../foundation/i18n/text.ts';

/** Only parses: whether an expression is right has been checked where expressions are compiled. */
const parser = new Environment({ enableOptionalTypes: true, unlistedVariablesAreDyn: true });

/**
 * The ids of the steps that a valid expression names: `steps.<id>`, `steps["<id>"]` and their optional forms.
 * What it computes (`steps[payload.which]`) only the run can tell.
 */
function stepsReadBy(source: string): Set<string> {
  const ids = new Set<string>();
  for (const node of nodesOf(parser.parse(source).ast)) {
    const id = stepIdOf(node);
    if (id !== null) ids.add(id);
  }
  return ids;
}

/** Problems of the steps that an expression reads: only earlier ones have an output. */
export function problemOfSteps(source: string, earlier: ReadonlySet<string>): Message | null {
  const unknown = [...stepsReadBy(source)].find((id) => !earlier.has(id));
  return unknown === undefined ? null : text('{step} is not an earlier step', { step: unknown });
}

function stepIdOf(node: ASTNode): string | null {
  if (node.op === '.' || node.op === '.?') {
    const [of, name] = node.args;
    return isSteps(of) ? name : null;
  }
  if (node.op === '[]' || node.op === '[?]') {
    const [of, key] = node.args;
    return isSteps(of) && key.op === 'value' && typeof key.args === 'string' ? key.args : null;
  }
  return null;
}

function isSteps({ op, args }: ASTNode): boolean {
  return op === 'id' && args === 'steps';
}

function* nodesOf(part: unknown): Iterable<ASTNode> {
  if (Array.isArray(part)) for (const item of part) yield* nodesOf(item);
  else if (isNode(part)) {
    yield part;
    yield* nodesOf(part.args);
  }
}

function isNode(part: unknown): part is ASTNode {
  return typeof part === 'object' && part !== null && 'op' in part && 'args' in part;
}
