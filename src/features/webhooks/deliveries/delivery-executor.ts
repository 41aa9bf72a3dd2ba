import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from '../../../foundation/database/failures.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import { TurnBatch } from '../../../foundation/database/turn-batch.ts';
import { MAX_STARTS } from '../../../foundation/jobs/repeated-starts.ts';
import type { WebhookConfig } from '../../../foundation/config/config.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import { traceHeaders, withTrace } from '../../../foundation/logging/trace.ts';
import type { Counter, Metrics } from '../../../foundation/metrics/metrics.ts';
import type { OutboundHttp } from '../../../foundation/outbound/outbound-http.ts';
import type { OutboundOutcome } from '../../../foundation/outbound/outcome.ts';
import type { SecretBox } from '../../../foundation/secrets/secret-box.ts';
import type { DeliveryState } from '../../../../workflows/contracts.ts';
import { ENDLESS, endOf, UNREADABLE } from './attempt-end.ts';
import type { AutoDisable } from './auto-disable.ts';
import type { DeliveryStatus } from './delivery.entity.ts';
import {
  begin,
  finish,
  takeBack,
  type AttemptEnd,
  type EndedAttempt,
  type Finished,
  type StartedAttempt,
} from './delivery-attempts.ts';
import { reconcile } from './delivery-queue.ts';
import type { BodyOfAttempt } from './body-of-attempt.ts';
import type { DeliveryScheduler } from './delivery-scheduler.ts';
import type { DeliveryStarter } from './delivery-starter.ts';
import { QUICK_MS, type EndpointSpeeds } from './endpoint-speeds.ts';
import { deliveryHeaders } from './request-headers.ts';
import { liveSecrets, openHeaders } from '../subscription-secrets.ts';
import { LEASE_MS } from '../webhooks.limits.ts';

/** A workflow that waits for its turn is told of it; should that get lost, it looks by itself. */
const LOOK_EVERY_MS = 300_000;
/**
 * An outcome is written as soon as Postgres takes it: forgotten, the receiver would get the event twice. All
 * tries together take 20 s, for which the slot is held.
 */
const WRITE_TRIES = 13;
const WRITE_DELAY_MS = 250;
/** Statements that write outcomes: what ends meanwhile shares the next one. */
const STATEMENTS_AT_ONCE = 2;

/** Makes the attempts of deliveries. Spec: "Delivery request", "Retry behavior". */
export class DeliveryExecutor {
  readonly #database: Database;
  readonly #http: OutboundHttp;
  readonly #bodies: BodyOfAttempt;
  readonly #box: SecretBox;
  readonly #scheduler: DeliveryScheduler;
  readonly #starter: DeliveryStarter;
  readonly #speeds: EndpointSpeeds;
  readonly #autoDisable: AutoDisable;
  readonly #config: WebhookConfig;
  readonly #logger: Logger;
  readonly #ends: TurnBatch<EndedAttempt, Finished>;
  readonly #attempts: Counter<'outcome'>;
  readonly #durations: ReturnType<Metrics['histogram']>;
  /** Attempts that are not waited for any more, because they take long. */
  readonly #late = new Set<Promise<void>>();

  constructor(
    database: Database,
    http: OutboundHttp,
    bodies: BodyOfAttempt,
    box: SecretBox,
    scheduler: DeliveryScheduler,
    starter: DeliveryStarter,
    speeds: EndpointSpeeds,
    autoDisable: AutoDisable,
    config: WebhookConfig,
    metrics: Metrics,
    logger: Logger,
  ) {
    this.#database = database;
    this.#http = http;
    this.#bodies = bodies;
    this.#box = box;
    this.#scheduler = scheduler;
    this.#starter = starter;
    this.#speeds = speeds;
    this.#autoDisable = autoDisable;
    this.#config = config;
    this.#logger = logger;
    const circuit = { failures: config.circuitFailures, coolDownMs: config.circuitCoolDownMs };
    this.#ends = new TurnBatch((ended) => finish(database, ended, circuit), STATEMENTS_AT_ONCE);
    this.#attempts = metrics.counter('webhook_attempts_total', 'POSTs to receivers, by outcome', ['outcome']);
    this.#durations = metrics.histogram('webhook_attempt_duration_seconds', 'How long receivers take to answer');
  }

  /**
   * Makes the next attempt, if the delivery is due and has its turn. Whatever the endpoint does is an
   * outcome.
   * @throws a passing fault of our own (Postgres is away), which uses up none of the delivery's retries
   */
  async attempt(deliveryPid: string): Promise<DeliveryState> {
    const begun = (await begin(this.#database, deliveryPid)) ?? (await this.#takeTurn(deliveryPid));
    if (!('body' in begun)) return begun;
    return this.carryOut(begun);
  }

  /**
   * As `attempt`, where the endpoint has been quick so far: the workflow task that asks waits for it, which
   * saves a task. When it takes longer this time, it is no longer waited for, and the workflow hears of its
   * end by a signal.
   * @returns null when `attempt` has to be asked
   */
  async attemptQuickly(deliveryPid: string, subscriptionPid: string): Promise<DeliveryState | null> {
    const leave = this.#speeds.takePlace(subscriptionPid);
    if (!leave) return null;
    try {
      const begun = await begin(this.#database, deliveryPid);
      if (!begun) return null;
      const attempt = this.carryOut(begun);
      const inTime = new AbortController();
      const late = sleep(QUICK_MS, null, { signal: inTime.signal }).catch(() => null);
      const state = await Promise.race([attempt, late]);
      inTime.abort();
      if (state) return state;
      this.leave(begun, attempt, () => this.#starter.wake(deliveryPid));
      return stateOf(begun.status, begun.timeoutMs + LEASE_MS);
    } finally {
      leave();
    }
  }

  /** Resolves when no attempt is under way in the background. */
  async idle(): Promise<void> {
    await Promise.all(this.#late);
  }

  /** Lets an attempt go on without being waited for. @param then what its end asks for */
  leave(
    { pid: deliveryPid, traceId }: StartedAttempt,
    attempt: Promise<DeliveryState>,
    then: (state: DeliveryState) => Promise<void>,
  ): void {
    const done: Promise<void> = attempt
      .then(then)
      // Its slot runs out, and its workflow or a sweep looks by itself.
      .catch((error: unknown) =>
        this.#logger.warn({ err: error, deliveryPid, traceId }, 'a late attempt is left to the next look'),
      )
      .finally(() => this.#late.delete(done));
    this.#late.add(done);
  }

  /** Makes an attempt that has begun, and writes down what came of it. @throws a transient fault */
  carryOut(begun: StartedAttempt): Promise<DeliveryState> {
    return withTrace(begun.traceId, () => this.#carryOut(begun)).finally(() => this.#starter.release(begun.pid));
  }

  /**
   * For a delivery without a slot: what its row says now, or the attempt after all when there is a free slot.
   */
  async #takeTurn(deliveryPid: string): Promise<DeliveryState | StartedAttempt> {
    const standing = await reconcile(this.#database, deliveryPid);
    // Forgotten by retention, or by an operator's hand.
    if (!standing) return stateOf('CANCELLED');
    if (isOver(standing.status)) return stateOf(standing.status);
    if (!standing.isDue && !standing.hasSlot) return stateOf(standing.status, standing.dueInMs);
    const granted = await this.#scheduler.dispatch([standing.subscriptionPid], deliveryPid);
    const begun = granted.has(deliveryPid) ? await begin(this.#database, deliveryPid) : null;
    return begun ?? stateOf(standing.status, LOOK_EVERY_MS);
  }

  async #carryOut(begun: StartedAttempt): Promise<DeliveryState> {
    const end = begun.lost >= MAX_STARTS ? ENDLESS : await this.#attempt(begun);
    const { status, waiting } = await this.#write(begun, end);
    const { pid: deliveryPid, subscriptionPid, attemptCount: attempt } = begun;
    const { statusCode, errorClass, durationMs } = end;
    this.#attempts.inc({ outcome: errorClass ?? 'success' });
    this.#durations.observe(durationMs / 1_000);
    this.#speeds.observe(subscriptionPid, durationMs);
    this.#logger.info(
      { deliveryPid, subscriptionPid, attempt, status, statusCode, errorClass, durationMs },
      'webhook attempt',
    );
    if (status === 'FAILED') await this.#autoDisable.consider(begun);
    // Others wait for the slot.
    if (waiting) this.#scheduler.soon(subscriptionPid);
    // Null: it was cancelled or resent meanwhile; the next look tells.
    return status ? stateOf(status, end.delayMs ?? 0) : stateOf('RETRYING', 0);
  }

  async #attempt(begun: StartedAttempt): Promise<AttemptEnd> {
    // Begun without an end would count against a delivery that has ended no worker.
    const body = await this.#bodies.of(begun).catch(async (error: unknown) => {
      await takeBack(this.#database, begun);
      throw error;
    });
    return body === null ? UNREADABLE : endOf(begun, await this.#send(begun, body), this.#config.retryScheduleMs);
  }

  async #send(begun: StartedAttempt, body: string): Promise<OutboundOutcome> {
    const { subscriptionPid: pid, eventType, eventPid } = begun;
    const now = new Date();
    let headers: Record<string, string>;
    try {
      const secrets = liveSecrets(this.#box, { pid, secrets: begun.secrets }, now);
      const extra = openHeaders(this.#box, { pid, headers: begun.headers });
      headers = deliveryHeaders({ ...traceHeaders(), eventType, eventPid, body, now, secrets, extra });
    } catch (error) {
      // SECRETS_KEY was exchanged. Unsigned it must not go out; the subscription needs its secret set again.
      this.#logger.error({ err: error, subscriptionPid: pid }, 'a webhook cannot be signed');
      const message = "the subscription's secret cannot be read any more; set it again";
      return { kind: 'error', errorClass: 'blocked', message, ip: null, durationMs: 0 };
    }
    return this.#http.send({ url: begun.targetUrl, method: 'POST', headers, body, timeoutMs: begun.timeoutMs });
  }

  async #write(attempt: StartedAttempt, end: AttemptEnd): Promise<Finished> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#ends.do({ attempt, end });
      } catch (error) {
        // What Postgres will not store of a response must not make the attempt undone.
        if (!isTransient(error)) return this.#ends.do({ attempt, end: { ...end, responseBody: null } });
        if (tries === WRITE_TRIES) throw error;
        await sleep(WRITE_DELAY_MS * tries);
      }
    }
  }
}

function stateOf(status: DeliveryStatus, waitMs = 0): DeliveryState {
  // A timer of 0 ms would be none at all.
  return { status, ended: isOver(status), waitMs: Math.max(1, Math.ceil(waitMs)) };
}

function isOver(status: DeliveryStatus): boolean {
  return status !== 'PENDING' && status !== 'RETRYING';
}
