import type { Keywords } from './schema.ts';

const mapValues = <T>(values: object, change: (value: T) => T) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value as T)]));

/** A schema whose texts without a format have to be such as Postgres can store, or look for. */
export function withStorableTexts(schema: Keywords): Keywords {
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
