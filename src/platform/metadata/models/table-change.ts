import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { ModelContent } from './model-content.ts';
import { planTable, type ExistingTable, type FailingCasts, type TablePlan } from './model-table.ts';
import { failingCasts, hasTrigrams } from './table-catalog.ts';

/**
 * How a model's table follows the model, in view of the records that are there. Reads the table, changes nothing. Inside
 * a transaction only.
 */
export async function planTableChange(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  content: ModelContent,
  existing: ExistingTable | null,
): Promise<TablePlan & { readonly failing: FailingCasts }> {
  const trigrams = await hasTrigrams(em);
  const failing = await failingCasts(em, environment, modelCode, content, existing);
  return { ...planTable(environment, modelCode, content, existing, trigrams, failing), failing };
}
