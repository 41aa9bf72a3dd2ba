import { sqlRunnerOf } from '../../foundation/database/sql-runner.ts';
import { pagesBefore, type FollowRenames } from '../../platform/metadata/models/renamed-fields.ts';

/** Imports name the fields of their page's model: those that go on, and those whose mapping is used again. */
export const followInImports: FollowRenames = async (em, { environment, modelCode, codes }) => {
  const pages = [...(await pagesBefore(em, environment))].flatMap(([page, model]) => (model === modelCode ? page : []));
  for (const [from, to] of codes) {
    await sqlRunnerOf(em).query(
      `update platform.data_import set match_on = case match_on when $3 then $4 else match_on end,
         mapping = (select coalesce(json_object_agg(key, case value when $3 then $4 else value end), '{}')
           from json_each_text(mapping))
       where environment = $1 and page_key = any($2)
         and (match_on = $3 or exists (select from json_each_text(mapping) where value = $3))`,
      [environment, pages, from, to],
    );
  }
};
