import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';

export type Operations = Api['GET /api/admin/operations']['data'];
export type OperationsNode = Operations['nodes'][number];
export type Minute = OperationsNode['minutes'][number];
export type Component = Operations['health']['components'][string];

const LOOK_EVERY_MS = 15_000;

export const operationsQuery = queryOptions({
  queryKey: ['operations'],
  queryFn: ({ signal }) => ask('GET /api/admin/operations', { signal }),
  refetchInterval: LOOK_EVERY_MS,
});

/** The sum of a gauge, over the labels that are named. */
export function gaugeOf({ gauges }: Operations, name: string, labels: Readonly<Record<string, string>> = {}): number {
  return gauges
    .filter((one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

/** The minutes of all nodes together: sums, and the slowest 95th percentile. */
export function minutesOf(nodes: readonly OperationsNode[]): Minute[] {
  const byTime = Map.groupBy(
    nodes.flatMap(({ minutes }) => minutes),
    ({ at }) => at,
  );
  return [...byTime]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([at, all]) => {
      const sum = (key: 'requests' | 'errors' | 'commands' | 'webhookAttempts') =>
        all.reduce((total, minute) => total + minute[key], 0);
      const slowest = all.flatMap(({ p95Ms }) => (p95Ms === null ? [] : [p95Ms]));
      return {
        at,
        requests: sum('requests'),
        errors: sum('errors'),
        commands: sum('commands'),
        webhookAttempts: sum('webhookAttempts'),
        p95Ms: slowest.length === 0 ? null : Math.max(...slowest),
      };
    });
}
