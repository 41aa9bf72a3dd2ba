import type { Database, Transaction } from '../../../foundation/database/pool.ts';
import {
  throwIfInvalid,
  type ApplicationError,
  type FieldErrors,
} from '../../../foundation/errors/application-error.ts';
import { Text } from '../../../foundation/i18n/text.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { authorize, type Actor } from '../../../platform/auth/requests/actor.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { insertPerformed, type PerformedCommand } from '../../commands/performing/perform-all.ts';
import { findModelOfPage } from '../../../platform/records/pages/page-model.ts';
import type { WriteAnnouncer } from '../../../platform/records/totals-cache.ts';
import { applyRows, type WrittenRow } from './apply-rows.ts';
import type { ImportRecord, ImportStatus } from '../data-import.entity.ts';
import { IMPORT_FORMATS } from '../formats/import-format.ts';
import type { ImportRow } from '../formats/import-row.ts';
import { checkMapping, requireCommands, type ImportPlan } from '../import-plan.ts';
import { addProgress, lockImport, type Progress, type LockedImport } from '../import-store.ts';
import { givenRow } from './given-row.ts';
import { draftOf, type RowDraft, type RowFailure } from './row-draft.ts';

/**
 * Applies the rows of imports, chunk by chunk. A chunk is one transaction, which also notes how far the
 * import is: each row is applied once, however often a worker dies.
 */
export class ImportChunks {
  readonly #database: Database;
  readonly #actorOf: (found: LockedImport) => Promise<Actor>;
  readonly #announcer: WriteAnnouncer;
  readonly #logger: Logger;

  constructor(
    database: Database,
    actorOf: (found: LockedImport) => Promise<Actor>,
    announcer: WriteAnnouncer,
    logger: Logger,
  ) {
    this.#database = database;
    this.#actorOf = actorOf;
    this.#announcer = announcer;
    this.#logger = logger;
  }

  /**
   * @returns the status of the import: with any but RUNNING nothing was applied
   * @throws why the import cannot go on: its user may not, or the configuration has changed; a transient
   * fault
   */
  async apply(importPid: string, rows: readonly ImportRow[]): Promise<ImportStatus> {
    const { status, written, actor } = await this.#database.transaction(async (transaction) => {
      const found = await lockImport(transaction, importPid);
      if (found?.status !== 'RUNNING') return { status: found?.status ?? 'CANCELLED', written: [], actor: null };
      const by = await this.#actorOf(found);
      // Another worker may have taken over.
      const left = rows.filter(({ number }) => number > found.position);
      return { status: found.status, written: await this.#applyLeft(transaction, by, found, left), actor: by };
    });
    if (actor && written.length > 0) {
      await this.#announcer.announce(
        actor,
        written.flatMap(({ modelCodes }) => modelCodes),
      );
    }
    return status;
  }

  async #applyLeft(
    transaction: Transaction,
    actor: Actor,
    found: ImportRecord,
    rows: readonly ImportRow[],
  ): Promise<readonly WrittenRow[]> {
    const last = rows.at(-1);
    if (!last) return [];
    const plan = planOf(found, actor);
    const { isTyped } = IMPORT_FORMATS[found.format];
    const drafts: RowDraft[] = [];
    const failures: RowFailure[] = [];
    for (const row of rows) {
      const draft = draftOf(plan, row, isTyped, actor.timeZone);
      if ('error' in draft) failures.push(draft);
      else drafts.push(draft);
    }
    if (found.dryRun) {
      transaction.rehearse();
      await transaction.query('savepoint dry_run');
    }
    const report = (error: unknown) =>
      this.#logger.error({ err: error, importPid: found.pid }, 'a row failed for an unknown reason');
    const record = async (performed: readonly PerformedCommand[]): Promise<void> => {
      if (!found.dryRun) await insertPerformed(transaction, actor, found.traceId, performed);
    };
    const applied = await applyRows(transaction, actor, plan, drafts, record, report);
    if (found.dryRun) await transaction.query('rollback to savepoint dry_run');
    failures.push(...applied.failures);
    const progress = progressOf(plan, rows, applied.written, failures);
    await transaction.conclude(addProgress(transaction, found.pid, progress));
    return found.dryRun ? [] : applied.written;
  }
}

/** @throws VALIDATION_ERROR, FORBIDDEN, NOT_FOUND: what was asked for is not possible any more */
function planOf({ pageKey, mapping, mode, matchOn, commands }: ImportRecord, actor: Actor): ImportPlan {
  const { metadata } = actor;
  const visible = findModelOfPage(metadata, pageKey);
  const model = metadata.model(visible?.code ?? '');
  authorize(actor, permissionCode.recordRead(model.code));
  requireCommands(actor, commands);
  const errors: FieldErrors = {};
  const checked = checkMapping(model, actor, { mapping, mode, matchOn }, null, errors);
  throwIfInvalid(errors);
  return { ...checked, model, visible: visible ?? model, mode, commands };
}

function progressOf(
  { fields }: ImportPlan,
  rows: readonly ImportRow[],
  written: readonly WrittenRow[],
  failures: readonly RowFailure[],
): Progress {
  const created = written.filter(({ operation }) => operation === 'CREATE').length;
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  const columns = new Map(fields.map(({ field, column }) => [field.code, column]));
  const problems = failures
    .toSorted((one, other) => one.number - other.number)
    .flatMap(({ number, error }) =>
      messagesOf(error).map(([code, message], index) => ({
        rowNumber: number,
        column: (columns.get(code) ?? (code === '' ? null : code))?.slice(0, 200) ?? null,
        code: error.code,
        message: Text.from(message).toStored(),
        given: index === 0 ? givenRow(byNumber.get(number)) : null,
      })),
    );
  const position = rows.at(-1)?.number ?? 0;
  return { position, done: rows.length, created, updated: written.length - created, failed: failures.length, problems };
}

/** What an error says, by field; '' for the row itself. */
function messagesOf({ data, text }: ApplicationError): (readonly [string, Parameters<typeof Text.from>[0]])[] {
  const fields = Object.entries((data?.fieldErrors ?? {}) as FieldErrors);
  if (fields.length === 0) return [['', text]];
  return fields.map(([code, problem]) => [code === 'row' || code === 'payload' ? '' : code, problem] as const);
}
