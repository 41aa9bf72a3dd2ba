import { isTransient } from '../../../foundation/database/failures.ts';
import type { Transaction } from '../../../foundation/database/pool.ts';
import { ApplicationError, notFound } from '../../../foundation/errors/application-error.ts';
import { tooLarge } from '../../../foundation/errors/too-large.ts';
import { holdingMeanwhile } from '../../../foundation/memory/held-memory.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { FIELD_TYPES } from '../../../platform/metadata/field-types/field-types.ts';
import { quoteIdentifier } from '../../../platform/metadata/models/model.ts';
import { parseCommandRequest } from '../../commands/request/command-request.ts';
import { COMMAND } from '../../commands/definition/command-type.ts';
import { performAll, type CommandOfMany, type PerformedCommand } from '../../commands/performing/perform-all.ts';
import type { RequestedCommand } from '../../commands/performing/perform-command.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { visibleRows } from '../../../platform/records/query/record-select.ts';
import { writeInParts } from '../../../platform/records/operations/record-batch.ts';
import type { Operation } from '../../commands/definition/command-content.ts';
import type { ImportPlan } from '../import-plan.ts';
import { MAX_EFFECTS_LENGTH } from '../imports.limits.ts';
import type { RowDraft, RowFailure } from './row-draft.ts';

/** A row that has been written, and the models whose records it has changed. */
export interface WrittenRow {
  readonly operation: Operation;
  readonly modelCodes: readonly string[];
}

/** What became of the rows of a chunk. */
export interface AppliedRows {
  readonly written: readonly WrittenRow[];
  readonly failures: readonly RowFailure[];
}

type AppliedRow = WrittenRow | RowFailure;

/**
 * Applies rows, in a transaction that has the actor's tenant: one that fails leaves nothing, and holds up no
 * other. Rows with a key that one before them has go behind the others, one by one.
 * Nothing is kept of what they have read and written but what `record` stores.
 * @param record stores what follows from performed commands
 * @param report hears of unforeseen errors
 * @throws a transient fault
 */
export async function applyRows(
  transaction: Transaction,
  actor: Actor,
  plan: ImportPlan,
  drafts: readonly RowDraft[],
  record: (performed: readonly PerformedCommand[]) => Promise<void>,
  report: (error: unknown) => void,
): Promise<AppliedRows> {
  const rows = new Rows(transaction, actor, plan, record);
  const apply = (some: readonly RowDraft[]): Promise<AppliedRow[]> =>
    writeInParts(some, {
      attempt: (work) => transaction.attempt(work),
      write: (part) => holdingMeanwhile(() => rows.apply(part)),
      isRefusal: (error) => !isTransient(error),
      refused(error, index) {
        if (!(error instanceof ApplicationError)) report(error);
        return { number: some[index]?.number ?? 0, error: toApplicationError(error) };
      },
    });
  const twins = twinsIn(drafts);
  const applied = await apply(drafts.filter((draft) => !twins.has(draft)));
  for (const twin of twins) applied.push(...(await apply([twin])));
  return {
    written: applied.filter((row) => 'operation' in row),
    failures: applied.filter((row) => 'error' in row),
  };
}

/** Rows with a key that one before them has: what that one does decides about them. */
function twinsIn(drafts: readonly RowDraft[]): Set<RowDraft> {
  const seen = new Set<unknown>();
  return new Set(
    drafts.filter(({ key }) => {
      const isTwin = key !== null && seen.has(key);
      seen.add(key);
      return isTwin;
    }),
  );
}

function toApplicationError(error: unknown): ApplicationError {
  return error instanceof ApplicationError ? error : new ApplicationError('INTERNAL_ERROR', { cause: error });
}

class Rows {
  readonly #transaction: Transaction;
  readonly #actor: Actor;
  readonly #plan: ImportPlan;
  readonly #record: (performed: readonly PerformedCommand[]) => Promise<void>;

  constructor(
    transaction: Transaction,
    actor: Actor,
    plan: ImportPlan,
    record: (performed: readonly PerformedCommand[]) => Promise<void>,
  ) {
    this.#transaction = transaction;
    this.#actor = actor;
    this.#plan = plan;
    this.#record = record;
  }

  /** Applies rows, all or none but those that are refused by themselves. @throws the failure of any other */
  async apply(drafts: readonly RowDraft[]): Promise<AppliedRow[]> {
    const targets = await this.#find(drafts);
    const asked = drafts.map((draft, index) => this.#askOrRefuse(draft, targets[index] ?? null));
    const commands = asked.flatMap((one) => ('error' in one ? [] : [one]));
    const outcomes = await performAll(this.#transaction, this.#actor, commands);
    const byCommand = new Map<unknown, CommandOfMany>(
      commands.map((one, index) => [one, outcomes[index] as CommandOfMany]),
    );
    const performed: PerformedCommand[] = [];
    const applied = asked.map((one, index): AppliedRow => {
      if ('error' in one) return one;
      const outcome = byCommand.get(one) as CommandOfMany;
      if ('refused' in outcome) return { number: drafts[index]?.number ?? 0, error: outcome.refused };
      performed.push({ requested: one, effect: outcome });
      return { operation: one.operation, modelCodes: outcome.changes.map(({ modelCode }) => modelCode) };
    });
    requireRoom(performed);
    if (performed.length > 0) await this.#record(performed);
    return applied;
  }

  #askOrRefuse(draft: RowDraft, target: string | null): RequestedCommand | RowFailure {
    try {
      return this.#ask(draft, target);
    } catch (error) {
      if (error instanceof ApplicationError) return { number: draft.number, error };
      throw error;
    }
  }

  /**
   * The command for a row.
   * @param target the pid of the record that the row is about; null where there is none
   * @throws why there is none
   */
  #ask(draft: RowDraft, target: string | null): RequestedCommand {
    const { mode, matchOn, commands } = this.#plan;
    // A pid is the platform's: none can be made by naming it.
    const isNameable = matchOn?.content !== null || draft.key === null;
    const isNew = target === null && mode !== 'update' && isNameable;
    if (target === null && !isNew) throw notFound('There is no such record');
    const operation = isNew ? 'CREATE' : 'UPDATE';
    const commandCode = commands[operation] ?? '';
    const command = this.#actor.metadata.get(COMMAND, commandCode);
    const body = {
      operationType: operation,
      targetRecordId: target,
      expectedVersion: isNew ? null : draft.version,
      payload: payloadOf(draft, isNew, matchOn?.code),
    };
    const request = parseCommandRequest(command, this.#actor, body, undefined);
    return { ...request, commandCode, payload: { ...request.payload } };
  }

  /**
   * The pids of the records that rows are about, row by row; null where there is none that the actor sees.
   */
  async #find(drafts: readonly RowDraft[]): Promise<(string | null)[]> {
    const { matchOn, visible } = this.#plan;
    if (!matchOn || drafts.every(({ key }) => key === null)) return drafts.map(() => null);
    const parameters = new Parameters();
    const where = visibleRows(visible, this.#actor, parameters).join(' and ');
    const keys = parameters.add(drafts.map(({ key }) => key));
    const found = await this.#transaction.queryRecords<{ n: number; pid: string }>(
      `select k.n::int as n, t.pid from unnest(${keys}::${FIELD_TYPES[matchOn.type].cast}[]) with ordinality as k(v, n)
         join ${visible.table} t on t.${quoteIdentifier(matchOn.code)} = k.v where ${where}`,
      parameters.values,
    );
    const pids = new Map(found.map(({ n, pid }) => [n - 1, pid]));
    return drafts.map((_draft, index) => pids.get(index) ?? null);
  }
}

/** An empty cell leaves a new record its default, and empties the field of one that is there. */
function payloadOf({ values }: RowDraft, isNew: boolean, matchOn: string | undefined): Record<string, unknown> {
  const given = [...values].filter(([code, value]) => (isNew ? value !== null : code !== matchOn));
  return Object.fromEntries(given);
}

/** @throws CONFLICT (TOO_LARGE) for several rows whose effects take too much memory: fewer are tried then */
function requireRoom(performed: readonly PerformedCommand[]): void {
  const bytes = performed.reduce((sum, { effect }) => sum + effect.event.body.length, 0);
  if (performed.length > 1 && bytes > MAX_EFFECTS_LENGTH) throw tooLarge(MAX_EFFECTS_LENGTH);
}
