import type { Request } from 'express';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import type { Contract } from './contract.ts';
import { readJsonBody } from './json-body.ts';
import { goodOf, problemsOf } from './schema-problems.ts';
import { ANYTHING, type Schema } from './schema.ts';

/**
 * What a schema cannot say: rules between fields, or about what is known elsewhere. They are asked about the fields that the
 * schema has found good, and tell problems beside its own.
 */
export type Rules<T, R = void> = (good: Partial<T>, errors: FieldErrors) => R;

/**
 * Reads the request's JSON object and holds it against the contract's `body`, the schema of the OpenAPI document, and then
 * against the rules. All wrong fields are named at once.
 * @throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR
 */
export async function readBody<B>(
  request: Request,
  { body: schema = ANYTHING, maxBodyBytes }: Contract,
  rules?: Rules<B, void | Promise<void>>,
): Promise<B> {
  const body = await readJsonBody(request, maxBodyBytes);
  const errors = problemsOf(schema, body);
  await rules?.(goodOf<B>(body, errors), errors);
  throwIfInvalid(errors);
  return body as B;
}

/**
 * Reads the names of the contract's `query`, and holds them against their schemas and then against the rules. A name without
 * a text is as not given, unless its schema has a `minLength` of 0; names that the contract does not have are ignored.
 * @throws VALIDATION_ERROR
 */
export function readQuery<Q>(
  { query }: { readonly query: Readonly<Record<string, unknown>> },
  contract: Contract,
  rules?: Rules<Q>,
): Q {
  const schema = querySchemaOf(contract);
  const given: Record<string, unknown> = {};
  const repeated: FieldErrors = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = query[name];
    if (text === undefined || (text === '' && property.minLength !== 0)) continue;
    if (typeof text === 'string') given[name] = valueOf(text, property);
    else repeated[name] = 'is given more than once';
  }
  const errors = { ...problemsOf(schema, given), ...repeated };
  rules?.(goodOf<Q>(given, errors), errors);
  throwIfInvalid(errors);
  return given as Q;
}

interface QuerySchema extends Schema {
  readonly properties: Readonly<Record<string, Schema>>;
}

const querySchemas = new WeakMap<Contract, QuerySchema>();

function querySchemaOf(contract: Contract): QuerySchema {
  let schema = querySchemas.get(contract);
  if (!schema) {
    schema = { type: 'object', properties: contract.query ?? {}, required: contract.requiredQuery ?? [] };
    querySchemas.set(contract, schema);
  }
  return schema;
}

/** What a text of a query string stands for; the text itself where it stands for nothing, which the schema then refuses. */
function valueOf(text: string, { type }: Schema): unknown {
  if (type === 'integer') return /^\d{1,15}$/.test(text) ? Number(text) : text;
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
