import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { withRenamedMembers } from '../../../foundation/expressions/renamed-members.ts';
import type { FindUses, FollowRenames } from '../../../platform/metadata/models/renamed-fields.ts';
import type { FieldRenames } from '../../../platform/metadata/resources/field-renames.ts';

/** What a filter may read fields from, beside the fields of the payload by themselves. */
const PARTS = new Set(['payload', 'result']);

/** Filters of subscriptions to one model name its fields. Those to all models may mean another one's. */
export const followInFilters: FollowRenames = async (em, renames) => {
  const changed = await changedFilters(em, renames);
  if (changed.length === 0) return;
  await sqlRunnerOf(em).query(
    `update platform.webhook_subscription s set filter_expression = r.filter
     from json_to_recordset($1::json) as r(pid text, filter text) where s.pid = r.pid`,
    [JSON.stringify(changed)],
  );
};

export const filtersNaming: FindUses = async (em, renames) =>
  (await changedFilters(em, renames)).map(({ pid }) => `WEBHOOK/${pid}`);

/** The filters that name fields, as they are after the renames; locked. */
async function changedFilters(em: PlatformEntityManager, { environment, modelCode, codes }: FieldRenames) {
  const found = await sqlRunnerOf(em).query<{ pid: string; filterExpression: string }>(
    `select pid, filter_expression from platform.webhook_subscription
     where environment = $1 and model_code = $2 and filter_expression is not null and deleted_at is null for update`,
    [environment, modelCode],
  );
  return found.flatMap(({ pid, filterExpression: filter }) => {
    const renamed = withRenamedMembers(filter, PARTS, codes);
    return renamed === filter ? [] : { pid, filter: renamed };
  });
}
