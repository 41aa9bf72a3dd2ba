import type { SqlRunner } from '../../foundation/database/pool.ts';

/** Erases what a feature keeps of the bodies of events, in the transaction that erases them. */
export type EventEraser = (transaction: SqlRunner, eventPids: readonly string[]) => Promise<void>;
