import { Type, type Static } from 'typebox';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { closedObject } from '../content/schema-parts.ts';
import type { Configuration, ResourceType, EnvironmentResource } from '../resources/resource-type.ts';
import { KEY_PREFIX, text } from '../../../foundation/i18n/text.ts';

const SCHEMA = closedObject({
  locale: Type.String({ minLength: 2, maxLength: 35, description: 'BCP 47, such as `zh-CN`' }),
  messages: Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: 5_000,
    propertyNames: { pattern: '^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}$' },
    additionalProperties: { type: 'string', minLength: 1, maxLength: 2_000 },
  }),
});
type TranslationsContent = Static<typeof SCHEMA>;

export interface Bundle extends TranslationsContent {
  readonly code: string;
}

/** Texts of one language. Where a message is `$i18n:<key>`, callers read the text of their language. */
export const I18N: ResourceType<TranslationsContent, Bundle> = {
  name: 'I18N',
  codePattern: '^[a-z][a-z0-9_.-]{0,99}$',
  schema: SCHEMA,
  notFound: 'There is no such resource',
  keep: ({ code, content }) => ({ code, ...content }),
  validate: problemsOfLocale,
};

/** One spelling per locale: two bundles of the same locale must add up. */
function problemsOfLocale({ locale }: TranslationsContent): FieldErrors {
  try {
    const [canonical] = Intl.getCanonicalLocales(locale);
    return canonical === locale
      ? {}
      : { 'content.locale': text('must be written {locale}', { locale: String(canonical) }) };
  } catch {
    return { 'content.locale': 'must be a BCP 47 language tag, such as zh-CN' };
  }
}

const namesOf = (type: 'language' | 'region' | 'script') => new Intl.DisplayNames('en', { type, fallback: 'none' });
const [LANGUAGES, REGIONS, SCRIPTS] = [namesOf('language'), namesOf('region'), namesOf('script')];

/** Whether the parts of a canonical tag have names: `zh-CN` does, `zn-CN` does not. */
export function isKnownLocale(tag: string): boolean {
  const { language, region, script } = new Intl.Locale(tag);
  const isNamed = (names: Intl.DisplayNames, code: string | undefined): boolean =>
    code === undefined || names.of(code) !== undefined;
  return isNamed(LANGUAGES, language) && isNamed(REGIONS, region) && isNamed(SCRIPTS, script);
}

/** Locale -> key -> text. Of a key that several bundles of a locale have, the one of the last code counts. */
export function translationsOf(configuration: Configuration): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const translations = new Map<string, Map<string, string>>();
  for (const { locale, messages } of [...configuration.all(I18N).values()].sort((a, b) => (a.code < b.code ? -1 : 1))) {
    translations.set(locale, new Map([...(translations.get(locale) ?? []), ...Object.entries(messages)]));
  }
  return translations;
}

interface PlacedKey {
  readonly path: string;
  readonly key: string;
}

export function isBundle<R extends EnvironmentResource>(
  resource: R,
): resource is R & { readonly content: TranslationsContent } {
  return resource.resourceType === I18N.name;
}

/** What bundles of the same texts have in common: `billing` of `billing.en` and `billing.zh-cn`. */
export function familyOf({
  code,
  content: { locale },
}: {
  readonly code: string;
  readonly content: TranslationsContent;
}) {
  const ending = `.${locale.toLowerCase()}`;
  return code.endsWith(ending) ? code.slice(0, -ending.length) : code;
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
