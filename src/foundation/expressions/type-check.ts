import { createHash } from 'node:crypto';
import type { Environment as EvaluationScope, ParseResult } from '@marcbachmann/cel-js';
import { LRUCache } from 'lru-cache';
import { quoted, text, type Message } from '../i18n/text.ts';
import { checkedTreeOf, isNode, type CheckedNode as Node } from './evaluation/checked-tree.ts';
import { evaluationScope } from './evaluation/evaluation-scope.ts';
import { isNumberText } from './condition.ts';
import { isCalendarDate, parseIsoDatetime } from '../validation/iso-datetime.ts';
import { withSuggestion } from '../validation/similar.ts';
import { positionOf } from './position.ts';
import {
  possibleValues,
  typeOfTree,
  type LimitedType,
  type PossibleValue,
  type TextForm,
  type ValueType,
  type VariableTypes,
} from './value-type.ts';

export type { PossibleValue, ValueType, VariableTypes } from './value-type.ts';

/** Forms of texts, each with the problem of one that has another. */
const TEXT_FORMS = {
  date: [isCalendarDate, 'must be a date such as 2026-01-31'],
  time: [
    (value: string) => parseIsoDatetime(value) !== null,
    'must be an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z',
  ],
  number: [isNumberText, 'must be a decimal number'],
} as const satisfies Record<TextForm, readonly [fits: (value: string) => boolean, problem: Message]>;

const SCALARS = {
  any: 'dyn',
  text: 'dyn<string>',
  number: 'dyn<double>',
  boolean: 'dyn<bool>',
  time: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
} as const;
const OBJECT = 'object';

/** A type that a computed value has for certain. */
export type ExpressionType = 'text' | 'number' | 'decimal' | 'boolean' | 'time';

/** Types of results, as the library names them; one that begins with `dyn` may be null. */
const RESULTS: Readonly<Record<string, ExpressionType>> = {
  string: 'text',
  int: 'number',
  double: 'number',
  bool: 'boolean',
  [SCALARS.time]: 'time',
};

/** Codes of the library's errors that are certain whatever the data is. */
const CERTAIN: ReadonlySet<string> = new Set([
  'no_such_key',
  'no_such_overload',
  'no_matching_overload',
  'unknown_variable',
]);

const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/']);
const ORDERS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);
const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', 'in', ...ORDERS]);

/** What is certain of a condition, in which numbers and texts compare. */
export const NAMES_ALONE: ReadonlySet<string> = new Set(['no_such_key', 'unknown_variable']);

/** What was found before: a configuration is checked again whenever something in it changes. */
const known = new LRUCache<string, { readonly problem: Message | null }>({ max: 20_000 });
const knownValues = new LRUCache<string, PossibleValues>({ max: 20_000 });

/** What an expression may give, and the items of one that is a list written out; null for any other. */
interface PossibleValues {
  readonly values: readonly PossibleValue[];
  readonly items: readonly PossibleValue[] | null;
}

/**
 * Checks expressions against the types of their variables. What depends on the data is left to the
 * evaluation.
 */
export class TypeCheck {
  readonly #variables: VariableTypes;
  readonly #reported: ReadonlySet<string>;
  readonly #signature: string;
  /** The fields that only some values fit, by `<type>.<field>`. */
  readonly #limited = new Map<string, LimitedType>();
  /** The names of all fields of its variables. */
  readonly #keys = new Set<string>();
  #scope: EvaluationScope | null = null;
  #objects = 0;

  /** @param reported codes of the library's errors that are problems */
  constructor(variables: VariableTypes, reported: ReadonlySet<string> = CERTAIN) {
    this.#variables = variables;
    this.#reported = reported;
    this.#signature = createHash('sha256')
      .update(JSON.stringify([variables, [...reported]]))
      .digest('base64');
  }

  /** Problem of an expression that compiles without types, with its position; null where none is known. */
  problemOf(source: string): Message | null {
    const key = `${this.#signature} ${source}`;
    let found = known.get(key);
    if (!found) {
      found = { problem: this.#problemIn(source) };
      known.set(key, found);
    }
    return found.problem;
  }

  /** As `problemOf`, of an expression whose value has to be true or false. */
  problemOfCondition(source: string): Message | null {
    const problem = this.problemOf(source);
    if (problem !== null) return problem;
    this.#scope ??= this.#declare();
    const name = bareName(parsedBy(this.#scope, source)?.check().type ?? '');
    // What depends on the data is left to the evaluation.
    if (name === 'bool' || name === 'dyn' || name === '') return null;
    return text('says {type}, not true or false', { type: name.replace(/<.*|\d+$/, '') });
  }

  /** The type of what an expression computes; null where that depends on the data. */
  typeOf(source: string): ExpressionType | null {
    this.#scope ??= this.#declare();
    const parsed = parsedBy(this.#scope, source);
    const { type = '' } = parsed?.check() ?? {};
    if (Object.hasOwn(RESULTS, type)) return RESULTS[type] ?? null;
    return parsed && this.#isDecimal(checkedTreeOf(parsed)) ? 'decimal' : null;
  }

  /** What is known of the value of an expression. */
  valueTypeOf(source: string): ValueType {
    const tree = this.#treeOf(source);
    return tree ? typeOfTree(tree, this.#variables, this.#computedType) : 'any';
  }

  /** What an expression may give. */
  possibleValuesOf(source: string): PossibleValues {
    const key = `${this.#signature} ${source}`;
    let found = knownValues.get(key);
    if (!found) {
      const tree = this.#treeOf(source);
      const valuesOf = (node: Node) => possibleValues(node, this.#variables, this.#computedType);
      const items = tree?.op === 'list' ? (tree.args as Node[]).flatMap(valuesOf) : null;
      found = { values: tree ? valuesOf(tree) : [], items };
      knownValues.set(key, found);
    }
    return found;
  }

  /** Null for what does not parse. */
  #treeOf(source: string): Node | null {
    this.#scope ??= this.#declare();
    const parsed = parsedBy(this.#scope, source);
    parsed?.check();
    return parsed && checkedTreeOf(parsed);
  }

  readonly #computedType = (node: Node): ValueType => {
    if (this.#isDecimal(node)) return { like: 'number' };
    const name = bareName(node.checkedType?.name ?? '');
    if (name === SCALARS.duration) return 'duration';
    if (/^list\b/.test(name)) return { list: 'any' };
    const type = typeOfNode(node) ?? 'any';
    return type === 'decimal' ? { like: 'number' } : type;
  };

  /** The problem of an expression whose value, where there is one, has to be of one of these types. */
  problemOfType(source: string, wanted: readonly ExpressionType[]): Message | null {
    const problem = this.problemOf(source);
    if (problem !== null) return problem;
    this.#scope ??= this.#declare();
    const name = bareName(parsedBy(this.#scope, source)?.check().type ?? '');
    const type = name === 'Decimal' ? 'number' : RESULTS[name];
    if (type === undefined ? !/^(list|map|optional)\b/.test(name) : wanted.includes(type)) return null;
    return text('says {type}, not {wanted}', { type: type ?? name.replace(/<.*/, ''), wanted: wanted.join(', ') });
  }

  #problemIn(source: string): Message | null {
    this.#scope ??= this.#declare();
    const parsed = parsedBy(this.#scope, source);
    if (!parsed) return null;
    const { error } = parsed.check();
    if (error) {
      const isCertain =
        this.#reported.has(error.code) && (error.code === 'no_such_key' || !error.summary.includes(OBJECT));
      return isCertain ? problemAt(source, error.range?.start ?? 0, this.#explained(error)) : null;
    }
    for (const node of nodesOf(checkedTreeOf(parsed))) {
      const missing = this.#missingInHas(node, source);
      if (missing) return missing;
      const wrong = this.#unknownValue(node);
      if (wrong) return problemAt(source, wrong.start, wrong.problem);
      const unequal = this.#unequalTypes(node);
      if (unequal !== null) return problemAt(source, node.start, quoted(unequal));
    }
    return null;
  }

  /** The library's problem; of a key or a variable that is not there, with the one that was meant. */
  #explained({ code, summary }: { readonly code: string; readonly summary: string }): Message {
    const [, key] = code === 'no_such_key' ? (/^No such key: (\S+)/.exec(summary) ?? []) : [];
    if (key !== undefined) return withSuggestion(quoted(summary), key, this.#keys);
    const [, variable] = code === 'unknown_variable' ? (/^Unknown variable: (\S+)/.exec(summary) ?? []) : [];
    return variable === undefined
      ? quoted(summary)
      : withSuggestion(quoted(summary), variable, Object.keys(this.#variables));
  }

  /** Problem of a `has` over a field that never exists, which the library does not check. */
  #missingInHas({ op, args }: Node, source: string): Message | null {
    if (op !== 'call') return null;
    const [name, [member]] = args as [string, Node[]];
    if (name !== 'has' || !member) return null;
    const { error } = this.#scope?.check(source.slice(member.start, member.end)) ?? {};
    return error?.code === 'no_such_key'
      ? problemAt(source, member.start + (error.range?.start ?? 0), this.#explained(error))
      : null;
  }

  /** What is wrong with a comparison of types that no value has both of, in the library's words. */
  #unequalTypes({ op, args }: Node): string | null {
    if (op !== '==' && op !== '!=' && op !== 'in') return null;
    const [left, right] = args as [Node, Node];
    if (op !== 'in') return this.#canBeEqual(left, right) ? null : noOverload(left, op, right);
    if (right.op !== 'list') {
      const [, items = ''] = /^(?:dyn<)?list<(.*?)>+$/.exec(right.checkedType?.name ?? '') ?? [];
      return this.#canBeEqual(left, { ...right, op: '', checkedType: { name: items } })
        ? null
        : noOverload(left, op, right);
    }
    const other = (right.args as Node[]).find((item) => !this.#canBeEqual(left, item));
    return other ? noOverload(left, '==', other) : null;
  }

  #canBeEqual(left: Node, right: Node): boolean {
    const types = [typeOfNode(left), typeOfNode(right)];
    if (types[0] === types[1] || types.includes(null)) return true;
    // In a condition numbers equal the texts that write them.
    const isCondition = !this.#reported.has('no_such_overload');
    if (!isCondition || !types.includes('number') || !types.includes('text')) return false;
    return [left, right].every(({ op, args }) => op !== 'value' || typeof args !== 'string' || isNumberText(args));
  }

  /** A literal that is compared with a field which cannot have it. */
  #unknownValue({ op, args }: Node): { problem: Message; start: number } | null {
    if (!COMPARISONS.has(op)) return null;
    const [left, right] = args as [Node, Node];
    const type = this.#limitedType(left) ?? (op === 'in' ? null : this.#limitedType(right));
    if (!type || ('oneOf' in type && ORDERS.has(op))) return null;
    const compared = op === 'in' && right.op === 'list' ? (right.args as Node[]) : [left, right];
    for (const { op: kind, args: value, start } of compared) {
      const problem = kind === 'value' && value !== null ? problemOfCompared(value, type) : null;
      if (problem !== null) return { problem, start };
    }
    return null;
  }

  /** Whether a node computes a decimal, or nothing: arithmetic with one gives another. */
  #isDecimal(node: Node): boolean {
    if (node.checkedType?.name === 'Decimal') return true;
    if (!ARITHMETIC.has(node.op)) return false;
    const operands = node.args as Node[];
    const isDecimal = operands.map((each) => isNumeric(this.#limitedType(each)) || this.#isDecimal(each));
    return isDecimal.includes(true) && operands.every((each, at) => isDecimal[at] || typeOfNode(each) === 'number');
  }

  #limitedType({ op, args }: Node): LimitedType | null {
    if (op === 'id') {
      const type = this.#variables[args as string];
      return type && isLimited(type) ? type : null;
    }
    if (op !== '.' && op !== '[]') return null;
    const [of, key] = args as [Node, string | Node];
    const name = typeof key === 'string' ? key : key.args;
    return this.#limited.get(`${of.checkedType?.name ?? ''}.${String(name)}`) ?? null;
  }

  #declare(): EvaluationScope {
    const scope = evaluationScope();
    for (const type of ['string', 'double', 'bool']) scope.registerOperator(`${type} == null`, () => false);
    for (const [name, type] of Object.entries(this.#variables)) {
      scope.registerVariable(name, this.#nameOf(scope, type));
    }
    return scope;
  }

  #nameOf(scope: EvaluationScope, type: ValueType): string {
    if (typeof type === 'string') return SCALARS[type];
    if ('written' in type || 'pidOf' in type) return SCALARS.text;
    if (isLimited(type)) return isNumeric(type) ? SCALARS.any : SCALARS.text;
    if ('list' in type) return `list<${this.#nameOf(scope, type.list)}>`;
    const name = `${OBJECT}${(this.#objects += 1)}`;
    const fields: Record<string, string> = {};
    for (const [field, inner] of Object.entries(type.fields)) {
      fields[field] = this.#nameOf(scope, inner);
      this.#keys.add(field);
      if (isLimited(inner)) this.#limited.set(`${name}.${field}`, inner);
    }
    scope.registerType(name, { fields });
    scope.registerOperator(`${name} == null`, () => false);
    scope.registerOperator(`${name} == ${name}`, () => false);
    return name;
  }
}

function isNumeric(type: LimitedType | null): boolean {
  return type !== null && 'like' in type && type.like === 'number';
}

function isLimited(type: ValueType): type is LimitedType {
  return typeof type === 'object' && ('oneOf' in type || 'like' in type);
}

/** The problem of a literal that is compared with a field. */
function problemOfCompared(value: unknown, type: LimitedType): Message | null {
  // JSON has no integers of 64 bits, which CEL's literals are.
  const shown = JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? Number(part) : part));
  if ('oneOf' in type) {
    const { oneOf: values } = type;
    if (values.includes(value as string)) return null;
    const problem = text('{value} is not one of {values}', { value: shown, values: values.join(', ') });
    return withSuggestion(problem, shown.replaceAll('"', ''), values);
  }
  const [fits, problem] = TEXT_FORMS[type.like];
  // Of other types the library tells.
  return typeof value !== 'string' || fits(value) ? null : text('{place} {problem}', { place: shown, problem });
}

/** The type of a node's value, unless it is null; null where that depends on the data. */
function typeOfNode({ checkedType }: Node): ExpressionType | null {
  const name = bareName(checkedType?.name ?? '');
  return Object.hasOwn(RESULTS, name) ? (RESULTS[name] ?? null) : null;
}

/** The name of a type, of a value that may be null as well. */
function bareName(name: string): string {
  return name.replace(/^dyn<(.*)>$/, '$1');
}

function noOverload(left: Node, op: string, right: Node): string {
  return `no such overload: ${left.checkedType?.name} ${op} ${right.checkedType?.name}`;
}

/** The parsed expression; null for one that does not parse. */
export function parsedBy(scope: EvaluationScope, source: string): ParseResult | null {
  try {
    return scope.parse(source);
  } catch {
    return null;
  }
}

function problemAt(source: string, start: number, problem: Message): Message {
  return text('is not a valid expression: line {line}, column {column}: {problem}', {
    ...positionOf(source, start),
    problem,
  });
}

function* nodesOf(part: unknown): Iterable<Node> {
  if (Array.isArray(part)) for (const item of part) yield* nodesOf(item);
  else if (isNode(part)) {
    yield part;
    yield* nodesOf(part.args);
  }
}
