import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { pagesBefore, type FindUses, type FollowRenames } from '../../../platform/metadata/models/renamed-fields.ts';
import type { FieldRenames } from '../../../platform/metadata/resources/field-renames.ts';
import { renamedView } from './renamed-view.ts';
import type { View } from '../../../platform/records/pages/view-content.ts';

type StoredView = Pick<View, 'pid' | 'pageKey' | 'conditions' | 'sortFields' | 'columns' | 'display'>;

/** Saved views of users name fields of their page's model, and by paths those of others. */
export const followInSavedViews: FollowRenames = async (em, renames) => {
  const changed = await changedViews(em, renames);
  if (changed.length === 0) return;
  await sqlRunnerOf(em).query(
    `update platform.saved_view v set conditions = r.conditions, sort_fields = r.sort_fields, columns = r.columns, display = r.display
     from json_to_recordset($1::json) as r(pid text, conditions json, sort_fields json, columns json, display json) where v.pid = r.pid`,
    [JSON.stringify(changed)],
  );
};

export const viewsNaming: FindUses = async (em, renames) =>
  (await changedViews(em, renames)).map(({ pid }) => `VIEW/${pid}`);

/** The views that name fields, as they are after the renames; locked. */
async function changedViews(em: PlatformEntityManager, renames: FieldRenames) {
  const modelOf = await pagesBefore(em, renames.environment);
  const runner = sqlRunnerOf(em);
  const named = [...renames.codes.keys()].map((code) => `%${code}%`);
  const views = await runner.query<StoredView>(
    `select pid, page_key, conditions, sort_fields, columns, display from platform.saved_view
     where environment = $1 and (conditions::text like any($2) or sort_fields::text like any($2) or columns::text like any($2)
        or display::text like any($2))
     for update`,
    [renames.environment, named],
  );
  return views.flatMap((view) => {
    const model = modelOf.get(view.pageKey);
    if (model === undefined) return [];
    const renamed = renamedView(view, model, renames);
    if (JSON.stringify(renamed) === JSON.stringify(view)) return [];
    const { pid, conditions, sortFields, columns, display } = renamed;
    return [{ pid, conditions, sort_fields: sortFields, columns, display }];
  });
}
