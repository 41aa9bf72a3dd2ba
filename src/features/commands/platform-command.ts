import type { PlatformEntityManager } from '../../foundation/database/orm.ts';
import type { ExecutionRow } from './execution-store.ts';

/**
 * A command of the platform itself (`meta:save`): it changes configuration, not records. It is accepted,
 * executed and answered like any other command, but its transaction is the owner's, because tables may change
 * with it.
 */
export interface PlatformCommand {
  readonly code: string;
  /** The permission that executing it needs. */
  readonly permission: string;
  /** @throws VALIDATION_ERROR with everything that is wrong */
  check(payload: Readonly<Record<string, unknown>>): void;
  /** Does the work inside the transaction that also ends the execution. Gives the command's result. */
  perform(em: PlatformEntityManager, execution: ExecutionRow): Promise<unknown>;
  /** Makes the committed work known, before the answer leaves. */
  announce(execution: ExecutionRow): Promise<void>;
}

export type PlatformCommands = ReadonlyMap<string, PlatformCommand>;
