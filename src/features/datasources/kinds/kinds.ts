import type { Static } from 'typebox';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { oneOfKinds } from '../../../platform/metadata/content/schema-parts.ts';
import { DICTIONARY } from './dictionary.ts';
import type { DataSourceKind } from './kind.ts';
import { MODEL_RECORDS } from './model.ts';
import { REST } from './rest.ts';
import { SQL } from './sql.ts';
import { STATIC } from './static.ts';

/** All kinds of data sources by name. A new one is a file beside this one, and a line here. */
const KINDS = { static: STATIC, model: MODEL_RECORDS, dictionary: DICTIONARY, sql: SQL, rest: REST };

export const DATA_SOURCE_KINDS = Object.keys(KINDS) as (keyof typeof KINDS)[];

export const DATA_SOURCE_SCHEMA = oneOfKinds(
  'kind',
  Object.values(KINDS).map(({ schema }) => schema),
  ['name', 'kind'],
);
export type DataSourceContent = Static<typeof DATA_SOURCE_SCHEMA>;

export function kindOf({ kind }: DataSourceContent): DataSourceKind {
  return KINDS[kind];
}

/** The names of a source's columns; null where only its rows can tell. */
export function columnNamesOf(source: DataSourceContent): readonly string[] | null {
  return kindOf(source).columnNames?.(source) ?? null;
}

/** The params that a source declares. */
export function paramsOf(source: DataSourceContent): readonly FieldContent[] {
  return 'params' in source ? (source.params ?? []) : [];
}
