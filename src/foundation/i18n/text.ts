/** The English texts of all tables: each `*.texts.ts` adds its own. */
// oxlint-disable-next-line typescript/no-empty-interface
export interface Templates {}

export type Template = keyof Templates;

/** What the program tells people: a text of a table, or one with values. docs/decisions/0019. */
export type Message = Template | Text;

/** A message as JSON keeps it. */
export type StoredMessage = string | { readonly template: string; readonly values: Readonly<Record<string, unknown>> };

/** The places of a template: `number` and `problem` of `line {number}: {problem}`. */
type Place<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Place<Rest> : never;

/** What a text starts with that is the key of one. */
export const KEY_PREFIX = '$i18n:';

/**
 * A place whose name ends in `problem` holds a message, one in `problems` several, one in `label` a name of
 * the configuration, which may be a key; any other a value as it is.
 */
type Value<Name extends string> = Name extends `${string}problem`
  ? Message
  : Name extends `${string}problems`
    ? readonly Message[]
    : string | number;

const PLACE = /\{(\w+)\}/g;

/** The names of the places in a text. */
export function placesIn(words: string): string[] {
  return [...words.matchAll(PLACE)].map(([, name = '']) => name);
}

/**
 * An English sentence with places, and their values. Its template is its key: each language has its own one
 * for it.
 */
export class Text {
  private readonly template: string;
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(template: string, values: Readonly<Record<string, unknown>> = {}) {
    this.template = template;
    this.values = values;
  }

  static from(message: StoredMessage | Text): Text {
    if (message instanceof Text) return message;
    return typeof message === 'string' ? new Text(message) : new Text(message.template, message.values);
  }

  /** @param translate gives a template in the reader's language */
  in(translate: (template: string) => string): string {
    const words = translate(this.template);
    if (Object.keys(this.values).length === 0) return words;
    const written = this.mapMessages((message) => Text.from(message).in(translate));
    return words.replace(PLACE, (place, name: string) => {
      const value = Object.hasOwn(written, name) ? written[name] : place;
      return Array.isArray(value) ? value.join('; ') : String(value);
    });
  }

  /** In English. */
  toString(): string {
    return this.in((template) => template);
  }

  /**
   * In English: streams, events and logs have no single reader. Answers are translated as they are written.
   */
  toJSON(): string {
    return this.toString();
  }

  toStored(): StoredMessage {
    if (Object.keys(this.values).length === 0) return this.template;
    return { template: this.template, values: this.mapMessages((message) => Text.from(message).toStored()) };
  }

  private mapMessages(change: (message: StoredMessage) => unknown): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(this.values).map(([name, value]) => {
        if (name.endsWith('problem') || (name.endsWith('label') && isKey(value)))
          return [name, change(value as StoredMessage)];
        return [name, Array.isArray(value) ? value.map((one: StoredMessage) => change(one)) : value];
      }),
    );
  }
}

/** A message with values. A constant one is a plain string. */
export function text<const T extends Template>(
  template: T,
  values: { readonly [Name in Place<T>]: Value<Name> },
): Text {
  return new Text(template, values);
}

/** Words that no table has: of a library, or of the configuration. */
export function quoted(words: string): Message {
  return words as Template;
}

/** A stored message for an answer, which is written in the caller's language. */
export function localized(message: StoredMessage): Text;
export function localized(message: StoredMessage | null | undefined): Text | null;
export function localized(message: StoredMessage | null | undefined): Text | null {
  return message === null || message === undefined ? null : Text.from(message);
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(KEY_PREFIX);
}

/** A name of the configuration for an answer: one that is a key is written in the caller's language. */
export function localizedName(name: string): string | Text {
  return isKey(name) ? new Text(name) : name;
}

/**
 * How a text with values begins in a column of type text: it is JSON there. Every other message stands as it
 * is.
 */
const JSON_START = '{"template":';

export function toColumn(message: Message): string {
  const stored = Text.from(message).toStored();
  if (typeof stored !== 'string') return JSON.stringify(stored);
  // People write reasons as they like.
  return stored.startsWith(JSON_START) ? toColumn(new Text('{value}', { value: stored })) : stored;
}

export function fromColumn(column: string | null | undefined): Text | null {
  if (column === null || column === undefined) return null;
  return Text.from(column.startsWith(JSON_START) ? (JSON.parse(column) as StoredMessage) : column);
}
