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
/** What stands between several problems. */
const AND = '; ';
/** Texts within texts: nobody says more of them than this. */
const MAX_DEPTH = 4;
/** A place is a path, perhaps with a resource before it. */
const WORDS_OF_PLACE = 2;
const MAX_PLACE = 500;
/** Of problems one after the other. Whatever is longer quotes somebody, and each part of it would cost time. */
const MAX_LENGTH = 20_000;
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
    const lookUp: LookUp = (key) => {
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

type LookUp = (key: string) => string | undefined;

function say(text: string, lookUp: LookUp, depth = 0): string {
  if (text.startsWith(KEY_PREFIX)) return lookUp(text.slice(KEY_PREFIX.length)) ?? text;
  const known = sayKnown(text, lookUp, depth);
  if (known !== null || text.length > MAX_LENGTH) return known ?? text;
  return text
    .split(AND)
    .map((part) => sayPlaced(part, lookUp, depth))
    .join(AND);
}

/** A text of ours, with those in its places; null for any other. */
function sayKnown(text: string, lookUp: LookUp, depth: number): string | null {
  const known = depth > MAX_DEPTH ? null : recognise(text);
  if (!known) return null;
  return (lookUp(known.key) ?? text).replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = known.values.get(name) ?? whole;
    return name.endsWith('problem') ? say(value, lookUp, depth + 1) : value;
  });
}

/** What is wrong, behind the place where it is: `MODEL/lead content.fields.0.type cannot become ...`. */
function sayPlaced(text: string, lookUp: LookUp, depth: number): string {
  const whole = sayKnown(text, lookUp, depth);
  if (whole !== null) return whole;
  for (const { index } of [...text.slice(0, MAX_PLACE).matchAll(/ /g)].slice(0, WORDS_OF_PLACE)) {
    const said = sayKnown(text.slice(index + 1), lookUp, depth);
    if (said !== null) return text.slice(0, index + 1) + said;
  }
  return text;
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
