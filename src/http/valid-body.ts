import type { ErrorObject } from 'ajv';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Request } from 'express';
import { throwIfInvalid, type FieldErrors } from '../errors/application-error.ts';
import type { Contract } from './contract.ts';
import { readJsonBody } from './json-body.ts';
import type { Schema } from './schema.ts';

const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false });
addFormats.default(ajv);
const validators = new WeakMap<Schema, ValidateFunction>();

/**
 * Reads the request's JSON object and holds it against the contract's `body`: the schema of the OpenAPI document is what
 * validates. All wrong fields are named at once.
 * @throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR
 */
export async function readValidBody<B>(request: Request, { body: schema = {}, maxBodyBytes }: Contract): Promise<B> {
  const body = await readJsonBody(request, maxBodyBytes);
  throwIfInvalid(problemsOfBody(schema, body));
  return body as B;
}

/** What is wrong with a body: path -> problem; empty when it keeps the schema. */
export function problemsOfBody(schema: Schema, body: unknown): FieldErrors {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(schema);
    validators.set(schema, validate);
  }
  const problems: FieldErrors = {};
  if (validate(body)) return problems;
  for (const error of telling(validate.errors ?? [])) problems[pathOf(error)] ??= describe(error, schema);
  return problems;
}

/** Without the branches of a failed choice: the choice itself tells. */
function telling(errors: readonly ErrorObject[]): ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf');
  return errors.filter(
    (error) => !choices.some((choice) => choice !== error && error.schemaPath.startsWith(`${choice.schemaPath}/`)),
  );
}

function pathOf({ instancePath, params }: ErrorObject): string {
  const { additionalProperty, missingProperty } = params as Record<string, string | undefined>;
  const own = additionalProperty ?? missingProperty;
  return `${instancePath}${own === undefined ? '' : `/${own}`}`.slice(1).replaceAll('/', '.');
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'must be a text',
  boolean: 'must be true or false',
  array: 'must be an array',
  object: 'must be an object',
};

/** In the words of `src/i18n/en.ts`, so that every language has them. */
function describe(error: ErrorObject, root: Schema): string {
  const { keyword, params, data, instancePath, parentSchema = {} } = error as ErrorObject & { parentSchema?: Schema };
  const [, name = '', ...deeper] = instancePath.split('/');
  const isEmpty = data === null || data === '';
  if (isEmpty && deeper.length === 0 && (root.required as string[] | undefined)?.includes(name)) return 'is required';
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') return 'is not known here';
  const { minimum, maximum, maxLength, type } = parentSchema;
  if (type === 'integer' && minimum !== undefined && maximum !== undefined) {
    return `must be a whole number from ${String(minimum)} to ${String(maximum)}`;
  }
  if (keyword === 'type' && typeof type === 'string') return TYPES[type] ?? 'is not valid';
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
  if (keyword === 'maxLength') return `must not be longer than ${String(maxLength)} characters`;
  if (keyword === 'minimum') return `must not be less than ${String(minimum)}`;
  if (keyword === 'maximum') return `must not be greater than ${String(maximum)}`;
  return 'is not valid';
}
