import { Type, type Static } from 'typebox';
import { closedObject, NAME } from '../../../platform/metadata/content/schema-parts.ts';
import { MAX_ITEMS } from '../datasources.limits.ts';
import type { DataSourceKind } from './kind.ts';

const SCHEMA = closedObject({
  name: NAME,
  kind: Type.Literal('static'),
  rows: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }), {
    maxItems: MAX_ITEMS,
  }),
});

/** Rows that the configuration holds. */
export const STATIC: DataSourceKind<typeof SCHEMA> = {
  schema: SCHEMA,
  columnNames,
  columns: (source) => columnNames(source).map((name) => ({ name, type: null })),
  rows: ({ rows }, { maxItems }) => rows.slice(0, maxItems),
};

function columnNames({ rows }: Static<typeof SCHEMA>): string[] {
  return [...new Set(rows.flatMap(Object.keys))];
}
