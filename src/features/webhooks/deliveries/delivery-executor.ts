import type { Database } from '../../../foundation/database/pool.ts';
import type { WebhookConfig } from '../../../foundation/config/config.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { isTooLarge } from '../../../foundation/errors/too-large.ts';
import { withLogContext } from '../../../foundation/logging/trace.ts';
import type { Counter, Metrics } from '../../../foundation/metrics/metrics.ts';
import type { DeliveryState } from '../../../../workflows/contracts.ts';
import type { SendAttempt } from './attempt-sender.ts';
import type { ConsiderDisabling } from './auto-disable.ts';
import { begin, beginTogether, outcomeWriter, type StartedAttempt, type WriteOutcome } from './delivery-attempts.ts';
import { findUnfinished, reconcile, requeue, type Granted } from './delivery-queue.ts';
import type { DeliveryScheduler } from './delivery-scheduler.ts';
import type { DeliveryStarter } from './delivery-starter.ts';
import type { DeliveryStatus } from './delivery.entity.ts';
import { LOOK_EVERY_MS } from '../webhooks.limits.ts';

interface Parts {
  readonly database: Database;
  readonly send: SendAttempt;
  readonly scheduler: DeliveryScheduler;
  readonly starter: DeliveryStarter;
  readonly autoDisable: ConsiderDisabling;
  readonly config: WebhookConfig;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/**
 * Makes the attempts of deliveries: first ones as soon as they have their slots, later ones for their
 * workflows. Whatever the endpoint does is an outcome. Spec: "Delivery request", "Retry behavior".
 */
export class DeliveryExecutor {
  readonly #parts: Parts;
  readonly #writeOutcome: WriteOutcome;
  readonly #attempts: Counter<'outcome'>;
  readonly #durations: ReturnType<Metrics['histogram']>;

  constructor(parts: Parts) {
    const { database, config, metrics } = parts;
    const { circuitFailures: failures, circuitCoolDownMs: coolDownMs, maxInFlight } = config;
    this.#parts = parts;
    this.#writeOutcome = outcomeWriter(database, { failures, coolDownMs, maxInFlight });
    this.#attempts = metrics.counter('webhook_attempts_total', 'POSTs to receivers, by outcome', ['outcome']);
    this.#durations = metrics.histogram('webhook_attempt_duration_seconds', 'How long receivers take to answer');
  }

  /**
   * Makes the next attempt, if the delivery is due and has its turn.
   * @throws a passing fault of our own (Postgres is away), which uses up none of the delivery's retries
   */
  async attempt(deliveryPid: string): Promise<DeliveryState> {
    const begun = (await begin(this.#parts.database, deliveryPid)) ?? (await this.#takeTurn(deliveryPid));
    return 'body' in begun ? this.#perform(begun) : begun;
  }

  /**
   * Makes the first attempts of deliveries that have slots. One that does not end its delivery starts its
   * workflow.
   */
  attemptFirst(deliveries: readonly Granted[], onEnd: (count: number) => void): void {
    if (deliveries.length === 0) return;
    // Their slots run out, and a sweep finds them.
    const leave = (err: unknown): void => this.#parts.logger.warn({ err }, 'first attempts are left to the next sweep');
    void this.#attemptFirst(deliveries, onEnd).catch(leave);
  }

  /** @throws a transient fault, before anything was sent */
  async #attemptFirst(deliveries: readonly Granted[], onEnd: (count: number) => void): Promise<void> {
    const { database, starter } = this.#parts;
    let left = deliveries.length;
    const end = (count: number): void => {
      left -= count;
      onEnd(count);
    };
    try {
      const begun = await beginTogether(database, pidsOf(deliveries)).catch((error: unknown) => {
        if (!isTooLarge(error)) throw error;
        return null;
      });
      if (!begun) {
        // Their bodies have no room beside each other: each is read for itself.
        for (const delivery of deliveries) await starter.startWaiting(delivery, 0);
        return;
      }
      const begunPids = new Set(pidsOf(begun));
      const others = deliveries.filter(({ pid }) => !begunPids.has(pid));
      await Promise.all([
        ...others.map((delivery) => requeue(database, delivery)),
        ...begun.map((attempt) => this.#performFirst(attempt).finally(() => end(1))),
      ]);
    } finally {
      end(left);
    }
  }

  async #performFirst(begun: StartedAttempt): Promise<void> {
    const { database, starter, logger } = this.#parts;
    try {
      const { ended } = await this.#perform(begun);
      if (ended) return;
      const [delivery] = await findUnfinished(database, [begun.pid]);
      if (delivery) await starter.startWaiting(delivery, delivery.dueInMs);
    } catch (err) {
      withLogContext(begun, () =>
        logger.warn({ err, deliveryPid: begun.pid }, 'what follows an attempt is left to the next sweep'),
      );
      // Queued again where nothing was sent: the attempt has been taken back. Otherwise its slot runs out.
      const attemptCount = begun.attemptCount - 1;
      await requeue(database, { ...begun, attemptCount }).catch(() => undefined);
    }
  }

  /**
   * For a delivery without a slot: what its row says now, or the attempt after all when there is a free slot.
   */
  async #takeTurn(deliveryPid: string): Promise<DeliveryState | StartedAttempt> {
    const { database, scheduler } = this.#parts;
    const delivery = await reconcile(database, deliveryPid);
    // Forgotten by retention, or by an operator's hand.
    if (!delivery) return stateOf('CANCELLED');
    if (isOver(delivery.status)) return stateOf(delivery.status);
    if (!delivery.isDue && !delivery.hasSlot) return stateOf(delivery.status, delivery.dueInMs);
    const granted = await scheduler.dispatch([delivery.subscriptionPid], deliveryPid);
    const begun = granted.has(deliveryPid) ? await begin(database, deliveryPid) : null;
    return begun ?? stateOf(delivery.status, LOOK_EVERY_MS);
  }

  /** The one way of an attempt that has begun: sends it and writes its outcome. @throws a transient fault */
  #perform(begun: StartedAttempt): Promise<DeliveryState> {
    return withLogContext(begun, async () => {
      const { send, scheduler, autoDisable, logger } = this.#parts;
      const { pid: deliveryPid, subscriptionPid, attemptCount: attempt } = begun;
      const end = await send(begun);
      const { status, waiting } = await this.#writeOutcome({ attempt: begun, end });
      const { statusCode, errorClass, durationMs } = end;
      this.#attempts.inc({ outcome: errorClass ?? 'success' });
      this.#durations.observe(durationMs / 1_000);
      logger.info(
        { deliveryPid, subscriptionPid, attempt, status, statusCode, errorClass, durationMs },
        'webhook attempt',
      );
      if (status === 'FAILED') await autoDisable(begun);
      // Others wait for the slot.
      if (waiting) scheduler.dispatchLater(subscriptionPid);
      // Null: it was cancelled or resent meanwhile; the next look shows it.
      return status ? stateOf(status, end.delayMs ?? 0) : stateOf('RETRYING', 0);
    });
  }
}

function stateOf(status: DeliveryStatus, waitMs = 0): DeliveryState {
  // A timer of 0 ms would be none at all.
  return { status, ended: isOver(status), waitMs: Math.max(1, Math.ceil(waitMs)) };
}

function isOver(status: DeliveryStatus): boolean {
  return status !== 'PENDING' && status !== 'RETRYING';
}

function pidsOf(rows: readonly { readonly pid: string }[]): string[] {
  return rows.map(({ pid }) => pid);
}
