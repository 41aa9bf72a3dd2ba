import type { PlatformEntityManager, PlatformOrm } from '../../foundation/database/orm.ts';
import { conflict, notFound, throwIfInvalid, type FieldErrors } from '../../foundation/errors/application-error.ts';
import { text } from '../../foundation/i18n/text.ts';
import { appendAudit } from '../../platform/audit/audit-log.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import { lockEnvironment, untilTablesAreFree } from '../../platform/metadata/changes/resources.service.ts';
import type { ModelContent } from '../../platform/metadata/models/model-content.ts';
import { modelsIn, recordDrops, type DroppedFields } from '../../platform/metadata/models/renamed-fields.ts';
import {
  countedRemovedFields,
  dropColumns,
  lockAlone,
  removedFieldsOf,
  rewriteEstimate,
  rewriteTable,
  type RemovedFields,
} from '../../platform/metadata/models/tables/removed-fields.ts';
import { BUILD_STATUSES, TableBuildEntity } from '../../platform/metadata/models/tables/table-build.entity.ts';
import { findEnvironment } from './environments.service.ts';

/** Removed fields to drop, each with the number of values that its caller knows of. */
export interface FieldsToDrop {
  readonly modelCode: string;
  readonly fields: Readonly<Record<string, number>>;
  /** Writes the table anew, so that Postgres no longer counts columns that were dropped. */
  readonly rewrite?: boolean;
  readonly reason: string;
}

/** The uses that a refusal names. */
const NAMED_USES = 10;

/** Removed fields keep their columns; here they are dropped, with consent. */
export class RemovedFieldsService {
  readonly #orm: PlatformOrm;
  readonly #features: readonly DroppedFields[];

  constructor(orm: PlatformOrm, features: readonly DroppedFields[]) {
    this.#orm = orm;
    this.#features = features;
  }

  /** Of all models that have removed fields; of one, with the numbers of values. @throws NOT_FOUND */
  async list(pidOrCode: string, modelCode?: string) {
    return this.#orm.em.fork().transactional(async (em) => {
      const { code: environment } = await findEnvironment(em, pidOrCode);
      const models = await modelsIn(em, environment);
      if (modelCode === undefined) {
        const found = await removedFieldsOf(em, environment, models);
        return [...found].map(([code, removed]) => ({ modelCode: code, ...removed, rewrite: null }));
      }
      const removed = await countedRemovedFields(em, environment, modelCode, modelOf(models, modelCode));
      return [{ modelCode, ...removed, rewrite: await rewriteEstimate(em, environment, modelCode) }];
    });
  }

  /**
   * @throws VALIDATION_ERROR for a field that is none of the removed ones, or has another number of values;
   *   CONFLICT (REFERENCE, BUSY); NOT_FOUND; SERVICE_UNAVAILABLE (LOCKED)
   */
  async drop(actor: Actor, pidOrCode: string, { modelCode, fields, rewrite = false, reason }: FieldsToDrop) {
    return untilTablesAreFree(() =>
      this.#orm.em.fork().transactional(async (em) => {
        const environment = await lockEnvironment(em, (await findEnvironment(em, pidOrCode)).code);
        const models = await modelsIn(em, environment.code);
        const content = modelOf(models, modelCode);
        const dropped = Object.keys(fields);
        await this.#refuseUsed(em, environment.code, modelCode, dropped, models);
        if (rewrite) await refuseUnbuilt(em, environment.code, modelCode);
        await lockAlone(em, environment.code, modelCode);
        const removed = await countedRemovedFields(em, environment.code, modelCode, content);
        throwIfInvalid(problemsOf(fields, removed));
        await dropColumns(em, environment.code, modelCode, dropped);
        await recordDrops(em, environment.code, modelCode, dropped);
        for (const { forget } of this.#features)
          await forget?.(em, { environment: environment.code, modelCode, fields: dropped });
        if (rewrite) await rewriteTable(em, environment.code, modelCode, content);
        const after = { modelCode, fields, rewrite };
        const target = {
          targetType: 'environment',
          targetPid: environment.pid,
          environment: environment.code,
        } as const;
        await appendAudit(em, { actor, action: 'environment.fields.drop', ...target, reason, after });
        const { columnsMade } = await countedRemovedFields(em, environment.code, modelCode, content);
        return { modelCode, dropped, rewritten: rewrite, columnsMade };
      }),
    );
  }

  async #refuseUsed(
    em: PlatformEntityManager,
    environment: string,
    modelCode: string,
    fields: readonly string[],
    modelsBefore: ReadonlyMap<string, ModelContent>,
  ): Promise<void> {
    // No field has such a code: whatever would follow names one of the fields.
    const codes = new Map(fields.map((code) => [code, `${code}.dropped`]));
    const renames = { environment, modelCode, codes, modelsBefore };
    const found = await Promise.all(this.#features.map(async ({ uses }) => (await uses?.(em, renames)) ?? []));
    const uses = found.flat();
    if (uses.length === 0) return;
    const named = uses.slice(0, NAMED_USES).join(', ');
    throw conflict('REFERENCE', text('{count} name these fields: {uses}', { count: uses.length, uses: named }));
  }
}

function modelOf(models: ReadonlyMap<string, ModelContent>, code: string): ModelContent {
  const content = models.get(code);
  if (!content) throw notFound('There is no such model');
  return content;
}

/** @throws CONFLICT (BUSY) */
async function refuseUnbuilt(em: PlatformEntityManager, environment: string, modelCode: string): Promise<void> {
  const status = { $in: BUILD_STATUSES.filter((one) => one !== 'DONE' && one !== 'CANCELLED') };
  if ((await em.count(TableBuildEntity, { environment, modelCode, status })) > 0)
    throw conflict('BUSY', 'Indexes or constraints of the table are still to be built: see /api/meta/builds');
}

function problemsOf(fields: FieldsToDrop['fields'], { fields: removed }: RemovedFields): FieldErrors {
  const problems: FieldErrors = {};
  for (const [code, given] of Object.entries(fields)) {
    const field = removed.find((one) => one.code === code);
    if (!field) problems[`fields.${code}`] = 'is no removed field of this model';
    else if (field.values !== given)
      problems[`fields.${code}`] = text('has {values} values, not {given}', { values: field.values ?? 0, given });
  }
  return problems;
}
