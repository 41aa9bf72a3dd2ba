import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { withRenamedMembers } from '../../../foundation/expressions/renamed-members.ts';
import type { FollowRenames } from '../../../platform/metadata/models/renamed-fields.ts';

/** What a filter may read fields from, beside the fields of the payload by themselves. */
const PARTS = new Set(['payload', 'result']);

/** Filters of subscriptions to one model name its fields. Those to all models may mean another one's. */
export const followInFilters: FollowRenames = async (em, { environment, modelCode, codes }) => {
  const runner = sqlRunnerOf(em);
  const found = await runner.query<{ pid: string; filterExpression: string }>(
    `select pid, filter_expression from platform.webhook_subscription
     where environment = $1 and model_code = $2 and filter_expression is not null and deleted_at is null for update`,
    [environment, modelCode],
  );
  const changed = found.flatMap(({ pid, filterExpression: filter }) => {
    const renamed = withRenamedMembers(filter, PARTS, codes);
    return renamed === filter ? [] : { pid, filter: renamed };
  });
  if (changed.length === 0) return;
  await runner.query(
    `update platform.webhook_subscription s set filter_expression = r.filter
     from json_to_recordset($1::json) as r(pid text, filter text) where s.pid = r.pid`,
    [JSON.stringify(changed)],
  );
};
