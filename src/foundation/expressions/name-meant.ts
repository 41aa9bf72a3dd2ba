import type { Environment as EvaluationScope } from '@marcbachmann/cel-js';
import { closestOf } from '../validation/similar.ts';

/** The variable or function that may be meant by one that an expression names and a scope does not have. */
export function nameMeant(summary: string, scope: EvaluationScope): string | null {
  const { variables, functions } = scope.getDefinitions();
  const [, variable] = /^Unknown variable: (\w+)/.exec(summary) ?? [];
  const [, called] = /^found no matching overload for '(?:.*\.)?(\w+)\(/.exec(summary) ?? [];
  const name = variable ?? called ?? '';
  const known = new Set((variable === undefined ? functions : variables).map((one) => one.name));
  return known.has(name) ? null : closestOf(name, known);
}
