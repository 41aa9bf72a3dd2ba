import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds; from a cached read to the longest command a request waits for. */
const DURATION_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Every metric of ours starts with it; Node's own (`process_`, `nodejs_`) keep the names that dashboards know. */
const PREFIX = 'keelson_';

/**
 * What this node measures, for Prometheus: one registry per container. A feature makes its counters once, in its
 * constructor, and counts with them. A label's values must be few: codes and outcomes, never ids or texts of callers.
 */
export class Metrics {
  readonly #registry = new Registry();

  /** Node's own: memory, CPU, garbage collection, `nodejs_eventloop_lag_*_seconds`. */
  collectDefaults(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Something that only grows: `metrics.counter('webhook_attempts_total', 'POSTs to receivers', ['outcome'])`, then `.inc({ outcome })`. */
  counter<L extends string>(name: string, help: string, labels: readonly L[] = []): Counter<L> {
    return new Counter({ name: PREFIX + name, help, labelNames: [...labels], registers: [this.#registry] });
  }

  /** How long something takes: `.observe({ outcome }, seconds)`. The name ends in `_seconds`. */
  durations<L extends string>(name: string, help: string, labels: readonly L[] = []): Histogram<L> {
    const options = { name: PREFIX + name, help, labelNames: [...labels], buckets: DURATION_BUCKETS };
    return new Histogram({ ...options, registers: [this.#registry] });
  }

  /** Something that goes up and down; `measure` sets it whenever Prometheus asks: `(gauge) => gauge.set({ state }, 3)`. */
  gauge<L extends string>(
    name: string,
    help: string,
    labels: readonly L[],
    measure: (gauge: Gauge<L>) => void | Promise<void>,
  ): void {
    const gauge: Gauge<L> = new Gauge({
      name: PREFIX + name,
      help,
      labelNames: [...labels],
      registers: [this.#registry],
      collect: () => measure(gauge),
    });
  }

  /** Everything in Prometheus' text format. */
  async render(): Promise<{ readonly contentType: string; readonly text: string }> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }
}

export type { Counter } from 'prom-client';
