import { requestUnderPresentCodes } from './request/earlier-request.ts';
import { COMMAND } from './definition/command-type.ts';
import { PID_PATTERN } from '../../foundation/database/pid.ts';
import { ANYTHING, list, nullable, object, text, withMessage, parameters } from '../../foundation/validation/schema.ts';
import { PAGING_QUERY } from '../../foundation/http/paging.ts';
import { dateOf, ISO_DATETIME, storable } from '../../foundation/validation/formats.ts';
import { type Endpoint, endpoint, SIGNED_IN } from '../../platform/auth/requests/endpoint.ts';
import { streamEndpoint } from '../../platform/streams/stream-endpoint.ts';
import { streamKey } from '../../platform/streams/stream-entry.ts';
import type { Streams } from '../../platform/streams/streams.ts';
import { ACCEPTED, authorizeCommand, executeAndAnswer } from './intake/command-answer.ts';
import type { CommandsService } from './intake/commands.service.ts';
import { EXECUTION, EXECUTION_STATUS, LISTED } from './executions/execution.schema.ts';
import { type ExecutionStreams, executionState, presentListed } from './executions/execution-stream.ts';
import type { Executions } from './executions/executions.ts';
import type { PlatformCommands } from './request/platform-command.ts';

const tag = 'Commands';
const EXECUTIONS = '/api/meta/commands/executions';

/** Status, result and stream of executions. */
export function executionEndpoints(
  commands: CommandsService,
  executions: Executions,
  platformCommands: PlatformCommands,
  streams: Streams,
  executionStreams: ExecutionStreams,
): readonly Endpoint[] {
  return [
    ...listEndpoints(executions),
    ...streamEndpoints(commands, streams, executionStreams),
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

function streamEndpoints(
  commands: CommandsService,
  streams: Streams,
  executionStreams: ExecutionStreams,
): readonly Endpoint[] {
  return [
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
        const platform = authorizeCommand(actor, platformCommands, code);
        const command = actor.metadata.find(COMMAND, code);
        const earlier = command ? requestUnderPresentCodes(command, execution, actor.metadata) : execution;
        const body = executions.requestToRepeat(earlier, platform !== undefined);
        return executeAndAnswer(commands, actor, { code, platform, body }, request);
      },
    }),
  ];
}
