import { sqlRunnerOf } from '../../foundation/database/sql-runner.ts';
import type { DroppedFields, FollowRenames } from '../metadata/models/renamed-fields.ts';

/** Who may read a file depends on the field that names it. The publish sees the rows of all tenants. */
export const followInFileReferences: FollowRenames = async (em, { environment, modelCode, codes }) => {
  await sqlRunnerOf(em).query(
    `update platform.file_reference f set field_code = r.to_code from unnest($3::text[], $4::text[]) r(from_code, to_code)
     where f.environment = $1 and f.model_code = $2 and f.field_code = r.from_code`,
    [environment, modelCode, [...codes.keys()], [...codes.values()]],
  );
};

/** Who may read a file depends on the field that names it: a dropped one names none. */
export const forgetFileReferences: NonNullable<DroppedFields['forget']> = async (
  em,
  { environment, modelCode, fields },
) => {
  await sqlRunnerOf(em).query(
    `delete from platform.file_reference where environment = $1 and model_code = $2 and field_code = any($3)`,
    [environment, modelCode, fields],
  );
};
