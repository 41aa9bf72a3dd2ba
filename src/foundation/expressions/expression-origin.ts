import type { ASTNode } from '@marcbachmann/cel-js';
import { LRUCache } from 'lru-cache';
import { untypedScope } from './evaluation/evaluation-scope.ts';
import { parsedBy } from './type-check.ts';
import {
  computedFrom,
  fromFields,
  join,
  listOf,
  memberOf,
  partOf,
  withMembers,
  type ValueOrigin,
} from './value-origin.ts';

/** The origins of variables, by name. */
export type VariableOrigins = Readonly<Record<string, ValueOrigin>>;

const parsed = new LRUCache<string, { readonly ast: ASTNode | null }>({ max: 5_000 });

/**
 * The fields that an expression's value comes from, member by member where it makes an object. What it
 * compares counts as well: `record.score > 50 ? "hot" : "cold"` reveals the score.
 */
export function originOf(source: string, variables: VariableOrigins): ValueOrigin {
  let known = parsed.get(source);
  if (!known) {
    known = { ast: parsedBy(untypedScope, source)?.ast ?? null };
    parsed.set(source, known);
  }
  // What does not parse has no value.
  return known.ast ? originIn(known.ast, variables) : {};
}

function originIn(node: ASTNode, variables: VariableOrigins): ValueOrigin {
  const of = (part: ASTNode): ValueOrigin => originIn(part, variables);
  switch (node.op) {
    case 'id':
      return Object.hasOwn(variables, node.args) ? (variables[node.args] ?? {}) : {};
    case 'value':
      return {};
    case '.':
    case '.?':
      return memberOf(of(node.args[0]), node.args[1]);
    case '[]':
    case '[?]': {
      const [container, key] = node.args;
      if (key.op === 'value' && typeof key.args === 'string') return memberOf(of(container), key.args);
      return join(partOf(of(container)), computedFrom(of(key)));
    }
    case 'list':
      return listOf(join(...node.args.map(of)));
    case 'map': {
      const named = node.args.flatMap(([key, value]) => (isText(key) ? [[key.args, of(value)] as const] : []));
      const computed = node.args.flatMap(([key, value]) => (isText(key) ? [] : [of(key), of(value)]));
      return join(withMembers(named), computedFrom(...computed));
    }
    case '?:': {
      const [condition, yes, no] = node.args;
      return join(computedFrom(of(condition)), of(yes), of(no));
    }
    case '+':
      return join(...node.args.map(of));
    case '==':
    case '!=':
      if (node.args.some(isNull)) return join(...node.args.map((part) => ofWhole(of(part))));
      return computedFrom(...node.args.map(of));
    case 'rcall':
      if (node.args[0] === 'size') return ofWhole(of(node.args[1]));
      return ofMacro(node, variables) ?? computedFrom(of(node.args[1]), ...node.args[2].map(of));
    case 'call':
      if (node.args[0] === 'size') return join(...node.args[1].map((part) => ofWhole(of(part))));
      return computedFrom(...node.args[1].map(of));
    case '!_':
    case '-_':
      return computedFrom(of(node.args));
    case 'in':
    case '-':
    case '*':
    case '/':
    case '%':
    case '<':
    case '<=':
    case '>':
    case '>=':
    case '||':
    case '&&':
      return computedFrom(...node.args.map(of));
  }
}

const LOOPS: ReadonlySet<string> = new Set(['map', 'filter', 'all', 'exists', 'exists_one']);

/** The macros whose value is not one that is computed; null for any other call. */
function ofMacro({ args }: ASTNode & { op: 'rcall' }, variables: VariableOrigins): ValueOrigin | null {
  const [name, receiver, parameters] = args;
  const [first, second, third] = parameters;
  if (first?.op !== 'id' || !second) return null;
  if (name === 'bind' && receiver.op === 'id' && receiver.args === 'cel' && third) {
    return originIn(third, { ...variables, [first.args]: originIn(second, variables) });
  }
  if (!LOOPS.has(name)) return null;
  const list = originIn(receiver, variables);
  const inner = { ...variables, [first.args]: partOf(list) };
  if (name !== 'map') {
    const condition = computedFrom(originIn(second, inner));
    return join(name === 'filter' ? list : ofWhole(list), condition);
  }
  if (!third) return listOf(originIn(second, inner));
  return join(listOf(originIn(third, inner)), computedFrom(originIn(second, inner)));
}

/** The origin of what is known of a value without its parts: whether there is one, how many there are. */
function ofWhole({ fields = [] }: ValueOrigin): ValueOrigin {
  return fromFields(fields);
}

function isNull({ op, args }: ASTNode): boolean {
  return op === 'value' && args === null;
}

function isText(node: ASTNode): node is ASTNode & { op: 'value'; args: string } {
  return node.op === 'value' && typeof node.args === 'string';
}
