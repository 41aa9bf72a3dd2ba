import type { PlatformEntityManager } from '../../../../foundation/database/orm.ts';
import { tableName } from '../model.ts';
import { BIG_TABLE_ROWS } from '../models.limits.ts';

/** Whether a model's table holds so many records that reading all of them must not hold up writers. */
export async function isBigTable(em: PlatformEntityManager, environment: string, modelCode: string): Promise<boolean> {
  const [row] = await em.execute<{ rows: number }[]>(
    `select count(*)::int as rows from (select from ${tableName(environment, modelCode)} limit ?) t`,
    [BIG_TABLE_ROWS + 1],
  );
  return (row?.rows ?? 0) > BIG_TABLE_ROWS;
}
