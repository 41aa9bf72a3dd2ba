import type { Actor } from '../auth/requests/actor.ts';
import type { SqlRunner } from '../../foundation/database/pool.ts';

/** Which consequences are asked for: those of events, and of the request itself. */
interface ConsequenceQuestion {
  readonly traceId: string;
  readonly eventPids: readonly string[];
  /** At most so many, oldest first. */
  readonly limit: number;
}

/** A delivery of an event, as its trace shows it. */
export interface TracedDelivery {
  readonly pid: string;
  readonly subscriptionPid: string;
  readonly eventPid: string;
  readonly status: string;
  readonly attemptCount: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** A run of an automation, as its trace shows it. */
export interface TracedRun {
  readonly runPid: string;
  readonly automationCode: string;
  readonly status: string;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  /** The event that has started it; null: a request has. */
  readonly eventPid: string | null;
  /** Those of the question's events that the run itself has sent. */
  readonly sentEventPids: readonly string[];
}

/** Finds what followed, as far as an actor may know, in a constant number of statements. */
type Consequences<T> = (question: ConsequenceQuestion, actor: Actor) => Promise<readonly T[]>;

/** What follows events. The features that react to them fill it in. */
export interface EventConsequences {
  deliveries?: Consequences<TracedDelivery>;
  runs?: Consequences<TracedRun>;
}

/** Erases what a feature keeps of the bodies of events, in the transaction that erases them. */
export type EventEraser = (transaction: SqlRunner, eventPids: readonly string[]) => Promise<void>;
