/** Forms that texts have. */
export type TextForm = 'date' | 'time' | 'number';

/** What a field may be compared with. */
export type LimitedType = { readonly oneOf: readonly string[] } | { readonly like: TextForm };

/** What is known of a value when an expression is saved. Each may also be null. */
export type ValueType =
  | 'any'
  | 'text'
  | 'number'
  | 'boolean'
  | 'time'
  | 'duration'
  | LimitedType
  /** Texts that an author has written: a comparison with others may be meant. */
  | { readonly written: readonly string[] }
  /** The pid of a record of this model. */
  | { readonly pidOf: string }
  | { readonly list: ValueType }
  | { readonly fields: Readonly<Record<string, ValueType>> };

/** The variables of an expression, by name. */
export type VariableTypes = Readonly<Record<string, ValueType>>;

/** What an expression may give: one value, or any of a type. */
export type PossibleValue = { readonly literal: unknown } | { readonly type: ValueType };

/** A node of an expression. */
export interface ExpressionNode {
  readonly op: string;
  readonly args: unknown;
}

/** What is known of a node that computes its value. */
export type ComputedType<N extends ExpressionNode> = (node: N) => ValueType;

/** What the node of an expression may give: each case of a choice by itself. Null is left out. */
export function possibleValues<N extends ExpressionNode>(
  node: N,
  variables: VariableTypes,
  computed: ComputedType<N>,
): PossibleValue[] {
  if (node.op === '?:') {
    const [, then, otherwise] = node.args as [N, N, N];
    return [then, otherwise].flatMap((branch) => possibleValues(branch, variables, computed));
  }
  if (node.op === 'value') return node.args === null ? [] : [{ literal: plain(node.args) }];
  return [{ type: typeOfTree(node, variables, computed) }];
}

/** What is known of the value of a node. */
export function typeOfTree<N extends ExpressionNode>(
  node: N,
  variables: VariableTypes,
  computed: ComputedType<N>,
): ValueType {
  const typeOf = (part: N): ValueType => typeOfTree(part, variables, computed);
  switch (node.op) {
    case 'id':
      return memberType({ fields: variables }, node.args as string);
    case '.': {
      const [of, name] = node.args as [N, string];
      return memberType(typeOf(of), name);
    }
    case '[]': {
      const [of, key] = node.args as [N, N];
      const type = typeOf(of);
      if (typeof type === 'object' && 'list' in type) return type.list;
      return key.op === 'value' && typeof key.args === 'string' ? memberType(type, key.args) : 'any';
    }
    case '?:': {
      const [, then, otherwise] = node.args as [N, N, N];
      return commonType([then, otherwise].filter(isNoNull).map(typeOf));
    }
    case 'value':
      return typeof node.args === 'string' ? { written: [node.args] } : computed(node);
    case 'list':
      return { list: commonType((node.args as N[]).filter(isNoNull).map(typeOf)) };
    case 'map':
      return typeOfMap(node.args as [N, N][], typeOf);
    default:
      return computed(node);
  }
}

function typeOfMap<N extends ExpressionNode>(entries: readonly [N, N][], typeOf: (node: N) => ValueType): ValueType {
  if (!entries.every(([{ op, args }]) => op === 'value' && typeof args === 'string')) return 'any';
  return { fields: Object.fromEntries(entries.map(([key, value]) => [key.args as string, typeOf(value)])) };
}

function memberType(of: ValueType, name: string): ValueType {
  if (typeof of !== 'object' || !('fields' in of)) return 'any';
  return (Object.hasOwn(of.fields, name) && of.fields[name]) || 'any';
}

/** What is known of a value that has one of these types. */
function commonType(types: readonly ValueType[]): ValueType {
  const [first = 'any', ...others] = types;
  if (others.every((other) => isSame(first, other))) return first;
  const written = types.flatMap((type) => (typeof type === 'object' && 'written' in type ? [type.written] : []));
  return written.length === types.length ? { written: [...new Set(written.flat())] } : 'any';
}

function isSame(one: ValueType, other: ValueType): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function isNoNull({ op, args }: ExpressionNode): boolean {
  return op !== 'value' || args !== null;
}

/** JSON has no integers of 64 bits, which CEL's literals are. */
function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/** The type of a value once it is JSON. */
export function typeInJson(type: ValueType): ValueType {
  if (type === 'time') return { like: 'time' };
  if (typeof type !== 'object') return type === 'duration' ? 'any' : type;
  if ('list' in type) return { list: typeInJson(type.list) };
  if (!('fields' in type)) return type;
  return { fields: Object.fromEntries(Object.entries(type.fields).map(([name, of]) => [name, typeInJson(of)])) };
}
