import { oneOf, named, object, PID, text, nullable, MAP, ANYTHING, TIME } from '../../foundation/validation/schema.ts';
import { EXECUTION_STATUSES } from './execution.entity.ts';
import { ERROR_CATALOGUE } from '../../foundation/errors/catalogue.ts';
import { type CommandsService, type CommandOutcome } from './commands.service.ts';
import { type PlatformCommands } from './platform-command.ts';
import { type Streams } from '../../platform/streams/streams.ts';
import { type ExecutionStreams, executionState } from './execution-stream.ts';
import { type Endpoint, endpoint, SIGNED_IN } from '../../platform/auth/requests/endpoint.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { authorise, type Actor } from '../../platform/auth/requests/actor.ts';
import { IDEMPOTENCY_KEY, COMMAND_BODY, parsePlatformRequest, parseCommandRequest } from './command-request.ts';
import { asPreconditionFailed, requireVersion, withIfMatch } from './record-precondition.ts';
import { currentTraceId, newTraceId } from '../../foundation/logging/trace.ts';
import { streamEndpoint } from '../../platform/streams/stream-endpoint.ts';
import { streamKey } from '../../platform/streams/stream-key.ts';
import { type Reply, reply } from '../../foundation/http/reply.ts';
import { COMMAND } from './command-type.ts';
import { MAX_PREFERRED_WAIT_MS } from './commands.limits.ts';

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

/** Spec: "Endpoints", command execution; ours: reading and watching an execution. */
export function commandEndpoints(
  commands: CommandsService,
  platformCommands: PlatformCommands,
  streams: Streams,
  executionStreams: ExecutionStreams,
): readonly Endpoint[] {
  return [...executeEndpoints(commands, platformCommands), ...executionEndpoints(commands, streams, executionStreams)];
}

function executeEndpoints(commands: CommandsService, platformCommands: PlatformCommands): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/meta/commands/execute/:commandCode',
      // Commands of the platform name their own: `meta:save` needs `admin:metadata`.
      access: [permissionCode.commandExecute('{commandCode}')],
      authorize({ actor, params: { commandCode } }) {
        const platform = platformCommands.get(commandCode);
        if (typeof platform?.permission !== 'function') {
          authorise(actor, platform?.permission ?? permissionCode.commandExecute(commandCode));
        }
        return platform;
      },
      tag,
      summary: 'Execute a command',
      description:
        'The record for a create or an update, `{pid}` for a delete, else what the command answers; with a key that was used before, the first answer, with the code `IDEMPOTENT_REPLAY`. Commands of the platform are `meta:save` and `meta:delete` (`admin:metadata`), `record:restore` and `record:purge` (`record:restore:<model>`, `record:purge:<model>`).',
      headers: {
        'X-Idempotent-Key': IDEMPOTENCY_KEY,
        'If-Match': text({ description: 'The ETag of the detail that a change starts from: a stale one is 412' }),
        Prefer: text({ description: '`respond-async`, or `respond-async, wait=<seconds>`' }),
      },
      body: COMMAND_BODY,
      // What a body must hold depends on the command.
      bodyMode: 'unvalidated',
      budget: 'commands',
      data: ANYTHING,
      successCodes: ['IDEMPOTENT_REPLAY'],
      accepted: object({ executionPid: PID, status: STATUS }),
      errors: ['EXPRESSION_LIMIT', 'CONFLICT', 'ENVIRONMENT_LOCKED', 'PRECONDITION_FAILED', 'PRECONDITION_REQUIRED'],
      async handle({ actor, granted: platform, params: { commandCode }, body, request }) {
        const key = request.get('X-Idempotent-Key');
        const ifMatch = request.get('If-Match');
        const { command, asked } = platform
          ? {
              command: { code: commandCode, execution: 'workflow' as const },
              asked: parsePlatformRequest(platform, body, key),
            }
          : definedCommand(actor, commandCode, withIfMatch(ifMatch, body), key);
        if (typeof platform?.permission === 'function') authorise(actor, platform.permission(asked.payload));
        const waitMs = preferredWaitMs(request.get('Prefer'));
        const traceId = currentTraceId() ?? newTraceId();
        const outcome = await commands.execute(actor, command, asked, traceId, waitMs).catch((error: unknown) => {
          throw ifMatch === undefined ? error : asPreconditionFailed(error);
        });
        return present(outcome, waitMs !== undefined);
      },
    }),
  ];
}

function executionEndpoints(
  commands: CommandsService,
  streams: Streams,
  executionStreams: ExecutionStreams,
): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/meta/commands/executions/:pid',
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
      path: '/api/meta/commands/executions/:pid/stream',
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

function definedCommand(actor: Actor, code: string, body: Readonly<Record<string, unknown>>, key: string | undefined) {
  const command = actor.metadata.get(COMMAND, code);
  const model = actor.metadata.model(command.modelCode);
  const asked = parseCommandRequest(command, model, actor.permissions, body, key);
  requireVersion(model, asked);
  return { command: { ...command, code }, asked };
}

/**
 * How long the caller wants to wait (RFC 7240): `respond-async` not at all, with `wait=<seconds>` so long;
 * undefined without the preference. A wait that cannot be read is none.
 */
function preferredWaitMs(prefer: string | undefined): number | undefined {
  const preferences = (prefer ?? '').split(',').map((one) => one.trim().toLowerCase());
  if (!preferences.includes('respond-async')) return undefined;
  const seconds = preferences.map((one) => /^wait=(\d{1,3})$/.exec(one)?.[1]).find((one) => one !== undefined);
  return Math.min(Number(seconds ?? 0) * 1000, MAX_PREFERRED_WAIT_MS);
}

function present(outcome: CommandOutcome, isAsyncPreferred: boolean): Reply {
  const { executionPid } = outcome;
  const headers: Record<string, string> = { 'X-Execution-Pid': executionPid };
  if (outcome.kind === 'accepted') {
    if (isAsyncPreferred) headers['Preference-Applied'] = 'respond-async';
    headers.Location = `/api/meta/commands/executions/${executionPid}`;
    return reply({ executionPid, status: outcome.status }, { status: 202, message: 'accepted', headers });
  }
  if (!outcome.replay) return reply(outcome.result, { headers, verbatim: true });
  if (outcome.replay.mismatch) headers['X-Idempotency-Mismatch'] = 'true';
  return reply(outcome.result, {
    code: 'IDEMPOTENT_REPLAY',
    message: 'the original result',
    headers,
    verbatim: true,
  });
}
