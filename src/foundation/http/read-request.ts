import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import {
  NO_PROPERTIES,
  openObject,
  type Keywords,
  type Properties,
  type Schema,
  type Static,
} from '../validation/schema.ts';
import { validate, validFields } from '../validation/validate.ts';
import { readBytes, readJsonBody } from './json-body.ts';
import type { HttpRequest, Route } from './route.ts';

/** What a request carries, as its schemas describe it. */
export interface RequestInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  /** What the check has made of it. */
  readonly checked: unknown;
}

/**
 * Rules that a schema cannot express. They see the fields that keep the schema, and add to the field errors.
 */
export type Check = (input: { readonly query: object; readonly body: object }, errors: FieldErrors) => unknown;

/** The schema of a query string. Other names are ignored. */
export function parameters<O extends Properties, R extends Properties = typeof NO_PROPERTIES>(
  optional: O,
  required: R = NO_PROPERTIES as R,
) {
  return openObject(required, optional);
}

/** The schema of a query string that has no names. */
export const NO_PARAMETERS = parameters({});

/**
 * Reads query string and JSON body, validates them by the route's schemas, then by `check`. All wrong fields
 * are named at once.
 * @throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR
 */
export async function readRequest(request: HttpRequest, route: Route, check?: Check): Promise<RequestInput> {
  const query = readQuery(request.query, route.query as Keywords);
  const body = await readBody(request, route);
  const isValidated = route.body && (route.bodyMode ?? 'validated') === 'validated';
  const errors = { ...query.errors, ...(isValidated && validate(route.body, body)) };
  const checked = await check?.({ query: validFields(query.given, errors), body: validFields(body, errors) }, errors);
  throwIfInvalid(errors);
  return { params: request.params as Readonly<Record<string, string>>, query: query.given, body, checked };
}

async function readBody(request: HttpRequest, { body, bodyMode, maxBodyBytes }: Route): Promise<object> {
  if (bodyMode === 'bytes') return readBytes(request, maxBodyBytes);
  if (bodyMode === 'stream') return {};
  return body === undefined ? {} : readJsonBody(request, maxBodyBytes);
}

/**
 * The same for a query string alone.
 * @throws VALIDATION_ERROR
 */
export function parseQuery<Q extends Schema>(
  query: Readonly<Record<string, unknown>>,
  schema: Q,
  check?: (fields: Partial<Static<Q>>, errors: FieldErrors) => void,
): Static<Q> {
  const { given, errors } = readQuery(query, schema as Keywords);
  check?.(validFields(given, errors), errors);
  throwIfInvalid(errors);
  return given as Static<Q>;
}

/** A name without a text counts as absent, unless its schema has a `minLength` of 0. */
function readQuery(query: Readonly<Record<string, unknown>>, schema: Keywords) {
  const given: Record<string, unknown> = {};
  const repeated: FieldErrors = {};
  for (const [name, property] of Object.entries(schema.properties as Readonly<Record<string, Keywords>>)) {
    const text = query[name];
    if (text === undefined || (text === '' && property.minLength !== 0)) continue;
    if (typeof text === 'string') given[name] = valueOf(text, property);
    else repeated[name] = 'is given more than once';
  }
  return { given, errors: { ...validate(schema, given), ...repeated } };
}

/** The value that a text of a query string stands for; the text itself where the schema will refuse it. */
function valueOf(text: string, { type }: Keywords): unknown {
  if (type === 'integer') return /^\d{1,15}$/.test(text) ? Number(text) : text;
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
