import { ApplicationError, throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import { REPLACED_BY, type Keywords, type Schema, type Static } from '../validation/schema.ts';
import { validate, validFields } from '../validation/validate.ts';
import { readBytes, readJsonBody } from './json-body.ts';
import type { HttpRequest, Route } from './route.ts';

/** A header has room for so many, of so many characters. */
const MAX_IGNORED_NAMES = 20;
const MAX_IGNORED_NAME = 50;

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

/**
 * Reads query string and JSON body, validates them by the route's schemas, then by `check`. All wrong fields
 * are named at once.
 * @throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR
 */
export async function readRequest(request: HttpRequest, route: Route, check?: Check): Promise<RequestInput> {
  const query = readQuery(request.query, route.query as Keywords);
  const ignored = ignoredNames(request.query, route.query as Keywords);
  if (ignored.length > 0) request.res?.set('X-Ignored-Params', ignored.join(', '));
  const body = await readBody(request, route);
  const isValidated = route.body && (route.bodyMode ?? 'validated') === 'validated';
  const errors = { ...query.errors, ...(isValidated && validate(route.body, body)) };
  const fields = { query: validFields<object>(query.given, errors), body: validFields<object>(body, errors) };
  const checked = check && (await checkAll(() => check(fields, errors), errors));
  throwIfInvalid(errors);
  return { params: request.params as Readonly<Record<string, string>>, query: query.given, body, checked };
}

/** Runs a check. What it throws of fields is told with the rest. */
async function checkAll(check: () => unknown, errors: FieldErrors): Promise<unknown> {
  try {
    return await check();
  } catch (error) {
    const isFirst = Object.keys(errors).length === 0;
    if (isFirst || !(error instanceof ApplicationError) || error.code !== 'VALIDATION_ERROR') throw error;
    Object.assign(errors, { ...(error.data?.fieldErrors as FieldErrors), ...errors });
    return undefined;
  }
}

/** A request that is handled again has its body no more. */
const bodies = new WeakMap<HttpRequest, Promise<object>>();

async function readBody(request: HttpRequest, { body, bodyMode, maxBodyBytes }: Route): Promise<object> {
  if (bodyMode === 'bytes') return readBytes(request, maxBodyBytes);
  if (bodyMode === 'stream' || body === undefined) return {};
  const read = bodies.get(request) ?? readJsonBody(request, maxBodyBytes);
  bodies.set(request, read);
  return read;
}

/**
 * The same for a query string alone.
 * @returns what the check has made of it
 * @throws VALIDATION_ERROR
 */
export function parseQuery<Q extends Schema, C>(
  query: Readonly<Record<string, unknown>>,
  schema: Q,
  check: (fields: Partial<Static<Q>>, errors: FieldErrors) => C,
): C {
  const { given, errors } = readQuery(query, schema as Keywords);
  const checked = check(validFields(given, errors), errors);
  throwIfInvalid(errors);
  return checked;
}

/**
 * Reports names that mean nothing here (`page`, `size`), or nothing beside another one; they are never taken
 * for something else.
 */
function ignoredNames(query: Readonly<Record<string, unknown>>, schema: Keywords): readonly string[] {
  const known = schema.properties as Readonly<Record<string, Keywords>>;
  const ignored = Object.keys(query).filter((name) => {
    const { [REPLACED_BY]: other } = (Object.hasOwn(known, name) ? known[name] : undefined) ?? {};
    return !Object.hasOwn(known, name) || (typeof other === 'string' && Boolean(query[other]));
  });
  return ignored
    .slice(0, MAX_IGNORED_NAMES)
    .map((name) => encodeURIComponent(name.slice(0, MAX_IGNORED_NAME).toWellFormed()));
}

/** A name without a text counts as absent, unless its schema has a `minLength`: an id is never empty. */
function readQuery(query: Readonly<Record<string, unknown>>, schema: Keywords) {
  const given: Record<string, unknown> = {};
  const repeated: FieldErrors = {};
  for (const [name, property] of Object.entries(schema.properties as Readonly<Record<string, Keywords>>)) {
    const text = query[name];
    if (text === undefined || (text === '' && property.minLength === undefined)) continue;
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
