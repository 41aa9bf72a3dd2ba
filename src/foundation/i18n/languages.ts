import { match } from '@formatjs/intl-localematcher';
import { LRUCache } from 'lru-cache';
import { KEY_PREFIX, Text, type StoredMessage } from './text.ts';
import { SHIPPED_LOCALES, type TextTable } from './text-table.ts';

/** Locale -> key -> text. */
export type Bundles = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The language of an answer. */
export interface Language {
  /** BCP 47. */
  readonly locale: string;
  /** A message, or an `$i18n:` key, in this language. Unknown ones stay as they are. */
  readonly translate: (message: StoredMessage | Text) => string;
}

const DEFAULT_LOCALE = 'en';
/** Accepted languages that are considered: each costs time. */
const MAX_ACCEPTED = 10;

/**
 * Chooses the language of each answer: what the caller accepts, among the shipped ones and those of I18N
 * resources.
 */
export class Languages {
  readonly #shipped: Bundles;
  /** English text -> its key. */
  readonly #keys: ReadonlyMap<string, string>;
  readonly #bundlesOf: (environment: string | undefined) => Bundles;
  readonly #matched = new LRUCache<string, string>({ max: 1_000 });

  /**
   * @param bundlesOf the bundles of an environment (undefined: the node's own), which win over the shipped
   * ones
   */
  constructor(tables: readonly TextTable[], bundlesOf: (environment: string | undefined) => Bundles) {
    const texts = tables.flatMap((table) => Object.entries(table));
    const columns = Object.entries(SHIPPED_LOCALES) as [keyof typeof SHIPPED_LOCALES, string][];
    this.#shipped = new Map(
      columns.map(([column, locale]) => [locale, new Map(texts.map(([key, text]) => [key, text[column]]))]),
    );
    this.#keys = new Map(texts.map(([key, { en }]) => [en, key]));
    this.#bundlesOf = bundlesOf;
  }

  /** @param accepted BCP 47 ranges, the preferred one first */
  languageFor(accepted: readonly string[], environment: string | undefined): Language {
    const own = this.#bundlesOf(environment);
    const locale = this.#match(accepted.slice(0, MAX_ACCEPTED), [...new Set([...this.#shipped.keys(), ...own.keys()])]);
    const bundles = fallbacksOf(locale).flatMap((name) => [own.get(name), this.#shipped.get(name)]);
    const wordsOf = (template: string): string => {
      const key = template.startsWith(KEY_PREFIX) ? template.slice(KEY_PREFIX.length) : this.#keys.get(template);
      return bundles.find((bundle) => bundle?.has(key ?? ''))?.get(key ?? '') ?? template;
    };
    return { locale, translate: (message) => Text.from(message).in(wordsOf) };
  }

  #match(accepted: readonly string[], available: readonly string[]): string {
    const wanted = accepted.flatMap((tag) => (tag === '*' ? [DEFAULT_LOCALE] : canonical(tag)));
    const asked = `${wanted.join()}|${available.join()}`;
    let locale = this.#matched.get(asked);
    if (locale === undefined) {
      locale = match(wanted, available, DEFAULT_LOCALE);
      this.#matched.set(asked, locale);
    }
    return locale;
  }
}

/** A name of the configuration in this language; one that is no key stays as it is. */
export function translateName(name: string, language: Language): string {
  return name.startsWith(KEY_PREFIX) ? language.translate(name) : name;
}

/** zh-CN -> zh -> en */
function fallbacksOf(locale: string): string[] {
  const subtags = locale.split('-');
  const shorter = subtags.map((_, index) => subtags.slice(0, subtags.length - index).join('-'));
  return [...new Set([...shorter, DEFAULT_LOCALE])];
}

/** The tag in its canonical case, or nothing where it is none. */
function canonical(tag: string): string[] {
  try {
    return Intl.getCanonicalLocales(tag);
  } catch {
    return [];
  }
}
