import { columnNamesOf, paramsOf, type DataSourceContent } from '../../src/features/datasources/kinds/kinds.ts';
import { payloadMembers } from './field-type.ts';
import { objectType, textLiteral, unionOf } from './source-text.ts';

/** The entry of a data source in `DataSources`. */
export function printDataSource(source: DataSourceContent): string {
  return objectType([
    { name: 'params', type: objectType(payloadMembers(paramsOf(source)), 'NoFields') },
    { name: 'row', type: rowType(source) },
  ]);
}

/** What only the rows of a data source can tell is not known. */
function rowType(source: DataSourceContent): string {
  if (source.kind === 'dictionary') return objectType(['label', 'value'].map((name) => ({ name, type: 'string' })));
  const names = columnNamesOf(source)?.toSorted();
  if (source.kind === 'model')
    return `Pick<Models[${textLiteral(source.modelCode)}]['record'], ${unionOf((names ?? []).map(textLiteral))}>`;
  return names
    ? objectType(names.map((name) => ({ name, type: 'unknown', optional: true })))
    : 'Record<string, unknown>';
}
