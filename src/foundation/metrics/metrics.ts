import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds, from a cached read to the longest command that a request waits for. */
const DURATION_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Prefix of our metrics. Node's own (`process_`, `nodejs_`) keep the names that dashboards know. */
const PREFIX = 'keelson_';

/** One value of a metric. `part`: of a histogram, whether it is the `count` or the `sum` of all. */
export interface MetricValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly part: string | null;
  readonly value: number;
}

/**
 * Prometheus registry of this process. A feature makes its metrics once, in a constructor.
 * Labels take few values: codes and outcomes, never ids or texts of callers.
 */
export class Metrics {
  readonly #registry = new Registry();

  /** Adds Node's own metrics: memory, CPU, garbage collection, event loop lag. */
  collectDefaults(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Example: `metrics.counter('webhook_attempts_total', 'POSTs to receivers', ['outcome'])`. */
  counter<L extends string>(name: string, help: string, labels: readonly L[] = []): Counter<L> {
    return new Counter({ name: PREFIX + name, help, labelNames: [...labels], registers: [this.#registry] });
  }

  /** Histogram of durations in seconds. The name ends in `_seconds`. */
  histogram<L extends string>(name: string, help: string, labels: readonly L[] = []): Histogram<L> {
    const options = { name: PREFIX + name, help, labelNames: [...labels], buckets: DURATION_BUCKETS };
    return new Histogram({ ...options, registers: [this.#registry] });
  }

  /** Histogram of counts of things: rows of a batch, members of a group. */
  sizes(name: string, help: string): Histogram {
    return new Histogram({ name: PREFIX + name, help, buckets: SIZE_BUCKETS, registers: [this.#registry] });
  }

  /** @param measure sets the gauge on each scrape: `(gauge) => gauge.set({ state }, 3)` */
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

  /** What a metric of ours has now; nothing for one that was not made. */
  async read(name: string): Promise<MetricValue[]> {
    const metric = this.#registry.getSingleMetric(PREFIX + name);
    if (!metric) return [];
    const { values } = await metric.get();
    return values.map((one) => {
      const { metricName = '' } = one as { readonly metricName?: string };
      const labels = Object.entries(one.labels).map(([label, value]) => [label, String(value)]);
      const part = /_(count|sum)$/.exec(metricName)?.[1] ?? null;
      return { labels: Object.fromEntries(labels) as Record<string, string>, part, value: one.value };
    });
  }

  /** Renders all metrics in Prometheus' text format. */
  async render(): Promise<{ readonly contentType: string; readonly text: string }> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }
}

export type { Counter, Histogram } from 'prom-client';
