import { isLongerThan } from '../../../foundation/validation/text-length.ts';
import type { FieldOptions } from './field-options.ts';
import type { FieldTypeDefinition } from './field-type.ts';
import { TEXT_VALUES } from './text-values.ts';
import { compilePattern, InvalidPattern } from '../../../foundation/expressions/values/regular-expression.ts';
import { KEY_PREFIX, quoted, text, type Message } from '../../../foundation/i18n/text.ts';

/** A text of at most `maxLength` characters; `defaultMaxLength` where the field does not set it. */
export function textOfLength(defaultMaxLength: number): FieldTypeDefinition {
  return {
    ...TEXT_VALUES,
    maxLength: defaultMaxLength,
    options: ['maxLength', 'pattern', 'patternMessage', 'searchable'],
    checkOptions({ maxLength = defaultMaxLength, pattern, patternMessage }, value) {
      const given = String(value);
      if (isLongerThan(given, maxLength)) return text('must not be longer than {max} characters', { max: maxLength });
      return pattern === undefined ? null : problemOfMatch(given, pattern, patternMessage);
    },
    jsonSchema: ({ maxLength = defaultMaxLength, pattern }) => ({
      type: 'string',
      maxLength,
      ...(pattern !== undefined && isEcmaScript(pattern) && { pattern }),
    }),
    sample: (field) => [...sampleText(field)].slice(0, field.maxLength ?? 255).join(''),
  };
}

function problemOfMatch(given: string, pattern: string, said: string | undefined): Message | null {
  try {
    const expression = compilePattern(pattern);
    const max = expression.maxLength;
    if (isLongerThan(given, max)) return text('must not be longer than {max} characters', { max });
    if (expression.test(given)) return null;
    return said === undefined ? text('must match {pattern}', { pattern }) : quoted(said);
  } catch (error) {
    if (error instanceof InvalidPattern) return text('must match {pattern}, which cannot be checked', { pattern });
    throw error;
  }
}

/** Patterns are those of RE2, those of JSON Schema of ECMAScript: not every one is both. */
function isEcmaScript(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern, 'u'));
  } catch {
    return false;
  }
}

function sampleText({ code, name }: FieldOptions): string {
  if (code.includes('email')) return 'someone@example.com';
  if (/url|website/.test(code)) return 'https://example.com/';
  // A key is no word.
  return `Sample ${name.startsWith(KEY_PREFIX) ? code.replaceAll('_', ' ') : name.toLowerCase()}`;
}

export const STRING = textOfLength(255);
