import { CEL } from '../../../platform/metadata/content/schema-parts.ts';
import { secretsIn } from '../../../platform/metadata/content/secret-references.ts';
import { kindOf } from '../steps/step-kinds.ts';
import type { AnyStep } from '../steps/step-schema.ts';
import { stepsOf, type AutomationContent } from './automation-content.ts';

export interface StepExpression {
  /** Where it stands in the step. */
  readonly path: string;
  readonly source: string;
  readonly mayNameSecrets: boolean;
  /** Its value is true or false. */
  readonly isCondition: boolean;
}

/** The expressions of a step, by the schema of its kind. The steps within it are left out. */
export function expressionsOf(step: AnyStep): StepExpression[] {
  const { schema, secretKeys = [] } = kindOf(step);
  return [...textsOfCel(schema, step, [])].map(([path, source, isCondition]) => ({
    path: path.join('.'),
    source,
    mayNameSecrets: secretKeys.includes(path[0] ?? ''),
    isCondition,
  }));
}

/** The names of the secrets that an automation cannot work without, each once. */
export function automationSecrets({ steps }: AutomationContent): string[] {
  const expressions = [...stepsOf(steps)].flatMap(({ step }) => expressionsOf(step));
  return [...new Set(expressions.flatMap(({ source, mayNameSecrets }) => (mayNameSecrets ? secretsIn(source) : [])))];
}

/** The keywords of JSON Schema by which expressions are found. */
interface Schema {
  readonly contentMediaType?: string;
  readonly contentSchema?: object;
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}

function* textsOfCel(
  schema: Schema,
  value: unknown,
  path: readonly string[],
): Iterable<[path: readonly string[], text: string, isCondition: boolean]> {
  if (typeof value === 'string') {
    if (schema.contentMediaType === CEL) yield [path, value, schema.contentSchema !== undefined];
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const { properties = {}, additionalProperties, items } = schema;
      const inner = Array.isArray(value) ? items : (properties[key] ?? additionalProperties);
      if (typeof inner === 'object') yield* textsOfCel(inner, item, [...path, key]);
    }
  }
}
