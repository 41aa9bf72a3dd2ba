import { ANYTHING, BOOLEAN, MAP, object, text } from '../../foundation/validation/schema.ts';
import { type CommandsService } from './intake/commands.service.ts';
import { type DryRuns } from './performing/dry-run.ts';
import { type PlatformCommands } from './request/platform-command.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { EXECUTE_BODY, IDEMPOTENCY_KEY } from './request/command-request.ts';
import {
  ACCEPTED,
  authorizeCommand,
  dryRunAndAnswer,
  executeAndAnswer,
  validateCommand,
} from './intake/command-answer.ts';

const tag = 'Commands';

/** Spec: "Endpoints", command execution; ours: what would be wrong with a request. */
export function commandEndpoints(
  commands: CommandsService,
  dryRuns: DryRuns,
  platformCommands: PlatformCommands,
): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/meta/commands/execute/:commandCode',
      // Commands of the platform name their own: `meta:save` needs `admin:metadata`.
      access: [permissionCode.commandExecute('{commandCode}')],
      authorize: ({ actor, params: { commandCode } }) => authorizeCommand(actor, platformCommands, commandCode),
      tag,
      summary: 'Execute a command',
      description:
        'The record for a create or an update, `{pid}` for a delete, else what the command answers; with a key that was used before, the first answer, with the code `IDEMPOTENT_REPLAY`. With `dryRun`, what would happen. Commands of the platform are `meta:save` and `meta:delete` (`admin:metadata`), `record:restore` and `record:purge` (`record:restore:<model>`, `record:purge:<model>`).',
      headers: {
        'X-Idempotent-Key': IDEMPOTENCY_KEY,
        'If-Match': text({ description: 'The ETag of the detail that a change starts from: a stale one is 412' }),
        Prefer: text({ description: '`respond-async`, or `respond-async, wait=<seconds>`' }),
      },
      body: EXECUTE_BODY,
      // What a body must hold depends on the command.
      bodyMode: 'unvalidated',
      budget: 'commands',
      data: ANYTHING,
      successCodes: ['IDEMPOTENT_REPLAY'],
      accepted: ACCEPTED,
      errors: ['EXPRESSION_LIMIT', 'CONFLICT', 'ENVIRONMENT_LOCKED', 'PRECONDITION_FAILED', 'PRECONDITION_REQUIRED'],
      handle({ actor, granted: platform, params: { commandCode }, body, request }) {
        const received = { code: commandCode, platform, body };
        if (body.dryRun === true) return dryRunAndAnswer(dryRuns, actor, received, request);
        return executeAndAnswer(commands, actor, received, request);
      },
    }),
    endpoint({
      method: 'POST',
      path: '/api/meta/commands/validate/:commandCode',
      access: [permissionCode.commandExecute('{commandCode}')],
      authorize: ({ actor, params: { commandCode } }) => authorizeCommand(actor, platformCommands, commandCode),
      tag,
      summary: 'What is wrong with the body of an execute request, without executing anything',
      description: 'Rules that read the record are not asked.',
      body: EXECUTE_BODY,
      bodyMode: 'unvalidated',
      data: object({ valid: BOOLEAN, fieldErrors: MAP }),
      errors: ['EXPRESSION_LIMIT'],
      handle: ({ actor, granted: platform, params: { commandCode }, body }) =>
        validateCommand(actor, { code: commandCode, platform, body }),
    }),
  ];
}
