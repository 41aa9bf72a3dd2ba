import { PID_PATTERN } from '../../foundation/database/pid.ts';
import { ANYTHING, list, nullable, object, text, withMessage } from '../../foundation/validation/schema.ts';
import { PAGING_QUERY } from '../../foundation/http/paging.ts';
import { parameters } from '../../foundation/http/read-request.ts';
import { dateOf, ISO_DATETIME, storable } from '../../foundation/validation/formats.ts';
import { type Endpoint, endpoint, SIGNED_IN } from '../../platform/auth/requests/endpoint.ts';
import { streamEndpoint } from '../../platform/streams/stream-endpoint.ts';
import { streamKey } from '../../platform/streams/stream-key.ts';
import { type Streams } from '../../platform/streams/streams.ts';
import { type Batches } from './batches/batches.ts';
import { ACCEPTED, authoriseCommand, executeAndAnswer } from './command-answer.ts';
import { type CommandsService } from './commands.service.ts';
import { EXECUTION, EXECUTION_DETAILS, EXECUTION_STATUS, LISTED } from './executions/execution.schema.ts';
import { type ExecutionStreams, executionState } from './executions/execution-stream.ts';
import { type Executions } from './executions/executions.ts';
import { type Lineages } from './lineage/lineage.ts';
import { type PlatformCommands } from './platform-command.ts';
import { presentListed } from './executions/present-execution.ts';

const tag = 'Commands';
const EXECUTIONS = '/api/meta/commands/executions';

/** Status, result and stream of executions. */
export function executionEndpoints(
  commands: CommandsService,
  executions: Executions,
  lineages: Lineages,
  platformCommands: PlatformCommands,
  streams: Streams,
  executionStreams: ExecutionStreams,
  batches: Batches,
): readonly Endpoint[] {
  return [
    ...listEndpoints(executions),
    ...stateEndpoints(commands, lineages, batches, streams, executionStreams),
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
        status: EXECUTION_STATUS,
        recordPid: withMessage('must be the pid of a record', text({ pattern: PID_PATTERN })),
        userPid: text({ pattern: PID_PATTERN, description: 'Of another user: needs `execution:read`' }),
        batchPid: text({ pattern: PID_PATTERN, description: 'Of one batch' }),
        since: ISO_DATETIME,
        until: ISO_DATETIME,
        pageSize: PAGING_QUERY.pageSize,
        cursor: text({ pattern: PID_PATTERN, description: '`nextCursor` of the list before' }),
      }),
      data: object({ records: list(object(LISTED)), nextCursor: nullable(text()) }),
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
  lineages: Lineages,
  batches: Batches,
  streams: Streams,
  executionStreams: ExecutionStreams,
): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${EXECUTIONS}/:pid`,
      access: SIGNED_IN,
      tag,
      summary: "How one of the caller's executions stands, what it has changed and which events it has made",
      data: EXECUTION_DETAILS,
      async handle({ actor, params }) {
        const execution = await commands.find(actor, params.pid);
        const result = await batches.resultOf(execution);
        const { traceId } = execution;
        return { ...executionState(execution), result, traceId, ...(await lineages.effectsOf(actor, execution)) };
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
