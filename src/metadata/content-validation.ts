import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { FieldErrors } from '../errors/application-error.ts';
import { problemOf } from '../expressions/cel.ts';
import type { CommandContent, ContentByType, FieldContent, ModelContent, ResourceType } from './content.ts';
import { CODE_PATTERNS, CONTENT_SCHEMAS, SHARED_SCHEMAS } from './content-schemas.ts';
import { RESERVED_FIELD_CODES } from './model.ts';

const ajv = new Ajv({
  allErrors: true,
  discriminator: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
});
addFormats.default(ajv);
for (const schema of SHARED_SCHEMAS) ajv.addSchema(schema);

const validators = Object.fromEntries(
  Object.entries(CONTENT_SCHEMAS).map(([type, schema]) => [type, ajv.compile(schema)]),
) as Record<ResourceType, ValidateFunction>;

/** What is wrong with a resource taken by itself: path -> problem; empty when it is valid. */
export function problemsOfContent(resourceType: ResourceType, code: string, content: unknown): FieldErrors {
  const problems: FieldErrors = {};
  if (!new RegExp(CODE_PATTERNS[resourceType]).test(code)) problems.code = `must match ${CODE_PATTERNS[resourceType]}`;
  const validate = validators[resourceType];
  if (!validate(content)) {
    for (const error of validate.errors ?? []) problems[pathOf(error)] ??= describe(error);
    return problems;
  }
  if (resourceType === 'MODEL') Object.assign(problems, problemsOfFields((content as ModelContent).fields, 'fields'));
  if (resourceType === 'COMMAND') Object.assign(problems, problemsOfCommand(content as ContentByType['COMMAND']));
  return problems;
}

function pathOf({ instancePath, keyword, params }: ErrorObject): string {
  const own = keyword === 'additionalProperties' ? `/${params.additionalProperty as string}` : '';
  const required = keyword === 'required' ? `/${params.missingProperty as string}` : '';
  return `content${instancePath}${own}${required}`.replaceAll('/', '.');
}

function describe({ keyword, message, params }: ErrorObject): string {
  if (keyword === 'additionalProperties') return 'is not a known key';
  if (keyword === 'required') return 'is required';
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as string[]).join(', ')}`;
  return message ?? 'is not valid';
}

function problemsOfFields(fields: readonly FieldContent[], path: string): FieldErrors {
  const problems: FieldErrors = {};
  const seen = new Set<string>();
  fields.forEach((field, index) => {
    const at = `content.${path}.${index}`;
    if (seen.has(field.code)) problems[`${at}.code`] = 'is used by two fields';
    if (RESERVED_FIELD_CODES.has(field.code)) problems[`${at}.code`] = 'is the code of a system field';
    if (field.searchable && !['string', 'text', 'enum'].includes(field.type)) {
      problems[`${at}.searchable`] = 'needs a field of type string, text or enum';
    }
    if (field.indexed && field.type === 'json') problems[`${at}.indexed`] = 'is not possible for json';
    if (field.unique && field.type === 'json') problems[`${at}.unique`] = 'is not possible for json';
    if (field.min !== undefined && field.max !== undefined && field.min > field.max) {
      problems[`${at}.min`] = 'is greater than max';
    }
    seen.add(field.code);
  });
  return problems;
}

function problemsOfCommand(command: CommandContent): FieldErrors {
  const problems: FieldErrors = problemsOfFields(command.payload ?? [], 'payload');
  const custom = command.operations.includes('CUSTOM');
  if (custom && !command.steps) problems['content.steps'] = 'is required for a CUSTOM command';
  if (custom && command.operations.length > 1) problems['content.operations'] = 'CUSTOM stands alone';
  for (const key of ['target', 'payload'] as const) {
    if (!custom && command[key] !== undefined) problems[`content.${key}`] = 'belongs to CUSTOM commands only';
  }
  if (command.result && !command.steps) problems['content.result'] = 'needs steps';
  for (const [path, expression] of expressionsOf(command)) {
    const problem = problemOf(expression);
    if (problem) problems[`content.${path}`] = problem;
  }
  const ids = (command.steps ?? []).map(({ id }) => id);
  ids.forEach((id, index) => {
    if (ids.indexOf(id) !== index) problems[`content.steps.${index}.id`] = 'is used by two steps';
  });
  return problems;
}

function* expressionsOf({ rules = [], steps = [], result = {} }: CommandContent): Iterable<[string, string]> {
  for (const [index, { assert }] of rules.entries()) yield [`rules.${index}.assert`, assert];
  for (const [index, { target, when, values = {} }] of steps.entries()) {
    if (target) yield [`steps.${index}.target`, target];
    if (when) yield [`steps.${index}.when`, when];
    for (const [code, expression] of Object.entries(values)) yield [`steps.${index}.values.${code}`, expression];
  }
  for (const [key, expression] of Object.entries(result)) yield [`result.${key}`, expression];
}
