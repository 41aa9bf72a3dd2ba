/** A JSON Schema (2020-12), as plain data. */
export type Schema = Readonly<Record<string, unknown>>;

/** The keyword with which a schema brings the words for whatever is wrong with a value of it, its absence among that. */
export const PROBLEM = 'x-problem';

const names = new WeakMap<object, string>();

/** Gives a schema a name in the OpenAPI document: wherever it is used, a reference stands there. */
export function named<S extends Schema>(name: string, schema: S): S {
  names.set(schema, name);
  return schema;
}

export function nameOf(schema: object): string | undefined {
  return names.get(schema);
}

export const ANYTHING: Schema = {};
export const BOOLEAN = { type: 'boolean' } as const;
export const NUMBER = { type: 'number' } as const;
/** A platform-generated id; record ids of requests are pids, too. */
export const PID = { type: 'string', minLength: 1, maxLength: 32 } as const;
/** A 64-bit id: JSON numbers cannot hold it. */
export const BIG_ID = { type: 'string', pattern: '^\\d{1,19}$' } as const;
export const TIME = { type: 'string', format: 'date-time' } as const;
export const NOTHING = { type: 'null' } as const;
/** An object whose keys nobody knows beforehand. */
export const MAP = { type: 'object' } as const;

export function text(rest: { minLength?: number; maxLength?: number; pattern?: string; description?: string } = {}) {
  return { type: 'string', ...rest } as const;
}

/** A text of a request as it may be stored: never empty, and not longer than this. */
export function textUpTo(maxLength: number) {
  return { type: 'string', minLength: 1, maxLength } as const;
}

export function integer(minimum?: number, maximum?: number) {
  const limits = { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
  return { type: 'integer', ...limits } as const;
}

export function oneOf(values: readonly string[]) {
  return { type: 'string', enum: [...values] } as const;
}

export function list(items: Schema, rest: { minItems?: number; maxItems?: number } = {}) {
  return { type: 'array', items, ...rest } as const;
}

export function mapOf(values: Schema) {
  return { type: 'object', additionalProperties: values } as const;
}

/** The same, and what is said of a value that does not keep it: at its own place, also for what is wrong deeper in it. */
export function saying<S extends Schema>(problem: string, schema: S) {
  return { ...schema, [PROBLEM]: problem };
}

export function nullable(schema: Schema): Schema {
  return { anyOf: [schema, NOTHING] };
}

/** An object with these keys and no others; all are required but the optional ones. */
export function object(required: Readonly<Record<string, Schema>>, optional: Readonly<Record<string, Schema>> = {}) {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  } as const;
}

/** The same with all keys optional. */
export function partial(properties: Readonly<Record<string, Schema>>) {
  return object({}, properties);
}

/** An object with these keys, in which others are ignored. */
export function openObject(
  required: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
) {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) } as const;
}
