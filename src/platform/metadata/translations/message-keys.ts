import { KEY_PREFIX } from '../../../foundation/i18n/languages.ts';
import type { EnvironmentResource } from '../resources/resource-type.ts';
import { I18N, type TranslationsContent } from './translations.ts';

export interface PlacedKey {
  readonly path: string;
  readonly key: string;
}

export function isBundle<R extends EnvironmentResource>(
  resource: R,
): resource is R & { readonly content: TranslationsContent } {
  return resource.resourceType === I18N.name;
}

/** The `$i18n:` keys in a resource's content, with their places. */
export function messageKeysIn(resource: EnvironmentResource): PlacedKey[] {
  const found: PlacedKey[] = [];
  if (!isBundle(resource)) collect(resource.content, 'content', found);
  return found;
}

function collect(value: unknown, path: string, found: PlacedKey[]): void {
  if (typeof value === 'string') {
    if (value.startsWith(KEY_PREFIX)) found.push({ path, key: value.slice(KEY_PREFIX.length) });
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) collect(item, `${path}.${name}`, found);
  }
}
