import type { Static } from 'typebox';
import { oneOfKinds } from '../../../platform/metadata/content/schema-parts.ts';
import type { DataSourceKind } from './kind.ts';
import { MODEL_RECORDS } from './model.ts';
import { REST } from './rest.ts';
import { SQL } from './sql.ts';
import { STATIC } from './static.ts';

/** All kinds of data sources by name. A new one is a file beside this one, and a line here. */
const KINDS = { static: STATIC, model: MODEL_RECORDS, sql: SQL, rest: REST };

export const DATA_SOURCE_SCHEMA = oneOfKinds(
  'kind',
  Object.values(KINDS).map(({ schema }) => schema),
  ['name', 'kind'],
);
export type DataSourceContent = Static<typeof DATA_SOURCE_SCHEMA>;

export function kindOf({ kind }: DataSourceContent): DataSourceKind {
  return KINDS[kind];
}
