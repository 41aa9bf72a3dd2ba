import type { StoredError } from '../../../foundation/errors/failure.ts';
import type { BatchRequest } from './batch-request.ts';

/** The payload of a batch's execution. The items it executes are executions of their own. */
export interface BatchPlan {
  readonly mode: BatchRequest['mode'];
  /** Items of a partial batch that were refused, so that they have no execution. */
  readonly refused: readonly { readonly index: number; readonly error: StoredError }[];
  /** Items whose `clientRequestId` had been used before. */
  readonly replays: readonly { readonly index: number; readonly pid: string; readonly mismatch: boolean }[];
}
