import { validationError } from '../../foundation/errors/application-error.ts';
import { reply } from '../../foundation/http/reply.ts';
import { currentTraceId, newTraceId } from '../../foundation/logging/trace.ts';
import {
  ANYTHING,
  BOOLEAN,
  described,
  integer,
  list,
  nullable,
  object,
  PID,
  text,
} from '../../foundation/validation/schema.ts';
import { type Endpoint, endpoint } from '../../platform/auth/requests/endpoint.ts';
import { type RateLimits } from '../../platform/auth/requests/rate-limits.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { ACCEPTED, authorizeCommand, preferredWaitMs, presentOutcome } from './intake/command-answer.ts';
import { IDEMPOTENCY_KEY } from './request/command-request.ts';
import { COMMAND } from './definition/command-type.ts';
import { type PlatformCommands } from './request/platform-command.ts';
import { BATCH_BODY, parseBatchRequest, refuseIfMatch } from './request/batch-request.ts';
import { type Batches } from './intake/batches.ts';
import { type BatchDryRuns } from './intake/batch-dry-runs.ts';
import { MAX_BATCH_BYTES } from './commands.limits.ts';

const ITEM_RESULT = object(
  {
    index: integer(0),
    code: text({ description: '"0", `IDEMPOTENT_REPLAY`, or the code of its failure' }),
    data: ANYTHING,
    executionPid: nullable(PID),
  },
  {
    message: text(),
    mismatch: BOOLEAN,
    dataLeftOut: described('The answer has no room for `data`: the execution has it', BOOLEAN),
  },
);
const BATCH_RESULT = object({ succeeded: integer(0), failed: integer(0), results: list(ITEM_RESULT) });

/** Spec: "Service operations", batch create, update and delete. */
export function batchEndpoints(
  batches: Batches,
  dryRuns: BatchDryRuns,
  platformCommands: PlatformCommands,
  limits: RateLimits,
): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/meta/commands/execute/:commandCode/batch',
      access: [permissionCode.commandExecute('{commandCode}')],
      authorize: ({ actor, params: { commandCode } }) => authorizeCommand(actor, platformCommands, commandCode),
      tag: 'Commands',
      summary: 'Execute a command for up to 500 items',
      description:
        'The items in one transaction (`atomic`), or each in its own (`partial`). An atomic batch that fails answers the first failure, with `index` and `results` in its `data`; a partial one always 200, with what became of each item. Each item counts as a command against the rate limit. With `dryRun`, what would happen: in place of a result, `data` has `{result, changes}`.',
      headers: {
        'X-Idempotent-Key': IDEMPOTENCY_KEY,
        Prefer: text({ description: '`respond-async`, or `respond-async, wait=<seconds>`' }),
      },
      body: BATCH_BODY,
      // Wrong items are named as `items[3].payload`.
      bodyMode: 'unvalidated',
      maxBodyBytes: MAX_BATCH_BYTES,
      budget: 'commands',
      data: BATCH_RESULT,
      successCodes: ['IDEMPOTENT_REPLAY'],
      accepted: ACCEPTED,
      errors: ['EXPRESSION_LIMIT', 'CONFLICT', 'PRECONDITION_REQUIRED'],
      async handle({ actor, granted: platform, params: { commandCode: code }, body, request }) {
        if (platform) throw validationError({ commandCode: 'is a command of the platform, which takes no batches' });
        refuseIfMatch(request.get('If-Match'));
        const command = actor.metadata.get(COMMAND, code);
        const key = request.get('X-Idempotent-Key');
        const batch = await parseBatchRequest(command, actor, body, key);
        const headers = await limits.countItems('commands', actor, batch.items.length - 1);
        const traceId = currentTraceId() ?? newTraceId();
        if (body.dryRun === true) {
          return reply(await dryRuns.perform(actor, code, batch, traceId), { headers, verbatim: false });
        }
        const waitMs = preferredWaitMs(request.get('Prefer'));
        const outcome = await batches.execute(actor, { ...command, code }, batch, traceId, waitMs);
        return presentOutcome(outcome, waitMs !== undefined, { headers, verbatim: false });
      },
    }),
  ];
}
