import fc, { type Arbitrary } from 'fast-check';
import { KEYS, NUMBERS, TEXTS, TEXTS_OF_FORMAT } from './hostile-values.ts';
import type { ApiDocument, JsonSchema, Operation, Parameter } from './openapi.ts';

/** One HTTP request, byte for byte. */
export interface HostileRequest {
  readonly method: string;
  /** With its query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** What the generator may put where something real has to stand; by name of the parameter or the key. */
export type Samples = (operation: Operation, name: string) => readonly unknown[] | undefined;

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  fc.string({ unit: 'binary', maxLength: 300 }),
);
const key = fc.oneof(fc.constantFrom(...KEYS), fc.string({ unit: 'binary', maxLength: 20 }));
const leaf: Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...NUMBERS) },
  fc.constantFrom<unknown>(null, true, false, [], {}),
);

/** Any JSON at all, some of it deeper than anybody needs. */
const json: Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { weight: 6, arbitrary: leaf },
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(plain),
    leaf.map((inner) => Array.from({ length: 40 }).reduce<unknown>((nested) => [nested], inner)),
  ),
})).value;

/** An object with own keys, `__proto__` among them. */
function plain(entries: readonly (readonly [string, unknown])[]): object {
  const made = {};
  for (const [name, value] of entries) {
    Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return made;
}

/** Requests for an operation: most parts as they should be, some not at all. */
export function hostileRequests(api: ApiDocument, operation: Operation, samples: Samples): Arbitrary<HostileRequest> {
  const generator = new Generator(api, operation, samples);
  return fc
    .record({
      method: often(
        operation.method,
        fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'SEARCH'),
      ),
      path: generator.path(),
      query: generator.query(),
      headers: generator.headers(),
      body: generator.body(),
    })
    .map(({ method, path, query, headers, body }) => ({
      method,
      target: query === '' ? path : `${path}?${query}`,
      headers,
      body,
    }));
}

class Generator {
  readonly #api: ApiDocument;
  readonly #operation: Operation;
  readonly #samples: Samples;

  constructor(api: ApiDocument, operation: Operation, samples: Samples) {
    this.#api = api;
    this.#operation = operation;
    this.#samples = samples;
  }

  path(): Arbitrary<string> {
    const { path } = this.#operation;
    const names = [...path.matchAll(/{(\w+)}/g)].map(([, name]) => name as string);
    const values = names.map((name) =>
      fc.oneof(
        { weight: 4, arbitrary: this.#named(name, { type: 'string' }).map((value) => encode(String(value))) },
        // Never a real environment beside `samples`: one that is locked is so for all tests.
        { weight: 1, arbitrary: text.filter((one) => one !== 'dev').map(encode) },
        {
          weight: 1,
          arbitrary: fc.constantFrom('%', '%zz', '%00', '%ED%A0%80', '%2e%2e%2f', '..', '%c0%ae', ';a=b', '~'),
        },
      ),
    );
    return fc
      .tuple(...values)
      .map((given) =>
        names.reduce((made, name, index) => made.replace(`{${name}}`, () => given[index] as string), path),
      );
  }

  query(): Arbitrary<string> {
    const known = this.#parameters('query').map(({ name, schema }) =>
      fc
        .array(fc.oneof({ weight: 3, arbitrary: this.#named(name, schema) }, text, json.map(jsonText)), {
          maxLength: 1,
        })
        .chain((given) => often(given, fc.array(text, { minLength: 2, maxLength: 3 })))
        .map((given) => given.map((value) => `${name}=${encode(typeof value === 'string' ? value : jsonText(value))}`)),
    );
    const unknown = fc.constantFrom(
      '',
      '',
      '',
      'page=1',
      '__proto__=1',
      'a[b][c]=1',
      '=',
      '&&',
      'pageNum[]=1',
      '%',
      'x=%ff',
      `z=${'y'.repeat(9_000)}`,
    );
    return fc
      .tuple(fc.tuple(...known), unknown)
      .map(([pairs, rest]) => [...pairs.flat(), rest].filter((part) => part !== '').join('&'));
  }

  headers(): Arbitrary<Record<string, string>> {
    const value = fc.oneof(
      fc.constantFrom(
        '',
        '0',
        '-1',
        '*/*',
        'a'.repeat(300),
        '"',
        "' or 1=1 --",
        'zh-CN;q=0.1,*;q=nan',
        'text/html',
        '1;2,3',
        '\u00ff',
        '{}',
      ),
      fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
    );
    const names = [
      ...this.#parameters('header').map(({ name }) => name),
      'Accept',
      'Content-Encoding',
      'traceparent',
      'If-None-Match',
      'Range',
      'X-Forwarded-For',
      'Expect',
      'Prefer',
      'User-Agent',
    ];
    return fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 2 }).chain((given) => {
      const made = Object.fromEntries(
        given.map(([name, content]) => [name, this.#samples(this.#operation, name)?.[0] ?? content]),
      );
      return often({}, fc.constant(made as Record<string, string>), 2);
    });
  }

  /** As text: what JSON.stringify could not write, too. */
  body(): Arbitrary<string | null> {
    const schema = this.#operation.requestBody?.content['application/json']?.schema;
    const raw = fc.constantFrom(
      '{',
      '[]',
      '"a"',
      'null',
      '1e999',
      '{"a":1}garbage',
      '\uFEFF{}',
      '{"a":1,"a":2}',
      '{"__proto__":{"x":1}}',
      '\0',
      '',
      `{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`,
      `{"a":"${'x'.repeat(1_100_000)}"}`,
      '{"reason":"\\ud800"}',
      'a=b&c=d',
    );
    if (!schema) return fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, json.map(jsonText), raw);
    return fc.oneof({ weight: 8, arbitrary: this.#broken(schema).map(jsonText) }, json.map(jsonText), {
      weight: 2,
      arbitrary: raw,
    });
  }

  #parameters(place: Parameter['in']): Parameter[] {
    const { parameters } = this.#api.document.components as { parameters: Record<string, Parameter> };
    return this.#operation.parameters
      .map((one) => ('$ref' in one ? (parameters[one.$ref.split('/').at(-1) ?? ''] as Parameter) : one))
      .filter((one) => one.in === place);
  }

  #named(name: string, schema: JsonSchema): Arbitrary<unknown> {
    const samples = this.#samples(this.#operation, name);
    return samples ? fc.constantFrom(...samples) : this.#valid(schema);
  }

  /** Objects of a schema in which keys may be missing, wrong or too many. */
  #broken(schema: JsonSchema): Arbitrary<unknown> {
    const { properties = {} } = schema as { properties?: Record<string, JsonSchema> };
    const entries = Object.entries(properties).map(([name, inner]) =>
      fc.oneof(
        { weight: 6, arbitrary: this.#named(name, inner).map((value) => [[name, value]] as [string, unknown][]) },
        { weight: 2, arbitrary: this.#hostile(name).map((value) => [[name, value]] as [string, unknown][]) },
        { weight: 1, arbitrary: fc.constant<[string, unknown][]>([]) },
      ),
    );
    const others = fc.array(fc.tuple(key, json), { maxLength: 1 });
    return fc
      .tuple(fc.tuple(...entries), often<[string, unknown][]>([], others))
      .map(([own, rest]) => plain([...own.flat(), ...rest]));
  }

  /** What could do harm elsewhere is never made up. */
  #hostile(name: string): Arbitrary<unknown> {
    const samples = this.#samples(this.#operation, name);
    return samples ? fc.oneof(fc.constantFrom<unknown>(null, 1, {}, ['x'], '\0'), fc.constantFrom(...samples)) : json;
  }

  #valid(schema: JsonSchema): Arbitrary<unknown> {
    const {
      type,
      enum: values,
      anyOf,
      pattern,
      items,
      properties,
      format,
    } = schema as {
      type?: string;
      enum?: unknown[];
      anyOf?: JsonSchema[];
      pattern?: string;
      items?: JsonSchema;
      properties?: Record<string, JsonSchema>;
      format?: string;
    };
    const {
      minimum = 0,
      maximum = 1_000,
      minLength = 0,
      maxLength = 40,
      minItems = 0,
      maxItems = 3,
    } = schema as Record<string, number>;
    if ('const' in schema) return fc.constant(schema.const);
    if (values) return fc.constantFrom(...values);
    if (anyOf) return fc.oneof(...anyOf.map((one) => this.#valid(one)));
    if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
    const ofFormat = format === undefined ? undefined : TEXTS_OF_FORMAT[format];
    if (ofFormat) return fc.constantFrom(...ofFormat);
    if (type === 'integer') return fc.integer({ min: minimum, max: maximum });
    if (type === 'number') return fc.double({ min: minimum, max: maximum, noNaN: true });
    if (type === 'boolean') return fc.boolean();
    if (type === 'null') return fc.constant(null);
    if (type === 'array')
      return fc.array(this.#valid(items ?? {}), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, 3)),
      });
    if (properties) return this.#broken(schema);
    if (type === 'object') return fc.array(fc.tuple(key, json), { maxLength: 4 }).map(plain);
    if (type === 'string') return fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 40) });
    return json;
  }
}

/** The usual value, and now and then another. */
function often<T>(usual: T, other: Arbitrary<T>, weight = 7): Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
}

function jsonText(value: unknown): string {
  return JSON.stringify(value);
}

/** As part of a URL; what is no Unicode becomes the replacement character. */
function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}
