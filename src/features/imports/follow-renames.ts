import { sqlRunnerOf } from '../../foundation/database/sql-runner.ts';
import type { PlatformEntityManager } from '../../foundation/database/orm.ts';
import { pagesBefore, type FindUses, type FollowRenames } from '../../platform/metadata/models/renamed-fields.ts';
import type { FieldRenames } from '../../platform/metadata/resources/field-renames.ts';
import { OPEN } from './import-store.ts';

/** Imports name the fields of their page's model: those that go on, and those whose mapping is used again. */
export const followInImports: FollowRenames = async (em, renames) => {
  const { environment, codes } = renames;
  const pages = await pagesOf(em, renames);
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

/** Those that go on: of the others, the mapping is told. */
export const importsNaming: FindUses = async (em, renames) => {
  const found = await sqlRunnerOf(em).query<{ pid: string }>(
    `select pid from platform.data_import where environment = $1 and page_key = any($2) and ${OPEN}
       and (match_on = any($3) or exists (select from json_each_text(mapping) where value = any($3)))`,
    [renames.environment, await pagesOf(em, renames), [...renames.codes.keys()]],
  );
  return found.map(({ pid }) => `IMPORT/${pid}`);
};

/** The pages of the model. */
async function pagesOf(em: PlatformEntityManager, { environment, modelCode }: FieldRenames): Promise<string[]> {
  return [...(await pagesBefore(em, environment))].flatMap(([page, model]) => (model === modelCode ? page : []));
}
