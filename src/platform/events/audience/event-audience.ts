import type { Transaction } from '../../../foundation/database/pool.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import type { NewEvent } from '../outbox/outbox.ts';

/** Who would hear of an event. */
export interface EventListener {
  readonly pid: string;
  readonly name: string;
}

/** Finds who would hear of events, as far as an actor may know. Nothing is stored. */
export type EventAudience = (
  transaction: Transaction,
  events: readonly NewEvent[],
  actor: Actor,
) => Promise<readonly EventListener[]>;
