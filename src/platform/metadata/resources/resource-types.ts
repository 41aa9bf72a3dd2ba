import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { problemOfStorable } from '../../../foundation/validation/formats.ts';
import { newAjv, type ErrorObject, type ValidateFunction } from '../../../foundation/validation/json-schema.ts';
import { codeBeforeRename, withCommonKeys } from './common-content.ts';
import type { EnvironmentResource, NeededPermission, Reference, ResourceType, ShownValue } from './resource-type.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { asExpression } from '../../../foundation/expressions/language.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { TYPE_WORDS } from '../../../foundation/validation/schema-violation.ts';
import { CEL } from '../content/schema-parts.ts';

/** The types of resources of this program, by name: those of the platform, and those that features give. */
export class ResourceTypes {
  readonly #types: ReadonlyMap<string, ResourceType>;
  readonly #ajv = newAjv();

  constructor(types: readonly ResourceType[]) {
    this.#types = new Map(types.map((type) => [type.name, type]));
    this.#ajv.addSchema([...new Set(types.flatMap(({ schemas = [] }) => schemas))]);
    // A schema is compiled when it is first used: a node that only reads uses none.
    for (const { name, schema } of types) this.#ajv.addSchema(withCommonKeys(schema), name);
  }

  get names(): string[] {
    return [...this.#types.keys()];
  }

  /** Names of the types whose resources may name secrets. */
  get namesWithSecrets(): string[] {
    return [...this.#types.values()].flatMap((type) => ('secrets' in type ? type.name : []));
  }

  /** Undefined for a type that no part of this program has given. */
  find(name: string): ResourceType | undefined {
    return this.#types.get(name);
  }

  referencesOf({ resourceType, content }: EnvironmentResource): Reference[] {
    return this.find(resourceType)?.references?.(content) ?? [];
  }

  warningsOf({ resourceType, content }: EnvironmentResource): FieldErrors {
    return this.find(resourceType)?.warnings?.(content) ?? {};
  }

  eventTypesOf({ resourceType, code, content }: EnvironmentResource): readonly string[] {
    return this.find(resourceType)?.eventTypes?.(code, content) ?? [];
  }

  eventTypesHeardBy({ resourceType, content }: EnvironmentResource) {
    return this.find(resourceType)?.eventTypesHeard?.(content) ?? [];
  }

  permissionCodesOf({ resourceType, code, content }: EnvironmentResource): string[] {
    return this.find(resourceType)?.permissionCodes?.(code, content) ?? [];
  }

  valuesShownBy({ resourceType, code, content }: EnvironmentResource): ShownValue[] {
    return this.find(resourceType)?.valuesShown?.(content, code) ?? [];
  }

  textKeysOf({ resourceType, code, content }: EnvironmentResource): readonly string[] {
    return this.find(resourceType)?.textKeys?.(code, content) ?? [];
  }

  permissionsNeededBy({ resourceType, code, content }: EnvironmentResource): readonly NeededPermission[] {
    return this.find(resourceType)?.permissionsNeeded?.(code, content) ?? [];
  }

  reasonsOf({ resourceType, content }: EnvironmentResource): readonly string[] {
    return this.find(resourceType)?.reasons?.(content) ?? [];
  }

  reasonsExpectedBy({ resourceType, content }: EnvironmentResource) {
    return this.find(resourceType)?.reasonsExpected?.(content) ?? [];
  }

  takesUnnamedFields({ resourceType, content }: EnvironmentResource): boolean {
    return this.find(resourceType)?.takesUnnamedFields?.(content) ?? false;
  }

  /** `<model>.<field>` that a resource shows to those who may not read it. */
  revealedBy({ resourceType, content }: EnvironmentResource): readonly string[] {
    return this.find(resourceType)?.reveals?.(content) ?? [];
  }

  /** The secrets that a resource cannot work without, each once. */
  secretsOf({ resourceType, content }: EnvironmentResource): string[] {
    return [...new Set(this.find(resourceType)?.secrets?.(content))];
  }

  /** Problems of a resource by itself: path -> problem; empty when it is valid. */
  problemsOfContent(name: string, code: string, content: unknown): FieldErrors {
    const type = this.find(name);
    if (!type) throw new Error(`no resource type ${name}`);
    const problems: FieldErrors = {};
    for (const [path, problem] of problemsOfTexts(content, 'content')) problems[path] ??= problem;
    if (Object.keys(problems).length > 0) return problems;
    const ofCode = problemOfCode(type, code);
    if (ofCode !== null) problems.code = ofCode;
    const matches = this.#ajv.getSchema(name) as ValidateFunction;
    if (matches(content)) return { ...problems, ...problemsOfRename(type, code, content), ...type.validate?.(content) };
    for (const error of telling(matches.errors ?? [])) problems[pathOf(error)] ??= problemOfSchema(error);
    return problems;
  }
}

function problemsOfRename({ problemOfRename }: ResourceType, code: string, content: unknown): FieldErrors {
  const from = codeBeforeRename({ content });
  if (from === null) return {};
  const problem = problemOfRename ?? (from === code ? 'is its present code' : null);
  return problem === null ? {} : { 'content.renamedFrom': problem };
}

function problemOfCode(type: ResourceType, code: string): Message | null {
  if (!new RegExp(type.codePattern).test(code)) return text('must match {pattern}', { pattern: type.codePattern });
  return type.problemOfCode?.(code) ?? null;
}

/** Texts and keys anywhere in a content that Postgres cannot store. A wrong key is named by its path. */
function* problemsOfTexts(value: unknown, path: string): Iterable<[path: string, problem: Message]> {
  if (typeof value === 'string') {
    const problem = problemOfStorable(value);
    if (problem !== null) yield [path, problem];
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const problem = problemOfStorable(key);
      if (problem !== null) yield [path, problem];
      else yield* problemsOfTexts(item, `${path}.${key}`);
    }
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

const TYPES: Readonly<Record<string, Message>> = TYPE_WORDS;

/** Problems of a content in view of its schema. */
function problemOfSchema({ keyword, params, parentSchema, data }: ErrorObject): Message {
  const { limit = 0, type } = params as { limit?: number; type?: string | readonly string[] };
  switch (keyword) {
    case 'additionalProperties':
      return withSuggestion(
        'is not a known key',
        String(params.additionalProperty),
        Object.keys((parentSchema?.properties ?? {}) as object),
      );
    case 'required':
      return 'is required';
    case 'anyOf':
      return 'must be a condition: fieldName with operator, or one of and, or, not';
    case 'enum':
      return withSuggestion(
        text('must be one of {values}', { values: (params.allowedValues as unknown[]).join(', ') }),
        String(data),
        (params.allowedValues as unknown[]).map(String),
      );
    case 'const':
      return text('must be {value}', { value: String(params.allowedValue) });
    case 'type':
      if (parentSchema?.contentMediaType === CEL) {
        return text('write it as an expression: {expression}', { expression: asExpression(JSON.stringify(data)) });
      }
      return TYPES[String(type)] ?? text('must be of one of the types {types}', { types: [type].flat().join(', ') });
    case 'pattern':
      return text('must match {pattern}', { pattern: String(params.pattern) });
    case 'format':
      return text('must have the format {format}', { format: String(params.format) });
    case 'minLength':
      return limit === 1 ? 'must not be empty' : text('must not be shorter than {min} characters', { min: limit });
    case 'maxLength':
      return text('must not be longer than {max} characters', { max: limit });
    case 'minItems':
    case 'minProperties':
      return limit === 1 ? 'must not be empty' : text('must not hold less than {min}', { min: limit });
    case 'maxItems':
    case 'maxProperties':
      return text('must not hold more than {max}', { max: limit });
    case 'uniqueItems':
      return 'holds the same twice';
    case 'minimum':
      return text('must not be less than {min}', { min: limit });
    case 'maximum':
      return text('must not be greater than {max}', { max: limit });
    case 'exclusiveMinimum':
      return text('must be greater than {limit}', { limit });
    case 'discriminator':
      return text('needs {tag}, with one of its known values', { tag: String(params.tag) });
    default:
      return 'is not valid';
  }
}
