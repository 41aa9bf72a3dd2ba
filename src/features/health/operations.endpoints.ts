import {
  described,
  integer,
  list,
  mapOf,
  named,
  nullable,
  NUMBER,
  object,
  text,
  TIME,
} from '../../foundation/validation/schema.ts';
import type { Metrics } from '../../foundation/metrics/metrics.ts';
import { endpoint, type Endpoint } from '../../platform/auth/requests/endpoint.ts';
import type { HealthChecks } from '../../platform/health/health-checks.ts';
import { ADMIN_OPERATIONS } from '../../platform/metadata/permissions/permission-codes.ts';
import { HEALTH } from './health.schema.ts';
import type { NodeBeats } from './node-beats.ts';

/** What is measured of all nodes together, whenever it is asked for. */
const GAUGES = [
  'webhook_deliveries',
  'webhook_circuits_open',
  'table_builds',
  'events_postponed',
  'command_lane_waiting',
  'database_connections',
] as const;

const MINUTE = object({
  at: described('When it was over', TIME),
  requests: integer(0),
  errors: described('Answered with a 5xx', integer(0)),
  p95Ms: described('Within which 95 of 100 were answered, rounded up to a bucket of the metric', nullable(NUMBER)),
  commands: integer(0),
  webhookAttempts: integer(0),
});
const NODE = named(
  'OperationsNode',
  object({
    host: text(),
    pid: integer(),
    version: text(),
    commit: nullable(text()),
    roles: list(text()),
    startedAt: TIME,
    seenAt: TIME,
    minutes: described('Its last hour, the newest last', list(MINUTE)),
  }),
);

/** How the service is, for those who run it. */
export function operationsEndpoint(checks: HealthChecks, beats: NodeBeats, metrics: Metrics): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/admin/operations',
    access: [ADMIN_OPERATIONS],
    tag: 'Health',
    summary: 'How the service is: its parts, its nodes with their last hour, its queues',
    data: object({
      health: HEALTH,
      nodes: described('Empty while Redis is away', list(NODE)),
      gauges: list(object({ name: text(), labels: mapOf(text()), value: NUMBER })),
    }),
    async handle() {
      const [health, nodes, gauges] = await Promise.all([
        checks.health(),
        beats.nodes().catch(() => []),
        Promise.all(GAUGES.map((name) => gaugesOf(metrics, name))),
      ]);
      return { health, nodes, gauges: gauges.flat() };
    },
  });
}

/** What cannot be measured now is left out: the health says why. */
async function gaugesOf(metrics: Metrics, name: string) {
  const values = await metrics.read(name).catch(() => []);
  return values.map(({ labels, value }) => ({ name, labels, value }));
}
