import { isDeepStrictEqual } from 'node:util';
import type { Keywords } from '../../foundation/validation/schema.ts';
import type { OpenApiDocument } from './openapi-document.ts';

/** One operation of the fixed document, with the parts that all of its copies share as references. */
export interface Template {
  readonly path: string;
  readonly method: string;
  /** What tells it from the others of its page or command: `list`, `execute`. */
  readonly name: string;
  readonly summary: string;
  /** The request names fields, so records may lack the others. */
  readonly selectsFields: boolean;
  readonly operation: Keywords;
}

/** Texts for the variables of a path, and the names of the schemas that are not the same for all. */
export interface Filling {
  readonly values: Readonly<Record<string, string>>;
  readonly nameOf: (schema: string) => string;
}

const SCHEMAS = '#/components/schemas/';
/** Schemas of the fixed document that each model has its own of. */
const OF_RECORDS = ['Record', 'DeletedRecord'];
/** Stand for the body of a request to execute a command, and for its result. */
export const COMMAND_BODY = 'Command';
export const COMMAND_RESULT = 'Result';
const EXECUTE = '/api/meta/commands/execute/{commandCode}';

/** The operations of the fixed document as templates. */
export class OperationTemplates {
  /** Of the components that templates refer to, by their kind: `parameters`, `responses`. */
  readonly shared: Readonly<Record<'parameters' | 'responses', Record<string, unknown>>> = {
    parameters: {},
    responses: {},
  };
  /** Names of schemas that are made of the records of one model. */
  readonly ofRecords: ReadonlySet<string>;
  /** The schema of a command's body, whatever the command. */
  readonly commandBody: Keywords;
  readonly #fixed: OpenApiDocument;
  readonly #schemas: Readonly<Record<string, Keywords>>;

  constructor(fixed: OpenApiDocument) {
    this.#fixed = fixed;
    const components = fixed.components as Record<string, Record<string, Keywords>>;
    this.#schemas = components.schemas ?? {};
    Object.assign(this.shared.parameters, components.parameters);
    this.ofRecords = this.#referring(OF_RECORDS);
    const execute = fixed.paths[EXECUTE]?.post?.requestBody as { content: Record<string, { schema: Keywords }> };
    this.commandBody = execute.content['application/json']?.schema ?? {};
  }

  /** The operations under a prefix whose paths have a variable, sorted. */
  under(prefix: string, variable: string): readonly Template[] {
    const paths = Object.keys(this.#fixed.paths).filter((path) => path.startsWith(`${prefix}/`));
    return paths
      .filter((path) => path.includes(`{${variable}}`))
      .sort()
      .flatMap((path) => this.at(path, prefix, variable));
  }

  /** The operations of one path. */
  at(path: string, prefix = '', variable = ''): Template[] {
    const words = path
      .slice(prefix.length)
      .split('/')
      .filter((word) => word !== '' && !word.startsWith('{'));
    const operations = Object.entries(this.#fixed.paths[path] ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return operations.map(([method, operation]) => ({
      path,
      method,
      name: [...(words.length > 0 ? words : ['get']), ...(operations.length > 1 ? [method] : [])].join('.'),
      summary: operation.summary as string,
      selectsFields: selectsFields(operation),
      operation: this.#shareParts(operation, path, variable),
    }));
  }

  /** The schemas that are the same for every page and command, by name. */
  commonSchemas(templates: readonly Template[]): Record<string, Keywords> {
    const found = new Set<string>();
    const visit = (value: unknown): void => {
      for (const name of schemasIn(value)) {
        const schema = this.#schemas[name];
        if (!schema || found.has(name)) continue;
        if (!this.ofRecords.has(name)) found.add(name);
        if (!OF_RECORDS.includes(name)) visit(schema);
      }
    };
    visit([templates, this.shared]);
    return Object.fromEntries([...found].sort().map((name) => [name, this.#schemas[name] ?? {}]));
  }

  /** The schemas around records, such as that of a list, for one model. */
  schemasAround(nameOf: Filling['nameOf']): [name: string, schema: unknown][] {
    const around = [...this.ofRecords].filter((name) => !OF_RECORDS.includes(name)).sort();
    return around.map((name) => [nameOf(name), filled(this.#schemas[name], { values: {}, nameOf })]);
  }

  #shareParts(operation: Keywords, path: string, variable: string): Keywords {
    const { operationId, parameters, responses, ...rest } = operation as Keywords & {
      readonly operationId: string;
      readonly parameters: readonly { readonly $ref?: string; readonly name: string }[];
      readonly responses: Readonly<Record<string, unknown>>;
    };
    const share = (kind: 'parameters' | 'responses', name: string, part: unknown): object => {
      this.shared[kind][`${operationId}.${name}`] = part;
      return { $ref: `#/components/${kind}/${operationId}.${name}` };
    };
    const isSpecific = (part: unknown): boolean =>
      schemasIn(part).some((name) => this.ofRecords.has(name) || name === COMMAND_RESULT);
    const own = parameters.filter(({ name }) => name !== variable);
    const all = path === EXECUTE ? withResult(responses) : responses;
    return {
      ...this.#withCommandBody({ operationId, ...rest }),
      parameters: own.map((one) => (one.$ref === undefined ? share('parameters', one.name, one) : one)),
      responses: Object.fromEntries(
        Object.entries(all).map(([status, one]) => [status, isSpecific(one) ? one : share('responses', status, one)]),
      ),
    };
  }

  #withCommandBody(rest: Keywords): Keywords {
    const replace = (part: unknown): unknown =>
      isDeepStrictEqual(part, this.commandBody) ? referenceTo(COMMAND_BODY) : undefined;
    return copyOf(rest, replace) as Keywords;
  }

  /** These schemas, and those that refer to them. */
  #referring(names: readonly string[]): Set<string> {
    const found = new Set(names);
    for (let size = 0; size !== found.size;) {
      size = found.size;
      for (const [name, schema] of Object.entries(this.#schemas)) {
        if (schemasIn(schema).some((one) => found.has(one))) found.add(name);
      }
    }
    return found;
  }
}

/** A copy with the variables and the names of schemas filled in. */
export function filled(value: unknown, { values, nameOf }: Filling): unknown {
  return copyOf(value, (part) => {
    if (typeof part === 'string') return part.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
    const schema = schemaNamedBy(part);
    return schema === undefined ? undefined : referenceTo(nameOf(schema));
  });
}

/** A copy with what `replace` gives for a part; where that is undefined, the part is kept and looked into. */
function copyOf(value: unknown, replace: (part: unknown) => unknown): unknown {
  const replaced = replace(value);
  if (replaced !== undefined) return replaced;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copyOf(item, replace));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copyOf(part, replace)]));
}

/** Whether a request may name the fields to answer, in its query or its body. */
function selectsFields({ parameters, requestBody }: Keywords): boolean {
  const query = parameters as readonly { readonly name?: string }[];
  const body = requestBody as { content: Record<string, { schema: { properties?: object } }> } | undefined;
  return (
    query.some(({ name }) => name === 'fields') ||
    Object.values(body?.content ?? {}).some(({ schema }) => 'fields' in (schema.properties ?? {}))
  );
}

/** The names of the schemas that a value refers to. */
function schemasIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const name = schemaNamedBy(value);
  return name === undefined ? Object.values(value).flatMap(schemasIn) : [name];
}

/** The name of the schema that a reference is of. */
function schemaNamedBy(value: unknown): string | undefined {
  const { $ref } = (value ?? {}) as { readonly $ref?: unknown };
  return typeof $ref === 'string' && $ref.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : undefined;
}

export function referenceTo(schema: string): Keywords {
  return { $ref: SCHEMAS + schema };
}

/** The responses of an execute request with a name for the `data` of a success. */
function withResult(responses: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { 200: success, ...others } = responses as Record<
    string,
    { content: Record<string, { schema: { properties: object } }> }
  >;
  const schema = success?.content['application/json']?.schema;
  const properties = { ...schema?.properties, data: referenceTo(COMMAND_RESULT) };
  return { 200: { ...success, content: { 'application/json': { schema: { ...schema, properties } } } }, ...others };
}
