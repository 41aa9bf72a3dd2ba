/** What the program tells people: a constant English sentence, or one with values. docs/decisions/0019. */
export type Message = string | Text;

/** A message as JSON keeps it. */
export type StoredMessage = string | { readonly template: string; readonly values: Readonly<Record<string, unknown>> };

/** The places of a template: `number` and `problem` of `line {number}: {problem}`. */
type Place<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Place<Rest>
  : never;

/**
 * A place whose name ends in `problem` holds a message, one in `problems` several; any other a value as it
 * is.
 */
type Value<Name extends string> = Name extends `${string}problem`
  ? Message
  : Name extends `${string}problems`
    ? readonly Message[]
    : string | number;

const PLACE = /\{(\w+)\}/g;

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

  static from(message: Message | StoredMessage): Text {
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
        if (name.endsWith('problem')) return [name, change(value as StoredMessage)];
        return [name, Array.isArray(value) ? value.map((one: StoredMessage) => change(one)) : value];
      }),
    );
  }
}

/** A message with values. A constant one is a plain string. */
export function text<const Template extends string>(
  template: Template,
  values: { readonly [Name in Place<Template>]: Value<Name> },
): Text {
  return new Text(template, values);
}

/** A stored message for an answer, which is written in the caller's language. */
export function localized(message: StoredMessage): Text;
export function localized(message: StoredMessage | null | undefined): Text | null;
export function localized(message: StoredMessage | null | undefined): Text | null {
  return message === null || message === undefined ? null : Text.from(message);
}
