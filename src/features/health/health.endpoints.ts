import { named, object, text, nullable, integer, list, ANYTHING } from '../../foundation/validation/schema.ts';
import type { Config } from '../../foundation/config/config.ts';
import { type HealthChecks, type Health, withoutDetails } from '../../platform/health/health-checks.ts';
import type { Metrics } from '../../foundation/metrics/metrics.ts';
import type { Authenticator } from '../../platform/auth/requests/authenticator.ts';
import { endpoint, PUBLIC, type Endpoint } from '../../platform/auth/requests/endpoint.ts';
import type { HttpRequest } from '../../foundation/http/route.ts';
import { ADMIN_OPERATIONS } from '../../platform/metadata/permissions/permission-codes.ts';
import { HEALTH, STATUS } from './health.schema.ts';
import { customReply, type CustomReply, sendJson } from '../../foundation/http/reply.ts';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Which program this is, and for how long it has been running. */
export function publicInfo({ buildCommit }: Config) {
  return { name: 'keelson', version, commit: buildCommit, uptimeSeconds: Math.floor(process.uptime()) };
}

/** What operators see beside that: it would help others to choose their attack. */
function nodeInfo({ roles, environment }: Config) {
  return { node: process.version, host: hostname(), pid: process.pid, roles: [...roles], environment };
}

const tag = 'Health';
/** On the port of the API, where `MANAGEMENT_PORT` has it. */
const errors = ['NOT_FOUND'] as const;

/** The envelope, and beside it what monitoring tools look for. */
const REPORT = named(
  'HealthReport',
  object({
    code: text(),
    message: text(),
    data: HEALTH,
    ...HEALTH.properties,
  }),
);

/**
 * Whether this node has been told to stop: it answers what still comes, but load balancers must look
 * elsewhere.
 */
interface Drain {
  readonly draining: boolean;
}

interface Actuator {
  readonly config: Config;
  readonly checks: HealthChecks;
  readonly drain: Drain;
  readonly metrics: Metrics;
  readonly authenticator: Authenticator;
}

interface HealthEndpoint {
  readonly path: string;
  readonly summary: string;
  readonly health: () => Health | Promise<Health>;
}

/** Spec: "Endpoints", `/api/health`. Public. */
export const aliveEndpoint = endpoint({
  method: 'GET',
  path: '/api/health',
  access: PUBLIC,
  tag,
  summary: 'Whether the API answers',
  data: object({ status: STATUS }),
  handle: () => ({ status: 'UP' }),
});

/**
 * Spec: "Endpoints", `/actuator`. Whether something is UP is public. Details and metrics need
 * `admin:operations`; on a management port metrics need no token, because scrapers cannot renew one and only
 * operators reach that port.
 */
export function actuatorEndpoints(services: Actuator): readonly Endpoint[] {
  return [...healthEndpoints(services), ...operationEndpoints(services)];
}

function healthEndpoints({ checks, drain, authenticator }: Actuator): readonly Endpoint[] {
  const healthEndpoint = ({ path, summary, health }: HealthEndpoint) =>
    endpoint({
      method: 'GET',
      path,
      access: PUBLIC,
      tag,
      summary,
      data: HEALTH,
      errors,
      whole: { 200: REPORT, 503: REPORT },
      async handle({ request }) {
        const found = await health();
        return healthReply((await isOperator(authenticator, request)) ? found : withoutDetails(found));
      },
    });
  return [
    healthEndpoint({
      path: '/actuator/health',
      summary: 'Everything the service depends on; details need `admin:operations`',
      health: () => checks.health(),
    }),
    healthEndpoint({
      path: '/actuator/health/system',
      summary: 'What all nodes share: database, Redis, Temporal, the outbox',
      health: () => checks.health('system'),
    }),
    healthEndpoint({
      path: '/actuator/health/node',
      summary: 'What this node alone has: its metadata cache, its disk',
      health: () => checks.health('node'),
    }),
    // Asks nothing outside: a restart would not bring a lost database back. A node whose event loop is stuck
    // does not answer.
    healthEndpoint({
      path: '/actuator/health/liveness',
      summary: 'Whether the process answers',
      health: () => ({
        status: 'UP',
        components: {},
      }),
    }),
    healthEndpoint({
      path: '/actuator/health/readiness',
      summary: 'Whether this node can serve requests',
      health: async () => {
        const health = await checks.readiness();
        return drain.draining ? { ...health, status: 'DOWN' } : health;
      },
    }),
  ];
}

function operationEndpoints({ config, metrics, authenticator }: Actuator): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/actuator/info',
      access: PUBLIC,
      tag,
      summary: 'Which program this is; more of it with `admin:operations`',
      data: object(
        { name: text(), version: text(), commit: nullable(text()), uptimeSeconds: integer(0) },
        { node: text(), host: text(), pid: integer(), roles: list(text()), environment: text() },
      ),
      errors,
      handle: async ({ request }) => ({
        ...publicInfo(config),
        ...((await isOperator(authenticator, request)) && nodeInfo(config)),
      }),
    }),
    endpoint({
      method: 'GET',
      path: '/actuator/prometheus',
      access: config.managementPort === null ? [ADMIN_OPERATIONS] : PUBLIC,
      tag,
      summary: 'Metrics; public on a management port',
      budget: 'none',
      data: ANYTHING,
      media: { type: 'text/plain', description: "Prometheus' text format" },
      errors,
      async handle() {
        const { contentType, text: rendered } = await metrics.render();
        return customReply((response) => response.set('Content-Type', contentType).end(rendered));
      },
    }),
  ];
}

/** False also while no token can be checked: health has to be answered then. */
async function isOperator(authenticator: Authenticator, request: HttpRequest): Promise<boolean> {
  if (request.headers.authorization === undefined) return false;
  return authenticator.authenticate(request, undefined, null).then(
    ({ actor }) => actor.permissions.has(ADMIN_OPERATIONS),
    () => false,
  );
}

/**
 * The envelope, and beside it `status` and `components` where monitoring tools look for them. DOWN is a 503.
 */
function healthReply(health: Health): CustomReply {
  const up = health.status === 'UP';
  const envelope = { code: up ? '0' : 'SERVICE_UNAVAILABLE', message: health.status, data: health };
  return customReply((response) => sendJson(response, up ? 200 : 503, { ...envelope, ...health }));
}
