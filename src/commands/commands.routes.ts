import { Router } from 'express';
import { authorise, type Actor } from '../auth/actor.ts';
import type { Gate } from '../auth/gate.ts';
import { access, SIGNED_IN } from '../http/access.ts';
import { onlyMethods } from '../http/app.ts';
import { inLanguage, languageOf } from '../http/language.ts';
import { readJsonBody } from '../http/json-body.ts';
import { answer, ok, type Reply } from '../http/reply.ts';
import { currentTraceId, newTraceId } from '../logging/trace.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import { commandWorkflowId } from '../../workflows/contracts.ts';
import { parseCommandRequest, parsePlatformRequest } from './command-request.ts';
import type { Answer, CommandsService } from './commands.service.ts';
import type { PlatformCommands } from './platform-command.ts';

/** Spec: "Endpoints", command execution; ours: reading an execution. */
export function commandRoutes(gate: Gate, commands: CommandsService, platformCommands: PlatformCommands): Router {
  const router = Router();
  const path = '/api/meta/commands/execute/:commandCode';

  router.post(
    path,
    // Platform commands name their own: `meta:save` needs `admin:metadata`.
    access(permissionCode.commandExecute('{commandCode}')),
    answer(async (request) => {
      const { actor } = await gate.admit(request, undefined, 'commands');
      const commandCode = String(request.params.commandCode);
      const body = await readJsonBody(request);
      const key = request.get('X-Idempotent-Key');
      const platform = platformCommands.get(commandCode);
      authorise(actor, platform?.permission ?? permissionCode.commandExecute(commandCode));
      const { command, asked } = platform
        ? { command: { code: commandCode }, asked: parsePlatformRequest(platform, body, key) }
        : definedCommand(actor, commandCode, body, key);
      const traceId = currentTraceId() ?? newTraceId();
      return present(await commands.execute(actor, command, asked, traceId));
    }),
  );
  router.all(path, onlyMethods('POST'));

  router.get(
    '/api/meta/commands/executions/:pid',
    access(SIGNED_IN),
    answer(async (request) => {
      const { actor } = await gate.admit(request);
      const execution = await commands.find(actor, String(request.params.pid));
      return ok({
        pid: execution.pid,
        commandCode: execution.command_code,
        status: execution.status,
        result: execution.result,
        error: execution.error && inLanguage(execution.error, languageOf(request)),
        startedAt: execution.created_at,
        finishedAt: execution.finished_at,
        workflowId: commandWorkflowId(execution.pid),
      });
    }),
  );
  router.all('/api/meta/commands/executions/:pid', onlyMethods('GET'));
  return router;
}

function definedCommand(actor: Actor, code: string, body: Record<string, unknown>, key: string | undefined) {
  const command = actor.metadata.command(code);
  const model = actor.metadata.model(command.modelCode);
  const asked = parseCommandRequest(command, model, actor.permissions, body, key);
  return { command: { ...command, code }, asked };
}

function present(outcome: Answer): Reply {
  const { executionPid } = outcome;
  const headers: Record<string, string> = { 'X-Execution-Pid': executionPid };
  if (outcome.kind === 'accepted') {
    headers.Location = `/api/meta/commands/executions/${executionPid}`;
    return ok({ executionPid, status: outcome.status }, { status: 202, message: 'accepted', headers });
  }
  if (!outcome.replay) return ok(outcome.result, { headers });
  if (outcome.replay.mismatch) headers['X-Idempotency-Mismatch'] = 'true';
  return ok(outcome.result, { code: 'IDEMPOTENT_REPLAY', message: 'the original result', headers });
}
