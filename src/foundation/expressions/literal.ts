import { celEnvironment } from './evaluation/environment.ts';
import { parsedBy } from './type-check.ts';

const environment = celEnvironment({ unlistedVariablesAreDyn: true });

/** The value of an expression that is a text, a number, true, false or null by itself; null for any other. */
export function literalOf(source: string): { readonly value: unknown } | null {
  const parsed = parsedBy(environment, source);
  if (parsed?.ast.op !== 'value') return null;
  const { args } = parsed.ast;
  return { value: typeof args === 'bigint' ? Number(args) : args };
}
