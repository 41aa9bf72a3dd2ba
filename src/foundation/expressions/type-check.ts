import { createHash } from 'node:crypto';
import type { Environment, ParseResult } from '@marcbachmann/cel-js';
import { LRUCache } from 'lru-cache';
import { text, type Message } from '../i18n/text.ts';
import { celEnvironment } from './evaluation/environment.ts';
import { placeOf } from './place.ts';

/** What is known of a value when an expression is saved. Each may also be null. */
export type ValueType =
  | 'any'
  | 'text'
  | 'number'
  | 'boolean'
  | 'time'
  | { readonly oneOf: readonly string[] }
  | { readonly list: ValueType }
  | { readonly fields: Readonly<Record<string, ValueType>> };

/** The variables of an expression, by name. */
export type VariableTypes = Readonly<Record<string, ValueType>>;

const SCALARS = {
  any: 'dyn',
  text: 'dyn<string>',
  number: 'dyn<double>',
  boolean: 'dyn<bool>',
  time: 'google.protobuf.Timestamp',
} as const;
const OBJECT = 'object';

/** A type that a computed value has for certain. */
export type ExpressionType = 'text' | 'number' | 'boolean' | 'time';

/** Types of results, as the library names them; one that begins with `dyn` may be null. */
const RESULTS: Readonly<Record<string, ExpressionType>> = {
  string: 'text',
  int: 'number',
  double: 'number',
  bool: 'boolean',
  [SCALARS.time]: 'time',
};

/** Codes of the library's errors that are certain whatever the data is. */
const CERTAIN: ReadonlySet<string> = new Set(['no_such_key', 'no_such_overload', 'no_matching_overload']);

/** Of a condition: it compares numbers with texts, too, and what cannot be evaluated does not match. */
export const NAMES_ALONE: ReadonlySet<string> = new Set(['no_such_key', 'unknown_variable']);

/** Problems that were found before: a configuration is checked again whenever something in it changes. */
const known = new LRUCache<string, { readonly problem: Message | null }>({ max: 20_000 });

/** The part of a checked tree that is read here. */
interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
  readonly end: number;
  readonly checkedType?: { readonly name: string };
}

/**
 * Checks expressions against the types of their variables. What only the data can tell is left to the
 * evaluation.
 */
export class TypeCheck {
  readonly #variables: VariableTypes;
  readonly #reported: ReadonlySet<string>;
  readonly #signature: string;
  /** Values of the fields that have a list of them, by `<type>.<field>`. */
  readonly #oneOf = new Map<string, readonly string[]>();
  #environment: Environment | null = null;
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

  /** The type of what an expression computes; null where only the data can tell. */
  typeOf(source: string): ExpressionType | null {
    this.#environment ??= this.#declare();
    const { type = '' } = parsedBy(this.#environment, source)?.check() ?? {};
    return Object.hasOwn(RESULTS, type) ? (RESULTS[type] ?? null) : null;
  }

  #problemIn(source: string): Message | null {
    this.#environment ??= this.#declare();
    const parsed = parsedBy(this.#environment, source);
    if (!parsed) return null;
    const { error } = parsed.check();
    if (error) {
      const isCertain =
        this.#reported.has(error.code) && (error.code === 'no_such_key' || !error.summary.includes(OBJECT));
      return isCertain ? problemAt(source, error.range?.start ?? 0, error.summary) : null;
    }
    for (const node of nodesOf(parsed.ast)) {
      const missing = this.#askedInVain(node, source);
      if (missing) return missing;
      const wrong = this.#unknownValue(node);
      if (wrong) {
        const { value, values, start } = wrong;
        return problemAt(source, start, text('{value} is not one of {values}', { value, values: values.join(', ') }));
      }
    }
    return null;
  }

  /**
   * Problem of a `has` that asks for a field which never exists; the library does not check what stands in
   * it.
   */
  #askedInVain({ op, args }: Node, source: string): Message | null {
    if (op !== 'call') return null;
    const [name, [asked]] = args as [string, Node[]];
    if (name !== 'has' || !asked) return null;
    const { error } = this.#environment?.check(source.slice(asked.start, asked.end)) ?? {};
    return error?.code === 'no_such_key'
      ? problemAt(source, asked.start + (error.range?.start ?? 0), error.summary)
      : null;
  }

  /** A text that is compared with a field which cannot have it. */
  #unknownValue({ op, args }: Node): { value: string; values: readonly string[]; start: number } | null {
    if (op !== '==' && op !== '!=' && op !== 'in') return null;
    const [left, right] = args as [Node, Node];
    const values = this.#valuesOf(left) ?? (op === 'in' ? null : this.#valuesOf(right));
    if (!values) return null;
    const compared = op === 'in' && right.op === 'list' ? (right.args as Node[]) : [left, right];
    for (const { op: kind, args: value, start } of compared) {
      if (kind !== 'value' || value === null || values.includes(value as string)) continue;
      // JSON has no integers of 64 bits, which CEL's literals are.
      const shown = JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? Number(part) : part));
      return { value: shown, values, start };
    }
    return null;
  }

  #valuesOf({ op, args }: Node): readonly string[] | null {
    if (op === 'id') {
      const type = this.#variables[args as string];
      return typeof type === 'object' && 'oneOf' in type ? type.oneOf : null;
    }
    if (op !== '.' && op !== '[]') return null;
    const [of, key] = args as [Node, string | Node];
    const name = typeof key === 'string' ? key : key.args;
    return this.#oneOf.get(`${of.checkedType?.name ?? ''}.${String(name)}`) ?? null;
  }

  #declare(): Environment {
    const environment = celEnvironment();
    for (const type of ['string', 'double', 'bool']) environment.registerOperator(`${type} == null`, () => false);
    for (const [name, type] of Object.entries(this.#variables)) {
      environment.registerVariable(name, this.#nameOf(environment, type));
    }
    return environment;
  }

  #nameOf(environment: Environment, type: ValueType): string {
    if (typeof type === 'string') return SCALARS[type];
    if ('oneOf' in type) return SCALARS.text;
    if ('list' in type) return `list<${this.#nameOf(environment, type.list)}>`;
    const name = `${OBJECT}${(this.#objects += 1)}`;
    const fields: Record<string, string> = {};
    for (const [field, inner] of Object.entries(type.fields)) {
      fields[field] = this.#nameOf(environment, inner);
      if (typeof inner === 'object' && 'oneOf' in inner) this.#oneOf.set(`${name}.${field}`, inner.oneOf);
    }
    environment.registerType(name, { fields });
    environment.registerOperator(`${name} == null`, () => false);
    environment.registerOperator(`${name} == ${name}`, () => false);
    return name;
  }
}

/** Null for what does not parse: an earlier version may have saved it, and it blocks nothing but itself. */
export function parsedBy(environment: Environment, source: string): ParseResult | null {
  try {
    return environment.parse(source);
  } catch {
    return null;
  }
}

function problemAt(source: string, start: number, problem: Message): Message {
  return text('is not a valid expression: line {line}, column {column}: {problem}', {
    ...placeOf(source, start),
    problem,
  });
}

function* nodesOf(part: unknown): Iterable<Node> {
  if (Array.isArray(part)) for (const item of part) yield* nodesOf(item);
  else if (typeof part === 'object' && part !== null && 'op' in part && 'args' in part) {
    yield part as Node;
    yield* nodesOf(part.args);
  }
}
