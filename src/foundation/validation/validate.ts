import type { FieldErrors } from '../errors/application-error.ts';
import { knownFormats } from './formats.ts';
import { newAjv, type Ajv2020, type ErrorObject, type ValidateFunction } from './json-schema.ts';
import { describe, type SchemaViolation } from './schema-violation.ts';
import { MESSAGE, type Keywords, type Schema, type Static } from './schema.ts';

/**
 * Of arrays so many items are looked at once something is wrong: a body of mistakes alone must not become a
 * million texts.
 */
const MAX_ITEMS_TOLD = 1_100;

/** Of an object so many keys that the schema does not name are looked at once something is wrong. */
const MAX_UNKNOWN_KEYS_TOLD = 100;
const MAX_ERRORS_TOLD = 2_000;

/** Fills in defaults, and stops at the first problem: most requests have none. */
const judgeOf = compiler(newAjv({ allErrors: false, useDefaults: true }));
/** Goes on to the last problem. */
const tellerOf = compiler(newAjv({ useDefaults: true }));

/** Compiles each schema once, when it is first used. */
function compiler(ajv: Ajv2020): (schema: Schema) => ValidateFunction {
  const compiled = new WeakMap<Schema, ValidateFunction>();
  return (schema) => {
    const known = compiled.get(schema);
    if (known) return known;
    for (const [name, problemOf] of knownFormats()) {
      ajv.addFormat(name, { type: 'string', validate: (text: string) => problemOf(text) === null });
    }
    const validate = ajv.compile(withStorableTexts(schema as Keywords));
    compiled.set(schema, validate);
    return validate;
  };
}

/**
 * Problems of a value: path -> problem, everything at once; empty when it keeps the schema. Its
 * missing keys get the defaults of the schema.
 */
export function validate(schema: Schema, value: unknown): FieldErrors {
  const judge = judgeOf(schema);
  if (judge(value)) return {};
  const tell = tellerOf(schema);
  const left = { items: MAX_ITEMS_TOLD, unknown: MAX_UNKNOWN_KEYS_TOLD };
  const errors = tell(shortened(value, namesIn(schema as Keywords), left)) ? judge.errors : tell.errors;
  const problems: FieldErrors = {};
  for (const error of telling((errors ?? []).slice(0, MAX_ERRORS_TOLD)).toSorted(byTelling)) {
    const misfit = misfitOf(error, schema as Keywords);
    const path = misfit.path.join('.') || 'body';
    // Not `??=`: a key of theirs may be called toString.
    if (!Object.hasOwn(problems, path)) problems[path] = describe(error, misfit);
  }
  return problems;
}

/** Whether a value keeps its schema. */
export function isValid<S extends Schema>(schema: S, value: unknown): value is Static<S> {
  return judgeOf(schema)(value);
}

/** The fields of a value with which nothing is wrong. */
export function validFields<T>(value: object, errors: FieldErrors): Partial<T> {
  if (Object.keys(errors).length === 0) return value;
  const refused = new Set(Object.keys(errors).map((path) => path.split('.')[0]));
  return Object.fromEntries(Object.entries(value).filter(([name]) => !refused.has(name))) as Partial<T>;
}

/** Of two problems in one place a format says more than a length. */
function byTelling(one: ErrorObject, other: ErrorObject): number {
  return Number(other.keyword === 'format') - Number(one.keyword === 'format');
}

function shortened(value: unknown, names: ReadonlySet<string>, left: { items: number; unknown: number }): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const kept = value.slice(0, Math.max(1, left.items));
    left.items -= kept.length;
    return kept.map((child) => shortened(child, names, left));
  }
  const kept = Object.keys(value).filter((key, index) => names.has(key) || index === 0 || left.unknown-- > 0);
  return Object.fromEntries(kept.map((key) => [key, shortened((value as Keywords)[key], names, left)]));
}

const namesOfSchemas = new WeakMap<Keywords, ReadonlySet<string>>();

/** All keys that a schema names, however deep. */
function namesIn(schema: Keywords): ReadonlySet<string> {
  const known = namesOfSchemas.get(schema);
  if (known) return known;
  const names = new Set<string>();
  const collect = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(collect);
    if (!isObject(part)) return;
    if (isObject(part.properties)) for (const name of Object.keys(part.properties)) names.add(name);
    Object.values(part).forEach(collect);
  };
  collect(schema);
  namesOfSchemas.set(schema, names);
  return names;
}

/**
 * Of a choice (`anyOf`) what is wrong with the one alternative that was meant; the choice itself where none
 * was.
 */
function telling(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf');
  const hidden = new Set<ErrorObject>();
  for (const choice of choices) {
    const meant = alternativeMeant(choice, errors);
    if (meant !== null) hidden.add(choice);
    for (const error of errors) {
      const alternative = alternativeOf(error, choice);
      if (alternative !== null && alternative !== meant) hidden.add(error);
    }
  }
  return errors.filter((error) => !hidden.has(error));
}

/**
 * The one alternative whose kind the value is of, else the one beside null; null where that is more than one,
 * or none.
 */
function alternativeMeant(choice: ErrorObject, errors: readonly ErrorObject[]): number | null {
  const { anyOf } = choice.parentSchema as { anyOf: readonly Keywords[] };
  const ofOtherKind = errors
    .filter(({ keyword, instancePath }) => KINDS.has(keyword) && instancePath === choice.instancePath)
    .map((error) => alternativeOf(error, choice));
  const all = [...anyOf.keys()];
  const fitting = all.filter((index) => !ofOtherKind.includes(index));
  const candidates = fitting.length > 0 ? fitting : all.filter((index) => anyOf[index]?.type !== 'null');
  return candidates.length === 1 ? (candidates[0] ?? null) : null;
}

/** The keywords by which a value is of another kind altogether. */
const KINDS: ReadonlySet<string> = new Set(['type', 'const', 'enum']);

/**
 * The number of the alternative of a choice that an error is about; null when it is not about that choice.
 */
function alternativeOf({ schemaPath, instancePath }: ErrorObject, choice: ErrorObject): number | null {
  const isInside = instancePath === choice.instancePath || instancePath.startsWith(`${choice.instancePath}/`);
  if (!isInside || !schemaPath.startsWith(`${choice.schemaPath}/`)) return null;
  return Number.parseInt(schemaPath.slice(choice.schemaPath.length + 1), 10);
}

/**
 * Where a problem is told: at its own place, or at the outermost value around it whose schema has words of
 * its own.
 */
function misfitOf({ schemaPath, instancePath, params }: ErrorObject, root: Keywords): SchemaViolation {
  const { missingProperty: missing, additionalProperty: extra } = params as Record<string, string | undefined>;
  const keys = pointer(decodeURIComponent(schemaPath).slice(1)).slice(0, -1);
  if (missing !== undefined) keys.push('properties', missing);
  const own = missing ?? extra;
  const path = [...pointer(instancePath), ...(own === undefined ? [] : [own])];
  let schema = root;
  let parent: Keywords = {};
  let depth = 0;
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] as string;
    // The words of a choice are for what fits no alternative.
    if (schema[MESSAGE] !== undefined && key !== 'anyOf') break;
    const inner = schema[key] as Keywords;
    if (key === 'properties' || key === 'anyOf') at += 1;
    if (key !== 'anyOf') {
      parent = schema;
      depth += 1;
    }
    schema = key === 'properties' || key === 'anyOf' ? (inner[keys[at] as string] as Keywords) : inner;
  }
  return schema[MESSAGE] === undefined ? { path, schema, parent } : { path: path.slice(0, depth), schema, parent };
}

/** The steps of a JSON pointer. */
function pointer(text: string): string[] {
  return text
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const mapValues = <T>(values: object, change: (value: T) => T) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value as T)]));

/** A schema whose texts without a format have to be such as Postgres can store, or look for. */
function withStorableTexts(schema: Keywords): Keywords {
  const { type, format, properties, items, anyOf, additionalProperties: others } = schema;
  if (type === 'string') return (format ?? schema.enum) === undefined ? { ...schema, format: 'storable' } : schema;
  return {
    ...schema,
    ...(isObject(properties) && { properties: mapValues(properties, withStorableTexts) }),
    ...(isObject(items) && { items: withStorableTexts(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(withStorableTexts) }),
    ...(isObject(others) && { additionalProperties: withStorableTexts(others) }),
  };
}

function isObject(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null;
}
