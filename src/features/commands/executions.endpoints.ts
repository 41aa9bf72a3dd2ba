import {
  ANYTHING,
  list,
  MAP,
  named,
  nullable,
  object,
  oneOf,
  PID,
  text,
  TIME,
  withMessage,
} from '../../foundation/validation/schema.ts';
import { ERROR_CATALOGUE } from '../../foundation/errors/catalogue.ts';
import { PAGING_QUERY } from '../../foundation/http/paging.ts';
import { parameters } from '../../foundation/http/read-request.ts';
import { dateOf, ISO_DATETIME, storable } from '../../foundation/validation/formats.ts';
import { type Endpoint, endpoint, SIGNED_IN } from '../../platform/auth/requests/endpoint.ts';
import { streamEndpoint } from '../../platform/streams/stream-endpoint.ts';
import { streamKey } from '../../platform/streams/stream-key.ts';
import { type Streams } from '../../platform/streams/streams.ts';
import { ACCEPTED, authoriseCommand, executeAndAnswer } from './command-answer.ts';
import { OPERATIONS } from './command-content.ts';
import { type CommandsService } from './commands.service.ts';
import { EXECUTION_STATUSES } from './execution.entity.ts';
import { type ExecutionStreams, executionState } from './execution-stream.ts';
import { type Executions, type ListedExecution } from './executions.ts';
import { type PlatformCommands } from './platform-command.ts';

const tag = 'Commands';
const EXECUTIONS = '/api/meta/commands/executions';
const PID_PATTERN = '^[0-9A-Za-z]{1,32}$';

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
const LISTED = object({
  pid: PID,
  commandCode: text(),
  operation: oneOf(OPERATIONS),
  status: STATUS,
  targetRecordId: nullable(PID),
  userPid: PID,
  username: text(),
  error: nullable(object({ code: oneOf(Object.keys(ERROR_CATALOGUE)), message: text() })),
  startedAt: TIME,
  finishedAt: nullable(TIME),
  workflowId: text(),
  traceId: text(),
});

/** What becomes of executions. */
export function executionEndpoints(
  commands: CommandsService,
  executions: Executions,
  platformCommands: PlatformCommands,
  streams: Streams,
  executionStreams: ExecutionStreams,
): readonly Endpoint[] {
  return [
    ...listEndpoints(executions),
    ...stateEndpoints(commands, streams, executionStreams),
    ...changeEndpoints(commands, executions, platformCommands),
  ];
}

function listEndpoints(executions: Executions): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: EXECUTIONS,
      access: SIGNED_IN,
      tag,
      summary: "The caller's executions, newest first; with `execution:read` those of the tenant",
      query: parameters({
        commandCode: storable({ maxLength: 100 }),
        status: STATUS,
        recordPid: withMessage('must be the pid of a record', text({ pattern: PID_PATTERN })),
        userPid: text({ pattern: PID_PATTERN, description: 'Of another user: needs `execution:read`' }),
        since: ISO_DATETIME,
        until: ISO_DATETIME,
        pageSize: PAGING_QUERY.pageSize,
        cursor: text({ pattern: PID_PATTERN, description: '`nextCursor` of the list before' }),
      }),
      data: object({ records: list(LISTED), nextCursor: nullable(text()) }),
      errors: ['FORBIDDEN'],
      async handle({ actor, query: { pageSize, cursor = null, since, until, ...filter } }) {
        const times = { since: dateOf(since), until: dateOf(until) };
        const { records, nextCursor } = await executions.list(actor, { ...filter, ...times }, cursor, pageSize);
        return { records: records.map(presentListed), nextCursor };
      },
    }),
  ];
}

function stateEndpoints(
  commands: CommandsService,
  streams: Streams,
  executionStreams: ExecutionStreams,
): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${EXECUTIONS}/:pid`,
      access: SIGNED_IN,
      tag,
      summary: "How one of the caller's executions stands",
      data: EXECUTION,
      async handle({ actor, params }) {
        const execution = await commands.find(actor, params.pid);
        return { ...executionState(execution), result: execution.result };
      },
    }),
    streamEndpoint(streams, {
      path: `${EXECUTIONS}/:pid/stream`,
      access: SIGNED_IN,
      tag,
      summary: 'An execution, live: events `execution`, then `end`',
      async open({ actor, params }) {
        const { pid } = await commands.find(actor, params.pid);
        return {
          key: streamKey('execution', pid),
          // An execution stays that of its caller, its tenant and its environment, which the request names.
          recheck: () => undefined,
          feed: (signal) => executionStreams.follow(pid, signal),
        };
      },
    }),
  ];
}

function changeEndpoints(
  commands: CommandsService,
  executions: Executions,
  platformCommands: PlatformCommands,
): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: `${EXECUTIONS}/:pid/cancel`,
      access: SIGNED_IN,
      tag,
      summary: "Cancel one of the caller's executions that has not begun",
      budget: 'commands',
      data: EXECUTION,
      errors: ['CONFLICT'],
      async handle({ actor, params }) {
        const execution = await executions.cancel(await commands.find(actor, params.pid));
        return { ...executionState(execution), result: execution.result };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${EXECUTIONS}/:pid/retry`,
      access: SIGNED_IN,
      tag,
      summary: "Execute the request of one of the caller's failed or cancelled executions again, as a new execution",
      budget: 'commands',
      data: ANYTHING,
      successCodes: ['IDEMPOTENT_REPLAY'],
      accepted: ACCEPTED,
      errors: ['EXPRESSION_LIMIT', 'CONFLICT', 'ENVIRONMENT_LOCKED', 'PRECONDITION_FAILED', 'PRECONDITION_REQUIRED'],
      async handle({ actor, params, request }) {
        const execution = await commands.find(actor, params.pid);
        const { commandCode: code } = execution;
        const platform = authoriseCommand(actor, platformCommands, code);
        const body = executions.requestToRepeat(execution, platform !== undefined);
        return executeAndAnswer(commands, actor, { code, platform, body }, request);
      },
    }),
  ];
}

function presentListed(execution: ListedExecution) {
  const { operation, targetRecordId, userPid, username, traceId } = execution;
  const { error, ...state } = executionState(execution);
  // The data of an error can hold values of the record; readers of the list are not its caller only.
  const told = error && { code: error.code, message: error.message };
  return { ...state, operation, targetRecordId, userPid, username, traceId, error: told };
}
