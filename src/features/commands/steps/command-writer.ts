import { newPid } from '../../../foundation/database/pid.ts';
import type { Transaction } from '../../../foundation/database/pool.ts';
import { throwIfInvalid } from '../../../foundation/errors/application-error.ts';
import type { ValueOrigin } from '../../../foundation/expressions/value-origin.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { CommandEvent } from '../../../platform/events/outbox/outbox.ts';
import type { RunStart } from '../../../platform/events/outbox/event.entity.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { pathOfItem } from '../../../platform/metadata/field-types/field-value.ts';
import { withFields, type Model } from '../../../platform/metadata/models/model.ts';
import { RecordLookup } from '../../../platform/records/reader/record-lookup.ts';
import { problemsOfRelations, type RecordWrite } from '../../../platform/records/writing/relation-checks.ts';
import { RecordWriter } from '../../../platform/records/writing/record-writer.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a step emits. */
interface StepEvent {
  readonly pid: string;
  readonly stepId: string;
  readonly eventType: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The fields that the payload comes from. */
  readonly origin: ValueOrigin;
}

/** What a command's steps read, write and emit, in its transaction. */
export class CommandWriter extends RecordWriter {
  readonly lookup: RecordLookup;
  readonly emitted: StepEvent[] = [];
  readonly runStarts: RunStart[] = [];
  readonly #transaction: Transaction;
  readonly #actor: Actor;

  constructor(transaction: Transaction, actor: Actor) {
    super(transaction, actor);
    this.#transaction = transaction;
    this.#actor = actor;
    this.lookup = new RecordLookup(transaction, actor);
  }

  /**
   * Checks the records and users that the payload of a CUSTOM command names. One that row rules hide is none.
   * @throws VALIDATION_ERROR
   */
  async checkNamed(model: Model, fields: readonly FieldContent[], payload: Fields): Promise<void> {
    const problemsOf = (of: readonly FieldContent[], writes: readonly RecordWrite[]) =>
      problemsOfRelations(this.#transaction, this.#actor, withFields(model, of), writes, {
        withRowRules: true,
        isLocked: false,
      });
    const errors = await problemsOf(fields, [{ before: null, values: new Map(Object.entries(payload)) }]);
    for (const { code, fields: ofItems } of fields) {
      if (!ofItems) continue;
      const items = (payload[code] ?? []) as readonly Fields[];
      const writes = items.map((item, index) => {
        return { before: null, values: new Map(Object.entries(item)), at: pathOfItem(code, index) };
      });
      Object.assign(errors, await problemsOf(ofItems, writes));
    }
    throwIfInvalid(errors);
  }

  override async attempt<T>(work: () => Promise<T>): Promise<T> {
    const lengths = [this.emitted.length, this.runStarts.length] as const;
    try {
      return await super.attempt(work);
    } catch (error) {
      [this.emitted.length, this.runStarts.length] = lengths;
      throw error;
    }
  }

  /** @returns the event's pid */
  emit(event: Omit<StepEvent, 'pid'>): string {
    const pid = newPid();
    this.emitted.push({ ...event, pid });
    return pid;
  }

  /** Asks for a run. @returns its pid */
  start(run: Omit<RunStart, 'runPid'>): string {
    const runPid = newPid();
    this.runStarts.push({ ...run, runPid });
    return runPid;
  }
}

/** @param own the event of the command itself: what that is about, the step's is about */
export function eventOfStep(
  { pid, stepId, eventType, payload, origin }: StepEvent,
  { modelCode, recordPid }: Pick<CommandEvent, 'modelCode' | 'recordPid'>,
  commandCode: string,
): CommandEvent {
  const body = JSON.stringify({ commandCode, modelCode, payload, result: {} });
  return { pid, stepId, eventType, modelCode, recordPid, body, origins: { payload: origin } };
}
