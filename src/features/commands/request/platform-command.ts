import type { Transaction } from '../../../foundation/database/pool.ts';
import type { PlatformEntityManager } from '../../../foundation/database/orm.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import type { RecordWriter } from '../../../platform/records/writing/record-writer.ts';
import type { RecordData } from '../../../platform/records/reader/record-reader.ts';
import type { ExecutionRow } from '../executions/execution-store.ts';

/** A command that every environment has (`meta:save`, `record:restore`). */
interface BuiltInCommand {
  readonly code: string;
  /** The permission that executing it needs; of some it depends on the payload. */
  readonly permission: string | ((payload: Payload) => string);
  /** @throws VALIDATION_ERROR with everything that is wrong */
  check(payload: Payload): void;
}

type Payload = Readonly<Record<string, unknown>>;

/**
 * Works with the owner's rights, because tables may change with it. It is accepted, executed and answered
 * like any other command.
 */
export interface OwnerCommand extends BuiltInCommand {
  /** Does the work inside the transaction that also ends the execution. Gives the command's result. */
  perform(em: PlatformEntityManager, execution: ExecutionRow): Promise<unknown>;
  /** Makes the committed work known, before the answer leaves. */
  announce(execution: Omit<ExecutionRow, 'result'>): Promise<void>;
}

/** Writes records in the caller's name. */
export interface RecordCommand extends BuiltInCommand {
  /** @param transaction that of the writer */
  write(writer: RecordWriter, actor: Actor, payload: Payload, transaction: Transaction): Promise<RecordOutcome>;
}

interface RecordOutcome {
  readonly model: Model;
  /** The record it wrote. */
  readonly record: RecordData;
  /** As the caller may see it. */
  readonly result: unknown;
}

export type PlatformCommand = OwnerCommand | RecordCommand;
export type PlatformCommands = ReadonlyMap<string, PlatformCommand>;
