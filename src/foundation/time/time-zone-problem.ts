import type { Message } from '../i18n/text.ts';
import { withSuggestion } from '../validation/similar.ts';

/** The problem of a name that no time zone has, with the one that may be meant. */
export function problemOfTimeZone(name: string): Message {
  return withSuggestion('is not the name of a time zone', name, Intl.supportedValuesOf('timeZone'));
}
