import { text, type Message } from '../../../foundation/i18n/text.ts';
import type { FieldOptions } from './field-options.ts';
import type { FieldTypeDefinition } from './field-type.ts';
import { pidValues } from './pid-values.ts';

/** A file, by its pid. */
export const FILE: FieldTypeDefinition = {
  ...pidValues('must be the pid of a file'),
  options: ['accept', 'maxBytes'],
};

/** The problem of a file in view of the field's options; null if none. */
export function problemOfFile(
  { accept, maxBytes }: FieldOptions,
  { contentType, size }: { readonly contentType: string; readonly size: number },
): Message | null {
  if (accept && !accept.some((pattern) => matches(pattern, contentType))) {
    return text('must be a file of type {types}', { types: accept.join(', ') });
  }
  if (maxBytes === undefined || size <= maxBytes) return null;
  return text('must not be larger than {max} bytes', { max: maxBytes });
}

function matches(pattern: string, contentType: string): boolean {
  return pattern.endsWith('/*') ? contentType.startsWith(pattern.slice(0, -1)) : contentType === pattern;
}
