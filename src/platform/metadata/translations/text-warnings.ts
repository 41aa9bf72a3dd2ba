import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { placesIn, text } from '../../../foundation/i18n/text.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import type { Bundle } from './translations.ts';

/** What texts are for. */
export interface UsedTexts {
  /** Key -> the English text that the program ships. */
  readonly shipped: ReadonlyMap<string, string>;
  /** Keys by which resources are shown. */
  readonly keys: ReadonlySet<string>;
  /** Those of them that no bundle has. */
  readonly missing: ReadonlySet<string>;
}

/** What the author of a bundle should know: texts that are never shown, and places that nothing fills. */
export function warningsOfTexts({ messages }: Pick<Bundle, 'messages'>, used: UsedTexts): FieldErrors {
  const warnings: FieldErrors = {};
  for (const [key, words] of Object.entries(messages)) {
    const shipped = used.shipped.get(key);
    const path = `content.messages.${key}`;
    // Only texts of the program have values.
    const filled = placesIn(shipped ?? '');
    const empty = placesIn(words).find((place) => !filled.includes(place));
    if (empty !== undefined)
      warnings[path] = withSuggestion(text('nothing fills {place}', { place: `{${empty}}` }), empty, filled);
    if (shipped === undefined && !used.keys.has(key))
      warnings[path] = withSuggestion('is used nowhere', key, used.missing);
  }
  return warnings;
}
