import { objectType, sorted, textLiteral, unionOf } from './source-text.ts';

/** A JSON Schema as the OpenAPI document has it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
}

const SCALARS: ReadonlyMap<string, string> = new Map([
  ...['string', 'number', 'boolean', 'null'].map((type) => [type, type] as const),
  ['integer', 'number'],
]);

/** The type of the values that keep a schema. */
export function typeOfSchema(schema: JsonSchema): string {
  const { $ref, type, anyOf, oneOf = anyOf, allOf } = schema;
  if ($ref !== undefined) return `Schemas[${textLiteral(nameIn($ref))}]`;
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return unionOf(schema.enum.map(literal));
  if (oneOf) return unionOf(oneOf.map(typeOfSchema));
  if (allOf) return allOf.map((part) => `(${typeOfSchema(part)})`).join(' & ');
  if (typeof type === 'object') return unionOf(type.map((one) => typeOfSchema({ ...schema, type: one })));
  if (type === 'array') return `Array<${schema.items ? typeOfSchema(schema.items) : 'unknown'}>`;
  if (type === 'object') return typeOfObject(schema);
  return SCALARS.get(type ?? '') ?? 'unknown';
}

/** `#/components/schemas/<name>` */
export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function typeOfObject({ properties = {}, required = [], additionalProperties: others }: JsonSchema): string {
  const members = sorted(Object.entries(properties)).map(([name, schema]) => {
    return { name, type: typeOfSchema(schema), optional: !required.includes(name) };
  });
  const known = objectType(members, 'Record<string, never>');
  if (others === false) return known;
  if (members.length > 0) return others === true ? `${known} & Record<string, unknown>` : known;
  return `Record<string, ${typeof others === 'object' ? typeOfSchema(others) : 'unknown'}>`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? textLiteral(value) : JSON.stringify(value);
}
