import { text, type Message } from '../i18n/text.ts';
import type { Environment } from '@marcbachmann/cel-js';
import { LRUCache } from 'lru-cache';
import { validationError } from '../errors/application-error.ts';

/** Variables of an expression. */
export type ExpressionContext = Readonly<Record<string, unknown>>;

/** Keys to expressions. */
export type Mapping = Readonly<Record<string, string>>;

type Expression = (context: ExpressionContext) => unknown;

/** CEL over one set of variables. */
export interface Language {
  /** Evaluates an expression. @throws VALIDATION_ERROR at `path` where the data lacks what it reads */
  readonly evaluate: (source: string, context: ExpressionContext, path: string) => unknown;
  /** Evaluates each expression of a mapping. @throws VALIDATION_ERROR at `path.key` */
  readonly evaluateAll: (mapping: Mapping, context: ExpressionContext, path: string) => Record<string, unknown>;
  /** Problem of an expression, for its author; null if it compiles and its types match. */
  readonly problemOf: (source: string) => Message | null;
}

export function celLanguage(environment: Environment): Language {
  const compiled = new LRUCache<string, Expression>({ max: 2_000 });
  const compile = (source: string): Expression => {
    let expression = compiled.get(source);
    if (!expression) {
      const parsed = environment.parse(source);
      expression = (context) => toPlain(parsed(context));
      compiled.set(source, expression);
    }
    return expression;
  };
  const evaluate: Language['evaluate'] = (source, context, path) => {
    try {
      return compile(source)(context);
    } catch (error) {
      throw validationError({ [path]: (error as Error).message.split('\n')[0] ?? 'cannot be evaluated' });
    }
  };
  return {
    evaluate,
    evaluateAll: (mapping, context, path) =>
      Object.fromEntries(
        Object.entries(mapping).map(([key, source]) => [key, evaluate(source, context, `${path}.${key}`)]),
      ),
    problemOf(source) {
      try {
        const { valid, error } = environment.check(source);
        return valid ? null : text('is not a valid expression: {problem}', { problem: error?.message ?? 'type error' });
      } catch (error) {
        return text('is not a valid expression: {problem}', { problem: (error as Error).message });
      }
    },
  };
}

/** Converts CEL's values to JSON: safe integers to numbers, other integers to strings, times to ISO 8601. */
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
