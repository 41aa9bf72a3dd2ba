import {
  BOOLEAN,
  described,
  integer,
  list,
  MAP,
  named,
  nullable,
  object,
  PID,
  text,
  TIME,
} from '../../foundation/validation/schema.ts';
import { type Endpoint, endpoint, SIGNED_IN } from '../../platform/auth/requests/endpoint.ts';
import { CHANGE, EXECUTION_DETAILS, LISTED } from '../commands/executions/execution.schema.ts';
import type { Batches } from '../commands/intake/batches.ts';
import type { Executions } from '../commands/executions/executions.ts';
import { executionState } from '../commands/executions/execution-stream.ts';
import { type Lineages } from './lineage.ts';

const TIMES = { createdAt: TIME, finishedAt: nullable(TIME) };
const DELIVERY = object({ pid: PID, subscriptionPid: PID, status: text(), attemptCount: integer(0), ...TIMES });
const RUN = object({
  runPid: PID,
  automationCode: text(),
  status: text(),
  ...TIMES,
  executions: described('As at the top', list(MAP)),
  events: described('Those that its steps have sent, as under an execution', list(MAP)),
});
const EVENT = object({ pid: PID, eventType: text(), deliveries: list(DELIVERY), runs: list(RUN) });
const TRACE = named(
  'Trace',
  object({
    traceId: text(),
    executions: list(object({ ...LISTED, changes: list(CHANGE), events: list(EVENT) })),
    events: described('Of which no shown command or run tells', list(EVENT)),
    runs: described('Which no shown event has started', list(RUN)),
    truncated: BOOLEAN,
  }),
);

/** What requests and single executions have caused. */
export function lineageEndpoints(lineages: Lineages, executions: Executions, batches: Batches): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/meta/trace/:traceId',
      access: SIGNED_IN,
      tag: 'Commands',
      summary: 'What a request has caused, as a tree',
      description:
        "The caller's executions, or those of all with `execution:read`; what the caller may not read is left out.",
      params: { traceId: text({ pattern: '^[0-9a-f]{32}$' }) },
      budget: 'lists',
      data: TRACE,
      handle: ({ actor, params }) => lineages.of(actor, params.traceId),
    }),
    endpoint({
      method: 'GET',
      path: '/api/meta/commands/executions/:pid',
      access: SIGNED_IN,
      tag: 'Commands',
      summary: 'How an execution stands, what it has changed and which events it has made',
      description:
        "One of the caller's; with `execution:read` any of the tenant, without its result and the data of its error.",
      data: EXECUTION_DETAILS,
      async handle({ actor, params }) {
        const execution = await executions.find(actor, params.pid);
        const isOwn = execution.userPid === actor.userPid;
        const { error, ...state } = executionState(execution);
        return {
          ...state,
          // Both can hold values of the record that the reader may not read.
          error: error && { ...error, data: isOwn ? error.data : null },
          result: isOwn ? await batches.resultOf(execution) : null,
          traceId: execution.traceId,
          ...(await lineages.effectsOf(actor, execution)),
        };
      },
    }),
  ];
}
