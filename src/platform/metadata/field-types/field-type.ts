import type { Message } from '../../../foundation/i18n/text.ts';
import type { FieldOptions } from './field-options.ts';

/** A value fit for its column, or what is wrong with it. */
export type Checked = { readonly value: unknown } | { readonly problem: Message };

/** A JSON Schema of one value. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Options that mean something for some types only. */
export type TypedOption =
  | 'min'
  | 'max'
  | 'scale'
  | 'precision'
  | 'maxLength'
  | 'pattern'
  | 'patternMessage'
  | 'values'
  | 'labels'
  | 'transitions'
  | 'target'
  | 'onDelete'
  | 'searchable'
  | 'accept'
  | 'maxBytes'
  | 'fields'
  | 'minItems'
  | 'maxItems';

/** Default of a model's field that is known when a record is created. */
export type DefaultVariable = '$user.pid' | '$now' | '$today';

/** How the fields of one type are stored, checked, filtered and shown. */
export interface FieldTypeDefinition {
  /** Column type, as `format_type` of Postgres prints it. */
  readonly column: string;
  /** Column types whose every value is also a value of `column`. */
  readonly widensFrom?: readonly string[];
  /** Type to which a condition casts its parameters. */
  readonly cast: string;
  readonly options?: readonly TypedOption[];
  readonly requiredOption?: TypedOption;
  /** Whether records can be compared by the field: sorted, grouped, kept unique. */
  readonly comparable: boolean;
  /** The longest text, in characters, where the field does not set another; without it there is no limit. */
  readonly maxLength?: number;
  /** Whether a condition may ask for less, more, or a range. */
  readonly ordered: boolean;
  /** Whether the operators of texts apply: like, contains, starts_with. */
  readonly textual: boolean;
  /** What the cell of a spreadsheet holds; by default a text. */
  readonly cell?: 'number' | 'date' | 'datetime' | 'boolean';
  /** What the default of such a field may be, beside a value. */
  readonly defaultVariables?: readonly DefaultVariable[];
  /** Ways in which a page may show such a field, beside the usual one. */
  readonly formats?: readonly string[];
  /** Whether the column has an index even where the field does not ask for one. */
  readonly alwaysIndexed?: boolean;
  /** Checks a value by the type alone. @returns the one form that it has in JSON */
  check(value: unknown): Checked;
  /** The value in JSON that a text of a file stands for; by default the text itself. */
  fromText?(text: string): Checked;
  /** Form in which a checked value is a parameter of SQL, where that is not its form in JSON. */
  toParameter?(value: unknown): unknown;
  /** What a value of this type is in expressions, where that is not its form in JSON. */
  toExpressionValue?(value: unknown): unknown;
  /** The value in JSON of what an expression computes for the field, where that is another. */
  fromExpressionValue?(value: unknown, field: FieldOptions): unknown;
  /** Problem of a value of this type in view of the field's options; null when it fits. */
  checkOptions?(field: FieldOptions, value: unknown): Message | null;
  /** Schema of the values that a payload may hold, as far as JSON Schema can say it. */
  jsonSchema(field: FieldOptions): JsonSchema;
  /** Example value for documentation and test deliveries. */
  sample(field: FieldOptions): unknown;
}
