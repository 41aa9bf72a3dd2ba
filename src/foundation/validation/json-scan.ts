import type { FieldErrors } from '../errors/application-error.ts';
import { text as message, type Message } from '../i18n/text.ts';

/** What a JSON text may hold. */
export interface JsonRules {
  /** Levels of objects and arrays. */
  readonly depth: number;
  readonly keys: number;
  /** Of one object. */
  readonly keysOfObject: number;
  /** Counted by the commas between them. */
  readonly values: number;
  /** Whether keys that reach an object's prototype in a careless merge are keys like any other. */
  readonly allKeys: boolean;
  /** What becomes of a number that JavaScript would round. */
  readonly roundedNumbers: 'refused' | 'texts';
}

/** Keys that reach an object's prototype in a careless merge; no honest payload has them. */
export const FORBIDDEN_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];
/** Any number of so many digits is what it was after it has been parsed and written again. */
const EXACT_DIGITS = 15;
const MAX_NUMBERS_TOLD = 100;
const MAX_SHOWN_DIGITS = 40;

const [QUOTE, BACKSLASH, COMMA, COLON, MINUS] = [34, 92, 44, 58, 45];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
const [ZERO, NINE] = [48, 57];

/**
 * One pass over a JSON text, before it is parsed: counts levels, keys and values, and finds keys and numbers
 * that are refused. It takes the grammar for granted: `JSON.parse` judges that.
 */
export class JsonScan {
  readonly problems: FieldErrors = {};
  /** Whether there is a number to be kept as a text. */
  hasRoundedNumber = false;
  readonly #text: string;
  readonly #rules: JsonRules;
  readonly #mayHaveForbiddenKey: boolean;
  #at = 0;
  #depth = 0;
  #keys = 0;
  #values = 0;
  /** By level: keys of the present object. */
  readonly #keysOfObjects: number[] = [];
  #numbers = 0;
  /** The last text that was read, quotes included. */
  #lastText = { start: 0, end: 0 };
  /** By level: where its present key starts and ends, or the index of its present item. */
  readonly #steps: ({ start: number; end: number } | number)[] = [];

  constructor(text: string, rules: JsonRules) {
    this.#text = text;
    this.#rules = rules;
    // An escape may hide one.
    this.#mayHaveForbiddenKey =
      !rules.allKeys && (text.includes('\\u') || FORBIDDEN_KEYS.some((key) => text.includes(key)));
  }

  /** Goes on to this position, or a little further. @returns whether the scan is at its end */
  run(end: number): boolean {
    const text = this.#text;
    const stop = Math.min(end, text.length);
    while (this.#at < stop) {
      const character = text.charCodeAt(this.#at);
      if (character === QUOTE) this.#skipText();
      else if (character === MINUS || (character >= ZERO && character <= NINE)) this.#skipNumber();
      else {
        if (character < 128) this.#take(character);
        this.#at += 1;
      }
    }
    return this.#at >= text.length;
  }

  #take(character: number): void {
    switch (character) {
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#depth += 1;
        this.#steps[this.#depth] = 0;
        this.#keysOfObjects[this.#depth] = 0;
        if (this.#depth > this.#rules.depth) {
          this.#end(message('is nested deeper than {max} levels', { max: this.#rules.depth }));
        }
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.#depth -= 1;
        break;
      case COMMA:
        this.#next();
        break;
      case COLON:
        this.#takeKey();
        break;
    }
  }

  #next(): void {
    this.#values += 1;
    const step = this.#steps[this.#depth];
    if (typeof step === 'number') this.#steps[this.#depth] = step + 1;
    if (this.#values > this.#rules.values) {
      this.#end(message('has more than {max} values', { max: this.#rules.values }));
    }
  }

  #takeKey(): void {
    this.#keys += 1;
    this.#steps[this.#depth] = this.#lastText;
    const { keys, keysOfObject } = this.#rules;
    const ofObject = (this.#keysOfObjects[this.#depth] ?? 0) + 1;
    this.#keysOfObjects[this.#depth] = ofObject;
    if (this.#keys > keys) this.#end(message('has more than {max} keys', { max: keys }));
    else if (ofObject > keysOfObject)
      this.#end(message('has more than {max} keys in an object', { max: keysOfObject }));
    if (!this.#mayHaveForbiddenKey) return;
    const key = this.#written(this.#lastText);
    if (FORBIDDEN_KEYS.includes(key)) this.#end(message('must not contain the key {key}', { key }));
  }

  #skipText(): void {
    const text = this.#text;
    const start = this.#at;
    this.#at = endOfText(text, start);
    this.#lastText = { start, end: this.#at };
  }

  #skipNumber(): void {
    const text = this.#text;
    const start = this.#at;
    let digits = 0;
    let hasExponent = false;
    let at = start;
    for (; at < text.length; at += 1) {
      const character = text.charCodeAt(at);
      if (character >= ZERO && character <= NINE) digits += 1;
      else if (character === 69 || character === 101) hasExponent = true;
      else if (character !== MINUS && character !== 43 && character !== 46) break;
    }
    this.#at = at;
    if (digits <= EXACT_DIGITS && !hasExponent) return;
    const number = text.slice(start, at);
    if (isExact(number)) return;
    this.hasRoundedNumber = true;
    if (this.#rules.roundedNumbers === 'texts' || this.#numbers === MAX_NUMBERS_TOLD) return;
    this.#numbers += 1;
    this.problems[this.#path()] = message(
      'holds the number {number}, which would be rounded: send at most 15 digits, or a text where the field takes one',
      { number: number.length > MAX_SHOWN_DIGITS ? `${number.slice(0, MAX_SHOWN_DIGITS)}...` : number },
    );
  }

  /** The keys and indexes that lead to the present value. */
  #path(): string {
    return this.#steps
      .slice(1, this.#depth + 1)
      .map((step) => (typeof step === 'number' ? String(step) : this.#written(step)))
      .join('.');
  }

  #written({ start, end }: { start: number; end: number }): string {
    const quoted = this.#text.slice(start, end);
    if (!quoted.includes('\\')) return quoted.slice(1, -1);
    try {
      return String(JSON.parse(quoted));
    } catch {
      return quoted;
    }
  }

  /** Nothing after this matters. */
  #end(problem: Message): void {
    for (const path of Object.keys(this.problems)) delete this.problems[path];
    this.problems[''] = problem;
    this.#at = this.#text.length;
  }
}

/** The position behind the text that starts here; the end where it has none, which JSON.parse refuses. */
export function endOfText(text: string, start: number): number {
  let quote = start;
  do quote = text.indexOf('"', quote + 1);
  while (quote !== -1 && isEscaped(text, quote));
  return quote === -1 ? text.length : quote + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** Whether JavaScript, which holds numbers in 64 bits, writes the same number again. */
export function isExact(number: string): boolean {
  const written = String(Number(number));
  return written === number || digitsOf(written) === digitsOf(number);
}

/** The digits of a number without what says nothing, with the place of the first one. */
export function digitsOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const all = whole + fraction;
  const first = all.search(/[1-9]/);
  if (first === -1) return all === '' ? number : '0';
  return `${sign}${all.slice(first).replace(/0+$/, '')}e${Number(exponent) + whole.length - first}`;
}
