import { rowsOfEnvironment } from '../../../foundation/database/emptied-data.ts';
import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import type { Retention } from '../../../foundation/jobs/retention.ts';
import type { DroppedFields, FollowRenames } from '../../metadata/models/renamed-fields.ts';
import { PAST_COUNTER_DAYS } from '../records.limits.ts';

/** A sequence field keeps counting under its new code. */
export const followInCounters: FollowRenames = async (em, { environment, modelCode, codes }) => {
  await sqlRunnerOf(em).query(
    `update platform.sequence_counter c set field_code = r.to_code from unnest($3::text[], $4::text[]) r(from_code, to_code)
     where c.environment = $1 and c.model_code = $2 and c.field_code = r.from_code`,
    [environment, modelCode, [...codes.keys()], [...codes.values()]],
  );
};

/** A field that comes back without its values counts from one. */
export const forgetCounters: NonNullable<DroppedFields['forget']> = async (em, { environment, modelCode, fields }) => {
  await sqlRunnerOf(em).query(
    `delete from platform.sequence_counter where environment = $1 and model_code = $2 and field_code = any($3)`,
    [environment, modelCode, fields],
  );
};

/** Numbers begin again with the records. */
export const EMPTIED_COUNTERS = rowsOfEnvironment('counters', 'platform.sequence_counter');

/** Counters of past periods. One that is asked for again counts on from the records. */
export function counterRetention(orm: PlatformOrm, batch = 500): Retention {
  return {
    tables: ['sequence_counter'],
    async purgeBatch() {
      const gone = await sqlRunnerOf(orm.em.fork()).query(
        `delete from platform.sequence_counter where ctid in (
           select ctid from platform.sequence_counter
           where period <> '' and updated_at < now() - $1 * interval '1 day' limit $2 for update skip locked) returning 1`,
        [PAST_COUNTER_DAYS, batch],
      );
      return gone.length === batch;
    },
  };
}
