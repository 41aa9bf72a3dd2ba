import type { Contract } from '../http/contract.ts';
import { integer, list, MAP, mapOf, named, object, oneOf, text } from '../http/schema.ts';

const tag = 'Health';
/** On the port of the API, where `MANAGEMENT_PORT` has it. */
const errors = ['NOT_FOUND'] as const;

const STATUS = oneOf(['UP', 'DOWN']);
const HEALTH = named(
  'Health',
  object({ status: STATUS, components: mapOf(object({ status: STATUS }, { details: MAP })) }),
);
/** The envelope, and beside it what monitoring tools look for. */
const REPORT = named(
  'HealthReport',
  object({
    ...{ code: text(), message: text(), data: HEALTH },
    ...HEALTH.properties,
  }),
);
const report = (summary: string): Contract => ({
  ...{ tag, summary, budget: 'none', errors, data: HEALTH, whole: { 200: REPORT, 503: REPORT } },
});

export const alive: Contract = {
  tag,
  summary: 'Whether the API answers',
  budget: 'none',
  data: object({ status: STATUS }),
};
export const health = report('Everything the service depends on; details need `admin:operations`');
export const liveness = report('Whether the process answers');
export const readiness = report('Whether this node can serve requests');
export const info: Contract = {
  ...{ tag, summary: 'Which program this is; more of it with `admin:operations`', budget: 'none', errors },
  data: object(
    { name: text(), version: text(), commit: { type: ['string', 'null'] }, uptimeSeconds: integer(0) },
    { node: text(), host: text(), pid: integer(), roles: list(text()), environment: text() },
  ),
};
export const prometheus: Contract = {
  ...{ tag, summary: 'Metrics; public on a management port', budget: 'none', errors, data: {} },
  media: { type: 'text/plain', description: "Prometheus' text format" },
};
