import type { KnownModel } from '../../tools/toolbox.ts';

const SYMBOLS = new Map(Object.entries({ '=': 'eq', '!=': 'ne', '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' }));
const VALUE = String.raw`"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^\s"[]\S*`;
/** `amount > 10`, `name starts_with "A"`, `email is_null`, up to the `and` before the next one. */
const CONDITION = new RegExp(
  String.raw`\s*([^\s=!<>]+)(?:\s+(is_null|is_not_null)|(?:\s*([=!<>]=?)\s*|\s+([a-z_]+)\s+)(${VALUE}))(?:\s*$|\s+(?:and|且)\s)`,
  'iy',
);

/**
 * Reads what follows `where`: filter conditions as JSON, or `field operator value` joined by `and`. Only the
 * form is judged here; fields, operators and values are judged by `list_records`.
 * @returns null for any other form
 */
export function readConditions(text: string, model: KnownModel): readonly unknown[] | null {
  if (/^[[{]/.test(text)) {
    const parsed = parseJson(text);
    return parsed === undefined ? null : [parsed].flat();
  }
  const filters: unknown[] = [];
  for (let end = 0; end < text.length; end = CONDITION.lastIndex) {
    CONDITION.lastIndex = end;
    const [, fieldName, unary, symbol = '', word = SYMBOLS.get(symbol) ?? symbol, written] = CONDITION.exec(text) ?? [];
    if (fieldName === undefined) return null;
    const type = model.fields.find(({ code }) => code === fieldName)?.type;
    // Decimals and large whole numbers stay texts: a JSON number would round them.
    const isJson = /^["[]/.test(written ?? '') || type === 'integer' || type === 'boolean';
    const value = isJson ? (parseJson(written ?? '') ?? written) : written;
    filters.push({ fieldName, operator: unary ?? word, ...(value !== undefined && { value }) });
  }
  return filters;
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
