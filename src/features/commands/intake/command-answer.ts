import { ApplicationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { type Reply, reply, type ReplyOptions } from '../../../foundation/http/reply.ts';
import { currentTraceId, newTraceId } from '../../../foundation/logging/trace.ts';
import { object, oneOf, PID } from '../../../foundation/validation/schema.ts';
import { authorize, type Actor } from '../../../platform/auth/requests/actor.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import {
  EXECUTE_BODY,
  parseCommandRequest,
  parsePlatformRequest,
  asPreconditionFailed,
  requireExpectedVersion,
  withIfMatch,
} from '../request/command-request.ts';
import { checkStateAndRules } from '../performing/state-and-rules.ts';
import { COMMAND } from '../definition/command-type.ts';
import { MAX_PREFERRED_WAIT_MS } from '../commands.limits.ts';
import type { CommandOutcome, CommandsService } from './commands.service.ts';
import type { DryRuns } from '../performing/dry-run.ts';
import { EXECUTION_STATUSES } from '../executions/execution.entity.ts';
import type { PlatformCommand, PlatformCommands } from '../request/platform-command.ts';

type Body = Readonly<Record<string, unknown>>;

/** A command as a request names it. */
interface ReceivedCommand {
  readonly code: string;
  /** Set for a command of the platform; undefined for one of the configuration. */
  readonly platform: PlatformCommand | undefined;
  readonly body: Body;
}

/** The headers that an execution depends on. */
interface RequestHeaders {
  get(name: string): string | undefined;
}

export const ACCEPTED = object({ executionPid: PID, status: oneOf(EXECUTION_STATUSES) });

/** @throws FORBIDDEN */
export function authorizeCommand(
  actor: Actor,
  platformCommands: PlatformCommands,
  code: string,
): PlatformCommand | undefined {
  const platform = platformCommands.get(code);
  const needed = platform?.permission ?? permissionCode.commandExecute(code);
  // What the payload decides is asked for when it has been read.
  if (typeof needed === 'string') authorize(actor, needed);
  return platform;
}

/**
 * Executes a command that the caller may execute, and answers as its caller prefers.
 * @throws as the service
 */
export async function executeAndAnswer(
  commands: CommandsService,
  actor: Actor,
  received: ReceivedCommand,
  headers: RequestHeaders,
): Promise<Reply> {
  const { command, request } = requestIn(actor, received, headers);
  const waitMs = preferredWaitMs(headers.get('Prefer'));
  const executed = commands.execute(actor, command, request, currentTraceId() ?? newTraceId(), waitMs);
  return presentOutcome(await underIfMatch(headers, executed), waitMs !== undefined);
}

/** Answers what a command that the caller may execute would do. @throws as the command */
export async function dryRunAndAnswer(
  dryRuns: DryRuns,
  actor: Actor,
  received: ReceivedCommand,
  headers: RequestHeaders,
): Promise<Reply> {
  const { command, request } = requestIn(actor, received, headers);
  const performed = dryRuns.perform(actor, command.code, request, currentTraceId() ?? newTraceId());
  return reply(await underIfMatch(headers, performed), { verbatim: true });
}

/** @throws VALIDATION_ERROR, FORBIDDEN, PRECONDITION_REQUIRED */
function requestIn(actor: Actor, { code, platform, body }: ReceivedCommand, headers: RequestHeaders) {
  const key = headers.get('X-Idempotent-Key');
  if (!platform) {
    const errors: FieldErrors = {};
    return definedCommand(actor, code, withIfMatch(headers.get('If-Match'), body, errors), key, errors);
  }
  const request = parsePlatformRequest(platform, body, key);
  if (typeof platform.permission === 'function') authorize(actor, platform.permission(request.payload));
  return { command: { code, execution: 'workflow' as const }, request };
}

/** @throws as `outcome`; PRECONDITION_FAILED for a stale `If-Match` */
async function underIfMatch<T>(headers: RequestHeaders, outcome: Promise<T>): Promise<T> {
  return outcome.catch((error: unknown) => {
    throw headers.get('If-Match') === undefined ? error : asPreconditionFailed(error);
  });
}

/** Validates a body as far as possible without its record. @throws FORBIDDEN */
export async function validateCommand(actor: Actor, { code, platform, body }: ReceivedCommand) {
  try {
    if (platform) parsePlatformRequest(platform, body, undefined);
    else {
      const { command, request } = definedCommand(actor, code, body, undefined);
      await checkStateAndRules(command, actor, { request });
    }
    return { valid: true, fieldErrors: {} };
  } catch (error) {
    if (!(error instanceof ApplicationError) || !['VALIDATION_ERROR', 'CONFLICT'].includes(error.code)) throw error;
    return { valid: false, fieldErrors: error.data?.fieldErrors ?? { payload: error.text } };
  }
}

function definedCommand(actor: Actor, code: string, body: Body, key: string | undefined, ofHeaders: FieldErrors = {}) {
  const command = actor.metadata.get(COMMAND, code);
  const request = parseCommandRequest(command, actor, body, key, EXECUTE_BODY, ofHeaders);
  requireExpectedVersion(actor.metadata.model(command.modelCode), request);
  return { command: { ...command, code }, request };
}

/**
 * How long the caller wants to wait (RFC 7240): 0 for `respond-async`, the seconds of `wait=<seconds>`;
 * undefined without the preference. A wait that cannot be read is none.
 */
export function preferredWaitMs(prefer: string | undefined): number | undefined {
  const preferences = (prefer ?? '').split(',').map((one) => one.trim().toLowerCase());
  if (!preferences.includes('respond-async')) return undefined;
  const seconds = preferences.map((one) => /^wait=(\d{1,3})$/.exec(one)?.[1]).find((one) => one !== undefined);
  return Math.min(Number(seconds ?? 0) * 1000, MAX_PREFERRED_WAIT_MS);
}

/**
 * Answers what became of a command.
 * @param options `verbatim: false` for a result that holds texts
 */
export function presentOutcome(
  outcome: CommandOutcome,
  isAsyncPreferred: boolean,
  { verbatim = true, ...given }: Pick<ReplyOptions, 'headers' | 'verbatim'> = {},
): Reply {
  const { executionPid } = outcome;
  const headers: Record<string, string> = { ...given.headers, 'X-Execution-Pid': executionPid };
  if (outcome.kind === 'accepted') {
    if (isAsyncPreferred) headers['Preference-Applied'] = 'respond-async';
    headers.Location = `/api/meta/commands/executions/${executionPid}`;
    return reply({ executionPid, status: outcome.status }, { status: 202, message: 'accepted', headers });
  }
  if (!outcome.replay) return reply(outcome.result, { headers, verbatim });
  if (outcome.replay.mismatch) headers['X-Idempotency-Mismatch'] = 'true';
  return reply(outcome.result, {
    code: 'IDEMPOTENT_REPLAY',
    message: 'the original result',
    headers,
    verbatim,
  });
}
