import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import type { FieldRenames } from '../resources/field-renames.ts';
import { ResourceEntity } from '../resources/resource.entity.ts';
import type { ModelContent } from './model-content.ts';

/**
 * Makes what a feature stores outside of the configuration follow renames of fields, of all tenants, in the
 * transaction of the publish.
 */
export type FollowRenames = (em: PlatformEntityManager, renames: FieldRenames) => Promise<void>;

/** Names what names the fields: it is what would follow if they were renamed. */
export type FindUses = (em: PlatformEntityManager, renames: FieldRenames) => Promise<string[]>;

/** What else a feature does with fields whose columns are dropped. */
export interface DroppedFields {
  /** As long as something is found, the columns stay. */
  readonly uses?: FindUses;
  /** Deletes what is stored of them. */
  readonly forget?: (
    em: PlatformEntityManager,
    dropped: { readonly environment: string; readonly modelCode: string; readonly fields: readonly string[] },
  ) => Promise<void>;
}

/**
 * Writes down renames: the change log keeps the codes that fields had. In the transaction that has locked the
 * model's table: a transaction that has written before has begun before this.
 */
export async function recordRenames(em: PlatformEntityManager, { environment, modelCode, codes }: FieldRenames) {
  await sqlRunnerOf(em).query(
    `insert into platform.field_rename (environment, model_code, from_code, to_code, renamed_at)
     select $1, $2, r.*, clock_timestamp() from unnest($3::text[], $4::text[]) r`,
    [environment, modelCode, [...codes.keys()], [...codes.values()]],
  );
}

/** Ends the history of fields whose columns are dropped, as `recordRenames`. */
export async function recordDrops(
  em: PlatformEntityManager,
  environment: string,
  modelCode: string,
  fields: readonly string[],
): Promise<void> {
  await sqlRunnerOf(em).query(
    `insert into platform.field_rename (environment, model_code, from_code, renamed_at)
     select $1, $2, code, clock_timestamp() from unnest($3::text[]) code`,
    [environment, modelCode, fields],
  );
}

/** The models of an environment's pages, by page key. */
export async function pagesBefore(em: PlatformEntityManager, environment: string): Promise<Map<string, string>> {
  const pages = await em.find(ResourceEntity, { environment, resourceType: 'PAGE_SCHEMA' });
  return new Map(pages.map(({ code, content }) => [code, (content as { modelCode: string }).modelCode]));
}

/** The models of an environment, by code. */
export async function modelsIn(em: PlatformEntityManager, environment: string): Promise<Map<string, ModelContent>> {
  const models = await em.find(ResourceEntity, { environment, resourceType: 'MODEL' });
  return new Map(models.map(({ code, content }) => [code, content as ModelContent]));
}
