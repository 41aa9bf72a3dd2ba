import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import type { ModelContent } from '../model-content.ts';
import { planTable, type FailingCasts, type TablePlan } from './model-table.ts';
import { failingCasts, type TableCatalog } from './table-catalog.ts';

/**
 * How a model's table follows the model, in view of the records that are there. Reads the table, changes
 * nothing. Inside a transaction only.
 */
export async function planTableChange(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  content: ModelContent,
  before: ModelContent | undefined,
  catalog: TableCatalog,
): Promise<TablePlan & { readonly failing: FailingCasts }> {
  const existing = catalog.tableFor(environment, modelCode, content, before);
  const failing = await failingCasts(em, environment, modelCode, content, existing);
  return { ...planTable(environment, modelCode, content, existing, catalog.hasKeywordIndexes, failing), failing };
}
