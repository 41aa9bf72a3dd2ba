import { MINUTE_MS } from '../../foundation/durations.ts';
import type { MetricValue, Metrics } from '../../foundation/metrics/metrics.ts';
import { MINUTES_KEPT } from './health.limits.ts';

/** What a node has done in a minute. */
export interface NodeMinute {
  readonly at: string;
  readonly requests: number;
  /** Of these, how many it has failed (5xx). */
  readonly errors: number;
  /** Within which 95 of 100 requests were answered; null without requests. */
  readonly p95Ms: number | null;
  readonly commands: number;
  readonly webhookAttempts: number;
}

/** Sums since the node has started. */
interface Totals {
  readonly requests: number;
  readonly errors: number;
  readonly commands: number;
  readonly webhookAttempts: number;
  /** Requests by the upper limit of their duration, in seconds; each has those below it, too. */
  readonly withinSeconds: ReadonlyMap<number, number>;
}

const REQUESTS = 'http_request_duration_seconds';

/** The last hour of a node, minute by minute, from its own metrics. */
export class NodeMinutes {
  readonly #metrics: Metrics;
  readonly #minutes: NodeMinute[] = [];
  #before: Totals | null = null;
  #minute = -1;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** Ends the minute if it is over. @returns those that are over, the newest last */
  async look(now: Date): Promise<readonly NodeMinute[]> {
    const minute = Math.floor(now.getTime() / MINUTE_MS);
    if (minute === this.#minute) return this.#minutes;
    this.#minute = minute;
    const totals = await this.#totals();
    if (this.#before) this.#minutes.push(minuteOf(this.#before, totals, new Date(minute * MINUTE_MS)));
    if (this.#minutes.length > MINUTES_KEPT) this.#minutes.shift();
    this.#before = totals;
    return this.#minutes;
  }

  async #totals(): Promise<Totals> {
    const [requests, commands, attempts] = await Promise.all([
      this.#metrics.read(REQUESTS),
      this.#metrics.read('command_executions_total'),
      this.#metrics.read('webhook_attempts_total'),
    ]);
    const counts = requests.filter(({ part }) => part === 'count');
    const withinSeconds = new Map<number, number>();
    for (const { labels, value } of requests) {
      const limit = Number(labels.le);
      if (Number.isFinite(limit)) withinSeconds.set(limit, (withinSeconds.get(limit) ?? 0) + value);
    }
    return {
      requests: sumOf(counts),
      errors: sumOf(counts.filter(({ labels }) => labels.status?.startsWith('5'))),
      commands: sumOf(commands),
      webhookAttempts: sumOf(attempts),
      withinSeconds,
    };
  }
}

function minuteOf(before: Totals, after: Totals, at: Date): NodeMinute {
  const requests = after.requests - before.requests;
  const limit = [...after.withinSeconds.keys()]
    .toSorted((one, other) => one - other)
    .find((each) => (after.withinSeconds.get(each) ?? 0) - (before.withinSeconds.get(each) ?? 0) >= requests * 0.95);
  return {
    at: at.toISOString(),
    requests,
    errors: after.errors - before.errors,
    p95Ms: requests === 0 ? null : (limit ?? Math.max(...after.withinSeconds.keys())) * 1_000,
    commands: after.commands - before.commands,
    webhookAttempts: after.webhookAttempts - before.webhookAttempts,
  };
}

function sumOf(values: readonly MetricValue[]): number {
  return values.reduce((sum, { value }) => sum + value, 0);
}
