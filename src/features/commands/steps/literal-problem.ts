import { untypedScope } from '../../../foundation/expressions/evaluation/evaluation-scope.ts';
import { parsedBy } from '../../../foundation/expressions/type-check.ts';
import type { Message } from '../../../foundation/i18n/text.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { checkFieldValue } from '../../../platform/metadata/field-types/field-value.ts';

/** The problem of a literal that the field cannot hold; null for any other expression. */
export function problemOfLiteral(field: FieldContent | null | undefined, source: string): Message | null {
  const literal = field ? literalOf(source) : null;
  const checked = field && literal ? checkFieldValue(field, literal.value) : null;
  return checked && 'problem' in checked ? checked.problem : null;
}

/** The values that stand in an expression as they are: its own, or those of the items of its list. */
export function literalsOf(source: string): readonly unknown[] {
  const ast = parsedBy(untypedScope, source)?.ast;
  const nodes = ast?.op === 'list' ? ast.args : ast ? [ast] : [];
  return nodes.flatMap(({ op, args }) => (op === 'value' && args !== null ? [plain(args)] : []));
}

/** The value of an expression that is a text, a number, true, false or null by itself; null for any other. */
function literalOf(source: string): { readonly value: unknown } | null {
  const parsed = parsedBy(untypedScope, source);
  if (parsed?.ast.op !== 'value') return null;
  return { value: plain(parsed.ast.args) };
}

/** JSON has no integers of 64 bits, which CEL's literals are. */
function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
