import type { Environment } from '@marcbachmann/cel-js';
import { LRUCache } from 'lru-cache';

/** What an expression may read. */
export type ExpressionContext = Readonly<Record<string, unknown>>;

export type Expression = (context: ExpressionContext) => unknown;

/** CEL over one set of variables. */
export interface Language {
  /**
   * Compiles an expression once; later uses of the same text share it.
   * @throws the parser's error, with its position
   */
  readonly compile: (source: string) => Expression;
  /** What is wrong with an expression, for the person who writes it; null when it compiles and its types fit. */
  readonly problemOf: (source: string) => string | null;
}

export function celLanguage(environment: Environment): Language {
  const compiled = new LRUCache<string, Expression>({ max: 2_000 });
  return {
    compile(source) {
      let expression = compiled.get(source);
      if (!expression) {
        const evaluate = environment.parse(source);
        expression = (context) => toPlain(evaluate(context));
        compiled.set(source, expression);
      }
      return expression;
    },
    problemOf(source) {
      try {
        const { valid, error } = environment.check(source);
        return valid ? null : `is not a valid expression: ${error?.message ?? 'type error'}`;
      } catch (error) {
        return `is not a valid expression: ${(error as Error).message}`;
      }
    },
  };
}

/** CEL's values as JSON has them: integers as numbers where they are safe, else as strings; times as ISO 8601. */
function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), toPlain(item)]));
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlain(item)]));
  }
  return value;
}
