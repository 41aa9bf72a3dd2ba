import { nameIn, typeOfSchema, type JsonSchema } from './schema-type.ts';
import { objectType, sorted, textLiteral, type Member } from './source-text.ts';

interface Parameter {
  /** Of a header that all requests may have. */
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

interface Operation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

/** What is read here of an OpenAPI document. */
export interface ApiDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const ERROR = /^Error\./;
const JSON_TYPE = 'application/json';
const MULTIPART = 'multipart/form-data';

/** The declarations of the fixed routes, with the schemas and the errors that they share. */
export function printApi({ paths, components: { schemas } }: ApiDocument): string {
  const named = sorted(Object.entries(schemas));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
  const parts = {
    Api: sorted(operations).map(([name, operation]) => ({ name, type: printOperation(operation) })),
    Schemas: named
      .filter(([name]) => !ERROR.test(name))
      .map(([name, schema]) => ({ name, type: typeOfSchema(schema) })),
    Errors: named
      .filter(([name]) => ERROR.test(name))
      .map(([name, schema]) => ({ name: name.replace(ERROR, ''), type: typeOfAnswer(schema) })),
  };
  return Object.entries(parts)
    .map(([name, members]) => `export interface ${name} ${objectType(members)}\n`)
    .join('\n');
}

function printOperation({ parameters, requestBody, responses }: Operation): string {
  const of = (place: string): string => {
    const own = parameters.filter((one) => one.$ref === undefined && one.in === place);
    return objectType(sorted(own.map((one) => [one.name, one])).map(toMember), 'Record<string, never>');
  };
  const { 200: success, 202: accepted } = responses;
  const media = Object.keys(success?.content ?? {}).filter((type) => type !== JSON_TYPE);
  return objectType([
    { name: 'params', type: of('path') },
    { name: 'query', type: of('query') },
    { name: 'headers', type: of('header') },
    { name: 'body', type: typeOfBody(requestBody?.content) },
    { name: 'data', type: dataOf(success?.content) },
    ...(accepted ? [{ name: 'accepted', type: dataOf(accepted.content) }] : []),
    ...(media.length > 0 ? [{ name: 'media', type: media.map(textLiteral).join(' | ') }] : []),
  ]);
}

function typeOfBody(content: Content = {}): string {
  const schema = content[JSON_TYPE]?.schema;
  if (schema) return typeOfSchema(schema);
  return content[MULTIPART] ? 'FormData' : 'null';
}

function toMember([name, { required, schema }]: readonly [string, Parameter]): Member {
  return { name, type: typeOfSchema(schema), optional: !required };
}

/** `never` where no answer is JSON. */
function dataOf(content: Content = {}): string {
  const schema = content[JSON_TYPE]?.schema;
  return schema ? typeOfAnswer(schema) : 'never';
}

/** Of an envelope, its `data`. */
function typeOfAnswer(schema: JsonSchema): string {
  const isEnvelope = schema.allOf?.some(({ $ref = '' }) => nameIn($ref) === 'Envelope') ?? false;
  return typeOfSchema(isEnvelope ? (schema.properties?.data ?? {}) : schema);
}
