import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { FieldErrors } from '../errors/application-error.ts';
import { problemOf } from '../expressions/cel.ts';
import type { AutomationContent } from './automation-content.ts';
import { problemsOfAutomation } from './automation-validation.ts';
import type { CommandContent, ContentByType, FieldContent, FieldType, ModelContent, ResourceType } from './content.ts';
import { CODE_PATTERNS, CONTENT_SCHEMAS, SHARED_SCHEMAS } from './content-schemas.ts';
import { checkFieldValue } from './field-value.ts';
import { RESERVED_FIELD_CODES } from './model.ts';
import { BUILT_IN_ROLES, isOfAllTenants } from './permissions.ts';
import { problemOfSchema } from './schema-problem.ts';
import { stepsReadBy } from './step-references.ts';

const ajv = new Ajv({
  allErrors: true,
  discriminator: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
});
addFormats.default(ajv);
for (const schema of SHARED_SCHEMAS) ajv.addSchema(schema);
// Compiled when one is asked for: a node that only reads need not.
for (const [type, schema] of Object.entries(CONTENT_SCHEMAS)) ajv.addSchema(schema, type);

/** What is wrong with a resource taken by itself: path -> problem; empty when it is valid. */
export function problemsOfContent(resourceType: ResourceType, code: string, content: unknown): FieldErrors {
  const problems: FieldErrors = {};
  if (!new RegExp(CODE_PATTERNS[resourceType]).test(code)) problems.code = `must match ${CODE_PATTERNS[resourceType]}`;
  if (resourceType === 'PERMISSION' && BUILT_IN_ROLES.has(code)) problems.code = 'is the code of a built-in role';
  const validate = ajv.getSchema(resourceType) as ValidateFunction;
  if (!validate(content)) {
    for (const error of telling(validate.errors ?? [])) problems[pathOf(error)] ??= problemOfSchema(error);
    return problems;
  }
  if (resourceType === 'MODEL') Object.assign(problems, problemsOfFields((content as ModelContent).fields, 'fields'));
  if (resourceType === 'PERMISSION') Object.assign(problems, problemsOfRole(content as ContentByType['PERMISSION']));
  if (resourceType === 'COMMAND') Object.assign(problems, problemsOfCommand(content as ContentByType['COMMAND']));
  if (resourceType === 'I18N') Object.assign(problems, problemsOfI18n(content as ContentByType['I18N']));
  if (resourceType === 'AUTOMATION') {
    const automation = content as AutomationContent;
    Object.assign(problems, problemsOfFields(automation.input ?? [], 'input'), problemsOfAutomation(automation));
  }
  return problems;
}

/** One way to write each locale: two bundles of the same must not stand side by side. */
function problemsOfI18n({ locale }: ContentByType['I18N']): FieldErrors {
  try {
    const [canonical] = Intl.getCanonicalLocales(locale);
    return canonical === locale ? {} : { 'content.locale': `must be written ${canonical}` };
  } catch {
    return { 'content.locale': 'must be a BCP 47 language tag, such as zh-CN' };
  }
}

/** Without the errors that only repeat another one: a failed `if`, and the branches of a failed `anyOf`. */
function telling(errors: readonly ErrorObject[]): ErrorObject[] {
  const wholes = errors.filter(({ keyword }) => keyword === 'anyOf');
  const isBranchOf = (error: ErrorObject, whole: ErrorObject): boolean =>
    error !== whole && `${error.instancePath}/`.startsWith(`${whole.instancePath}/`);
  return errors.filter((error) => error.keyword !== 'if' && !wholes.some((whole) => isBranchOf(error, whole)));
}

function pathOf({ instancePath, keyword, params }: ErrorObject): string {
  const own = keyword === 'additionalProperties' ? `/${params.additionalProperty as string}` : '';
  const required = keyword === 'required' ? `/${params.missingProperty as string}` : '';
  return `content${instancePath}${own}${required}`.replaceAll('/', '.');
}

function problemsOfRole({ codes }: ContentByType['PERMISSION']): FieldErrors {
  const denied = codes.flatMap((code, index) => (isOfAllTenants(code) ? [index] : []));
  return Object.fromEntries(denied.map((index) => [`content.codes.${index}`, 'is for PLATFORM_ADMIN alone']));
}

const NUMBERS: readonly FieldType[] = ['integer', 'bigint', 'decimal'];
const TEXTS: readonly FieldType[] = ['string', 'text'];

/** The types that an option means something for; options that are not named here fit every type. */
const TYPES_OF_OPTIONS: readonly [option: keyof FieldContent, types: readonly FieldType[]][] = [
  ['min', NUMBERS],
  ['max', NUMBERS],
  ['maxLength', TEXTS],
  ['pattern', TEXTS],
  ['searchable', [...TEXTS, 'enum']],
  ['values', ['enum']],
  ['target', ['relation']],
];

function problemsOfFields(fields: readonly FieldContent[], path: string): FieldErrors {
  const problems: FieldErrors = {};
  const seen = new Set<string>();
  fields.forEach((field, index) => {
    const at = `content.${path}.${index}`;
    if (seen.has(field.code)) problems[`${at}.code`] = 'is used by two fields';
    if (RESERVED_FIELD_CODES.has(field.code)) problems[`${at}.code`] = 'is the code of a system field';
    for (const [option, problem] of problemsOfOptions(field)) problems[`${at}.${option}`] = problem;
    seen.add(field.code);
  });
  return problems;
}

function problemsOfOptions(field: FieldContent): [option: string, problem: string][] {
  const { type, min, max, unique, indexed } = field;
  const problems: [string, string][] = [];
  for (const [option, types] of TYPES_OF_OPTIONS) {
    const unset = field[option] === undefined || field[option] === false;
    if (unset || types.includes(type)) continue;
    problems.push([option, `is for fields of type ${types.join(', ')}`]);
  }
  if (type === 'json' && unique) problems.push(['unique', 'is not possible for json']);
  if (type === 'json' && indexed) problems.push(['indexed', 'is not possible for json']);
  if (min !== undefined && max !== undefined && min > max) problems.push(['min', 'is greater than max']);
  if (problems.length > 0 || field.default === undefined) return problems;
  const checked = checkFieldValue(field, field.default);
  return 'problem' in checked ? [['default', checked.problem]] : [];
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
  const ids = (command.steps ?? []).map(({ id }) => id);
  ids.forEach((id, index) => {
    if (ids.indexOf(id) !== index) problems[`content.steps.${index}.id`] = 'is used by two steps';
  });
  for (const { path, source, stepsBefore } of expressionsOf(command)) {
    const known = new Set(ids.slice(0, stepsBefore));
    const problem = problemOf(source) ?? problemOfSteps(source, known);
    if (problem) problems[`content.${path}`] = problem;
  }
  return problems;
}

function problemOfSteps(source: string, known: ReadonlySet<string>): string | null {
  const unknown = [...stepsReadBy(source)].find((id) => !known.has(id));
  return unknown === undefined ? null : `${unknown} is not an earlier step`;
}

interface PlacedExpression {
  readonly path: string;
  readonly source: string;
  /** How many of the command's steps have run when it is evaluated. */
  readonly stepsBefore: number;
}

function* expressionsOf({ rules = [], steps = [], result = {} }: CommandContent): Iterable<PlacedExpression> {
  for (const [index, { assert }] of rules.entries()) {
    yield { path: `rules.${index}.assert`, source: assert, stepsBefore: 0 };
  }
  for (const [index, { target, when, values = {} }] of steps.entries()) {
    const own = {
      target,
      when,
      ...Object.fromEntries(Object.entries(values).map(([code, v]) => [`values.${code}`, v])),
    };
    for (const [key, source] of Object.entries(own)) {
      if (source) yield { path: `steps.${index}.${key}`, source, stepsBefore: index };
    }
  }
  for (const [key, source] of Object.entries(result)) {
    yield { path: `result.${key}`, source, stepsBefore: steps.length };
  }
}
