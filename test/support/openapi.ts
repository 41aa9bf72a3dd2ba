import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenApiDocument } from '../../src/features/api-docs/openapi-document.ts';

/** The JSON Schema that a request or a parameter must keep. */
export type JsonSchema = Record<string, unknown>;

interface Media {
  readonly schema: JsonSchema;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface Operation {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Record<string, Media> };
  readonly responses: Record<string, { readonly $ref?: string; readonly content: Record<string, Media> }>;
  readonly security?: readonly unknown[];
}

/** A node's OpenAPI document, and whether requests and answers keep it. */
export class ApiDocument {
  readonly document: OpenApiDocument;
  readonly operations: readonly Operation[];
  // Formats of our own are kinds of texts, which the service judges.
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
  readonly #patterns = new Map<string, RegExp>();
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.document = document;
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => ({ ...operation, method: method.toUpperCase(), path }) as unknown as Operation,
      ),
    );
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, 'openapi');
  }

  /** The operation that a request is for. */
  operation(method: string, path: string): Operation {
    const found = this.operations.find((one) => one.method === method && one.path === path);
    if (!found) throw new Error(`${method} ${path} is not in the document`);
    return found;
  }

  /**
   * The operation of a request as it is sent; undefined where the document has none: such a path is 404, or
   * 405.
   */
  operationOf(method: string, pathname: string): Operation | undefined {
    return this.operations.find((one) => one.method === method && this.#patternOf(one).test(pathname));
  }

  /** What is wrong with a JSON answer; null when it keeps what the document says. */
  problemOfAnswer({ method, path, responses }: Operation, status: number, body: unknown): string | null {
    const response = responses[status];
    if (!response) return `${status} is not among ${Object.keys(responses).join(', ')}`;
    const [, shared] = /^#\/components\/responses\/(.*)$/.exec(response.$ref ?? '') ?? [];
    if (shared !== undefined) return this.#problem(['components', 'responses', shared, 'content'], body);
    if (!response.content['application/json']) return `${status} has no JSON`;
    return this.#problem(['paths', path, method.toLowerCase(), 'responses', String(status), 'content'], body);
  }

  /**
   * What an answer has that the document does not say, or has not that it says; null for one that keeps it.
   */
  problemOf(method: string, url: string, { status, body }: { status: number; body: unknown }): string | null {
    const operation = this.operationOf(method, new URL(url).pathname);
    const problem = operation && this.problemOfAnswer(operation, status, body);
    if (!problem) return null;
    return `${method} ${operation.path} answers what it does not declare: ${problem}\n${JSON.stringify(body)}`;
  }

  /** The same of a request's body. */
  problemOfBody({ method, path }: Operation, body: unknown): string | null {
    return this.#problem(['paths', path, method.toLowerCase(), 'requestBody', 'content'], body);
  }

  #patternOf({ path }: Operation): RegExp {
    let pattern = this.#patterns.get(path);
    if (!pattern) {
      pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/{\w+}/g, '[^/]+')}$`);
      this.#patterns.set(path, pattern);
    }
    return pattern;
  }

  #problem(place: readonly string[], value: unknown): string | null {
    const pointer = [...place, 'application/json', 'schema']
      .map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    let validate = this.#validators.get(pointer);
    if (!validate) {
      validate = this.#ajv.compile({ $ref: `openapi#/${pointer}` });
      this.#validators.set(pointer, validate);
    }
    return validate(value) ? null : this.#ajv.errorsText(validate.errors, { separator: '\n' });
  }
}

/** The document of the node that all tests share. */
export async function fetchDocument(): Promise<ApiDocument> {
  const response = await fetch(`${process.env.KEELSON_TEST_URL}/api/openapi.json`);
  return new ApiDocument((await response.json()) as OpenApiDocument);
}

let shared: Promise<ApiDocument> | undefined;

/** The same, fetched once; undefined where no node is shared. */
export async function sharedDocument(): Promise<ApiDocument | undefined> {
  if (process.env.KEELSON_TEST_URL) shared ??= fetchDocument();
  return shared;
}
