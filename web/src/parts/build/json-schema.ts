/** As much of JSON Schema as editors need: the service judges. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly contentMediaType?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
}

/** What is known of a map: values that tell which kind of several it is. */
type Known = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 12;

/** The plain schemas that a schema stands for, without those that what is known rules out. */
function alternatives(schema: JsonSchema | undefined, root: JsonSchema, known: Known = {}, depth = 0): JsonSchema[] {
  if (!schema || depth > MAX_DEPTH) return [];
  const { anyOf = [], oneOf = [], allOf = [], then, else: otherwise } = schema;
  const parts = [...anyOf, ...oneOf, ...allOf, ...(then ? [then] : []), ...(otherwise ? [otherwise] : [])];
  const referred = schema.$ref === undefined ? [] : [at(root, schema.$ref)];
  const found = [...referred, ...parts].flatMap((part) => alternatives(part, root, known, depth + 1));
  return [schema, ...found].filter((one) => fits(one, known));
}

function at(root: JsonSchema, pointer: string): JsonSchema | undefined {
  let found: unknown = root;
  for (const step of pointer.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    found = (found as Readonly<Record<string, unknown>> | undefined)?.[
      step.replaceAll('~1', '/').replaceAll('~0', '~')
    ];
  }
  return found as JsonSchema | undefined;
}

function fits({ properties = {} }: JsonSchema, known: Known): boolean {
  return Object.entries(properties).every(([key, { const: only }]) => {
    return only === undefined || known[key] === undefined || known[key] === only;
  });
}

/** Keys of a map with their schemas, in the order in which the schema has them. */
export function keysOf(schema: JsonSchema | undefined, root: JsonSchema, known: Known = {}): Map<string, JsonSchema> {
  const keys = new Map<string, JsonSchema>();
  for (const { properties = {} } of alternatives(schema, root, known)) {
    for (const [key, one] of Object.entries(properties)) {
      const before = keys.get(key);
      keys.set(key, before ? { anyOf: [before, one] } : one);
    }
  }
  return keys;
}

/** The schema of what stands below a key; `#` is an item of a list. */
export function below(
  schema: JsonSchema | undefined,
  root: JsonSchema,
  key: string,
  known: Known = {},
): JsonSchema | undefined {
  const found = alternatives(schema, root, known).flatMap(({ items, properties, additionalProperties }) => {
    if (key === '#') return items ?? [];
    const own = properties?.[key];
    if (own) return own;
    return typeof additionalProperties === 'object' ? additionalProperties : [];
  });
  return found.length > 1 ? { anyOf: found } : found[0];
}

/** Values that a schema allows by name. */
export function valuesOf(schema: JsonSchema | undefined, root: JsonSchema): string[] {
  const found = alternatives(schema, root).flatMap(({ const: only, enum: all = [], type }) => {
    if (only !== undefined) return [only];
    return type === 'boolean' ? [true, false] : all;
  });
  return [...new Set(found.filter((one) => typeof one !== 'object').map(String))];
}

/** The types that a value may have, as JSON Schema names them. */
export function typesOf(schema: JsonSchema | undefined, root: JsonSchema): string[] {
  const found = alternatives(schema, root).flatMap(({ type, const: only, enum: all = [] }) => {
    if (type !== undefined) return type;
    return [only, ...all].filter((one) => one !== undefined).map((one) => typeof one);
  });
  return [...new Set(found)];
}

/** Whether a value has lines of its own: a statement, not a name or an expression. */
export function isText(schema: JsonSchema | undefined, root: JsonSchema): boolean {
  return alternatives(schema, root).some(({ contentMediaType }) => (contentMediaType ?? 'text/cel') !== 'text/cel');
}

/** Whether a value is an expression of CEL. */
export function isExpression(schema: JsonSchema | undefined, root: JsonSchema): boolean {
  return alternatives(schema, root).some(({ contentMediaType }) => contentMediaType === 'text/cel');
}

/** What people look for first, wherever the schema has it. */
const FIRST = ['id', 'code', 'name', 'type'];

/** A value with the keys of its maps in the order of the schema; what the schema does not know comes last. */
export function inOrderOf(value: unknown, schema: JsonSchema | undefined, root: JsonSchema): unknown {
  if (Array.isArray(value)) {
    const items = below(schema, root, '#');
    return value.map((item) => inOrderOf(item, items, root));
  }
  if (typeof value !== 'object' || value === null) return value;
  const map = value as Readonly<Record<string, unknown>>;
  const order = [...new Set([...FIRST, ...keysOf(schema, root, map).keys()])];
  const rank = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);
  const keys = Object.keys(map).toSorted((one, other) => rank(one) - rank(other));
  return Object.fromEntries(keys.map((key) => [key, inOrderOf(map[key], below(schema, root, key, map), root)]));
}
