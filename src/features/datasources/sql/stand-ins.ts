import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import { quoteIdentifier, type Field, type Model } from '../../../platform/metadata/models/model.ts';

/** What an analysis sets first, in its transaction: as `SQL_SETTINGS` does, without a tenant. */
export const ANALYSIS_SETTINGS = `select set_config('search_path', 'pg_catalog, pg_temp', true),
  set_config('transaction_read_only', 'on', true), set_config('standard_conforming_strings', 'on', true)`;

/**
 * What stands before the SQL of a data source for its analysis: in the place of tables queries with the
 * models' columns and no rows. No table is read, and none has to be there.
 * @param isShown which fields the models have
 */
export function standIns(models: readonly Model[], isShown: (field: Field) => boolean = () => true): string {
  const queries = models.map(({ code, fields }) => {
    const columns = [...fields.values()]
      .filter(isShown)
      .map((field) => `null::${FIELD_TYPES[field.type].column} as ${quoteIdentifier(field.code)}`);
    return `${quoteIdentifier(`mt_${code}`)} as (select ${columns.join(', ')} where false)`;
  });
  return queries.length > 0 ? `with ${queries.join(',\n')}\n` : '';
}
