import type { Route } from '../../src/foundation/http/route.ts';
import { openObject, type Schema } from '../../src/foundation/validation/schema.ts';
import { validate } from '../../src/foundation/validation/validate.ts';

type Properties = Readonly<Record<string, Schema>>;

/** Values of every type, and texts of no kind: one of them is wrong wherever anything is. */
export const WRONG_VALUES: readonly unknown[] = [7, {}, 'x', [[]], '\0'];
export const WRONG_TEXTS = ['no such thing', '-1', '\0', 'x'.repeat(300)];

/** For each property a value that its schema refuses; properties that take anything are left out. */
export function wrongFor<V>(properties: Properties, values: readonly V[]): Map<string, V> {
  const found = Object.entries(properties).map(([name, schema]): [string, V | undefined] => [
    name,
    values.find((value) => Object.keys(validate(openObject({ value: schema }), { value })).length > 0),
  ]);
  return new Map(found.filter((entry): entry is [string, V] => entry[1] !== undefined));
}

/** The object that a JSON body is; of several, the first. */
export function objectOf({
  body: given,
  bodyType,
}: Route): { properties: Properties; required: readonly string[]; isOpen: boolean } | null {
  const body = bodyType === undefined ? given : undefined;
  const { anyOf: [schema] = [body] } = (body ?? {}) as { anyOf?: Schema[] };
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = (schema ?? {}) as {
    properties?: Properties;
    required?: readonly string[];
    additionalProperties?: boolean;
  };
  return schema ? { properties, required, isOpen: additionalProperties !== false } : null;
}

export function queryOf({ query }: Route): { properties: Properties; required: readonly string[] } {
  return query as unknown as { properties: Properties; required: readonly string[] };
}
