import { Router } from 'express';
import { authorise, type Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { access, SIGNED_IN } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { contract } from '../http/contract.ts';
import { inLanguage, languageOf } from '../http/language.ts';
import { readJsonBody } from '../http/json-body.ts';
import { readQuery } from '../http/read-request.ts';
import { answer, ok, type Reply } from '../http/reply.ts';
import { currentTraceId, newTraceId } from '../logging/trace.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import { streamKey } from '../streams/stream-key.ts';
import type { StreamQuery } from '../streams/stream-contract.ts';
import type { Streams } from '../streams/streams.ts';
import { parseCommandRequest, parsePlatformRequest } from './command-request.ts';
import type { Answer, CommandsService } from './commands.service.ts';
import { executionState, type ExecutionStreams } from './execution-stream.ts';
import type { PlatformCommands } from './platform-command.ts';
import * as contracts from './commands.contracts.ts';

/** A `wait` of a caller that wants no longer one; proxies give up after a minute or so. */
const MAX_PREFERRED_WAIT_MS = 25_000;

/** Spec: "Endpoints", command execution; ours: reading and watching an execution. */
export function commandRoutes(
  gate: Gate,
  commands: CommandsService,
  platformCommands: PlatformCommands,
  streams: Streams,
  executionStreams: ExecutionStreams,
): Router {
  const router = Router();
  const path = '/api/meta/commands/execute/:commandCode';

  router.post(
    path,
    // Platform commands name their own: `meta:save` needs `admin:metadata`.
    access(permissionCode.commandExecute('{commandCode}')),
    contract(contracts.execute),
    answer(async (request) => {
      const { actor } = await gate.admit(request, undefined, 'commands');
      const commandCode = String(request.params.commandCode);
      const key = request.get('X-Idempotent-Key');
      const platform = platformCommands.get(commandCode);
      authorise(actor, platform?.permission ?? permissionCode.commandExecute(commandCode));
      const body = await readJsonBody(request);
      const { command, asked } = platform
        ? { command: { code: commandCode }, asked: parsePlatformRequest(platform, body, key) }
        : definedCommand(actor, commandCode, body, key);
      const traceId = currentTraceId() ?? newTraceId();
      const waitMs = preferredWaitMs(request.get('Prefer'));
      return present(await commands.execute(actor, command, asked, traceId, waitMs), waitMs !== undefined);
    }),
  );
  router.all(path, onlyMethods('POST'));

  router.get(
    '/api/meta/commands/executions/:pid',
    access(SIGNED_IN),
    contract(contracts.getExecution),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      const execution = await commands.find(actor, String(request.params.pid));
      const error = execution.error && inLanguage(execution.error, languageOf(request));
      return ok({ ...executionState(execution), error, result: execution.result });
    }),
  );
  router.all('/api/meta/commands/executions/:pid', onlyMethods('GET'));

  router.get(
    '/api/meta/commands/executions/:pid/stream',
    access(SIGNED_IN),
    contract(contracts.streamExecution),
    async (request, response) => {
      const { actor } = await gate.admit(request);
      const { lastEventId } = readQuery<StreamQuery>(request, contracts.streamExecution);
      const { pid } = await commands.find(actor, String(request.params.pid));
      await streams.serve(request, response, {
        key: streamKey('execution', pid),
        actor,
        lastEventId,
        // An execution stays that of its caller, its tenant and its environment, which the request names.
        recheck: () => undefined,
        feed: (signal) => executionStreams.follow(pid, signal),
      });
    },
  );
  router.all('/api/meta/commands/executions/:pid/stream', onlyMethods('GET'));
  return router;
}

function definedCommand(actor: Actor, code: string, body: Record<string, unknown>, key: string | undefined) {
  const command = actor.metadata.command(code);
  const model = actor.metadata.model(command.modelCode);
  const asked = parseCommandRequest(command, model, actor.permissions, body, key);
  return { command: { ...command, code }, asked };
}

/**
 * How long the caller wants to wait (RFC 7240): `respond-async` not at all, with `wait=<seconds>` so long; undefined
 * without the preference. A wait that cannot be read is none.
 */
function preferredWaitMs(prefer: string | undefined): number | undefined {
  const preferences = (prefer ?? '').split(',').map((one) => one.trim().toLowerCase());
  if (!preferences.includes('respond-async')) return undefined;
  const seconds = preferences.map((one) => /^wait=(\d{1,3})$/.exec(one)?.[1]).find((one) => one !== undefined);
  return Math.min(Number(seconds ?? 0) * 1000, MAX_PREFERRED_WAIT_MS);
}

function present(outcome: Answer, isAsyncPreferred: boolean): Reply {
  const { executionPid } = outcome;
  const headers: Record<string, string> = { 'X-Execution-Pid': executionPid };
  if (outcome.kind === 'accepted') {
    if (isAsyncPreferred) headers['Preference-Applied'] = 'respond-async';
    headers.Location = `/api/meta/commands/executions/${executionPid}`;
    return ok({ executionPid, status: outcome.status }, { status: 202, message: 'accepted', headers });
  }
  if (!outcome.replay) return ok(outcome.result, { headers });
  if (outcome.replay.mismatch) headers['X-Idempotency-Mismatch'] = 'true';
  return ok(outcome.result, { code: 'IDEMPOTENT_REPLAY', message: 'the original result', headers });
}
