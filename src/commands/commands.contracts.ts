import { ERROR_CATALOGUE } from '../errors/catalogue.ts';
import type { Contract } from '../http/contract.ts';
import { ANYTHING, MAP, named, nullable, object, oneOf, PID, text, TIME } from '../http/schema.ts';
import { STREAM } from '../streams/stream-contract.ts';
import { COMMAND_BODY, IDEMPOTENCY_KEY } from './command-request.ts';
import { EXECUTION_STATUSES } from './execution.entity.ts';

const tag = 'Commands';

const STATUS = oneOf(EXECUTION_STATUSES);
const EXECUTION = named(
  'Execution',
  object({
    pid: PID,
    commandCode: text(),
    status: STATUS,
    error: nullable(object({ code: oneOf(Object.keys(ERROR_CATALOGUE)), message: text(), data: nullable(MAP) })),
    result: ANYTHING,
    startedAt: TIME,
    finishedAt: nullable(TIME),
    workflowId: text(),
  }),
);

export const execute: Contract = {
  tag,
  summary: 'Execute a command',
  description:
    'The record for a create or an update, `{pid}` for a delete, else what the command answers; with a key that was used before, the first answer, with the code `IDEMPOTENT_REPLAY`. Commands of the platform (`meta:save`, `meta:delete`) need `admin:metadata`.',
  path: { commandCode: text() },
  headers: {
    'X-Idempotent-Key': IDEMPOTENCY_KEY,
    Prefer: text({ description: '`respond-async`, or `respond-async, wait=<seconds>`' }),
  },
  body: COMMAND_BODY,
  data: ANYTHING,
  successCodes: ['IDEMPOTENT_REPLAY'],
  accepted: object({ executionPid: PID, status: STATUS }),
  errors: ['CONFLICT', 'ENVIRONMENT_LOCKED'],
  budget: 'commands',
};
export const getExecution: Contract = {
  ...{ tag, summary: "How one of the caller's executions stands", path: { pid: PID } },
  ...{ data: EXECUTION },
};
export const streamExecution: Contract = {
  ...{ tag, summary: 'An execution, live: events `execution`, then `end`', path: { pid: PID } },
  ...{ ...STREAM, errors: ['RATE_LIMITED'] },
};
