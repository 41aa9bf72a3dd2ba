import type { Histogram, Metrics } from '../../../foundation/metrics/metrics.ts';

/** What operators see of the starts of commands' workflows. */
export interface StartMetrics {
  /** Commands per workflow. */
  readonly sizes: Histogram;
  readonly starts: Histogram;
}

export function startMetrics(metrics: Metrics): StartMetrics {
  return {
    sizes: metrics.sizes('command_group_size', 'Started together: commands per workflow'),
    starts: metrics.histogram('command_start_seconds', 'Time to start a workflow of commands'),
  };
}
