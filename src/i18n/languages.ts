import { match } from '@formatjs/intl-localematcher';
import { LRUCache } from 'lru-cache';
import { en } from './en.ts';
import { recognise } from './recognise.ts';
import { zhCn } from './zh-cn.ts';

/** Locale -> key -> text. */
export type Bundles = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What a caller is answered in. */
export interface Language {
  /** BCP 47. */
  readonly locale: string;
  /** A text of ours, or an `$i18n:` key, in this language; whatever is not known stays as it is. */
  readonly say: (text: string) => string;
}

const DEFAULT_LOCALE = 'en';
const KEY_PREFIX = '$i18n:';
/** More languages than this nobody speaks, and each costs time. */
const MAX_ACCEPTED = 10;

const SHIPPED: Bundles = new Map([
  ['en', new Map(Object.entries(en))],
  ['zh-CN', new Map(Object.entries(zhCn))],
]);

/** The language of each answer: what the caller accepts, among what is shipped and what the environment's I18N resources bring. */
export class Languages {
  readonly #bundlesOf: (environment: string | undefined) => Bundles;
  readonly #matched = new LRUCache<string, string>({ max: 1_000 });

  /** @param bundlesOf the bundles of an environment (undefined: the node's own), which go before the shipped ones */
  constructor(bundlesOf: (environment: string | undefined) => Bundles) {
    this.#bundlesOf = bundlesOf;
  }

  /** @param accepted BCP 47 ranges, the preferred one first */
  languageFor(accepted: readonly string[], environment: string | undefined): Language {
    const own = this.#bundlesOf(environment);
    const locale = this.#match(accepted.slice(0, MAX_ACCEPTED), [...new Set([...SHIPPED.keys(), ...own.keys()])]);
    const chain = fallbacksOf(locale);
    const lookUp = (key: string): string | undefined => {
      for (const name of chain) {
        const text = own.get(name)?.get(key) ?? SHIPPED.get(name)?.get(key);
        if (text !== undefined) return text;
      }
      return undefined;
    };
    return { locale, say: (text) => say(text, lookUp) };
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

function say(text: string, lookUp: (key: string) => string | undefined): string {
  if (text.startsWith(KEY_PREFIX)) return lookUp(text.slice(KEY_PREFIX.length)) ?? text;
  const known = recognise(text);
  if (!known) return text;
  const template = lookUp(known.key) ?? text;
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => known.values.get(name) ?? whole);
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
