import { isLongerThan } from '../../../foundation/validation/text-length.ts';
import { ApplicationError, notFound, validationError } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { fieldErrorsOf, parseJsonObject } from '../../../foundation/validation/json-text.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { COMMAND } from '../../commands/definition/command-type.ts';
import { requestUnderPresentCodes } from '../../commands/request/earlier-request.ts';
import type { RecordInput } from '../../../platform/records/operations/record-operations.ts';
import type { AssistantContent } from '../assistant-type.ts';
import { MAX_ARGUMENTS, MAX_RESULT_CHARACTERS } from '../assistant.limits.ts';
import { parseRequest } from './run-command.tool.ts';
import type { ToolArguments, ToolCall, ToolResult } from './tool-call.ts';
import type { Proposal, ToolServices } from './tool-kind.ts';
import { toolNamed } from './tool-kinds.ts';

/**
 * Runs tools with the caller's rights, through the same services and checks as the REST endpoints. An
 * assistant never extends what its caller may do.
 */
export class ToolRunner {
  readonly #services: ToolServices;

  constructor(services: ToolServices) {
    this.#services = services;
  }

  /** @throws SERVICE_UNAVAILABLE; every other failure is a result */
  async run(actor: Actor, assistant: AssistantContent, { name, arguments: json }: ToolCall): Promise<ToolResult> {
    return toToolResult(async () => {
      const args = parseArguments(json);
      const tool = toolNamed(name);
      if (tool && 'read' in tool) return tool.read({ actor, assistant }, args, this.#services);
      throw notFound(text('There is no tool {name}', { name: name.slice(0, 100) }));
    });
  }

  /** Whether the user has to confirm a call. */
  needsConfirmation({ name }: ToolCall): boolean {
    return 'propose' in (toolNamed(name) ?? {});
  }

  /** Checks a call that the user has to confirm. @throws the error of its request */
  async propose(actor: Actor, assistant: AssistantContent, { name, arguments: json }: ToolCall): Promise<Proposal> {
    const tool = toolNamed(name);
    if (!tool || !('propose' in tool)) throw new Error(`${name} proposes nothing`);
    return tool.propose({ actor, assistant }, parseArguments(json), this.#services);
  }

  /** Runs a confirmed command, once per key. @throws SERVICE_UNAVAILABLE */
  async execute(
    actor: Actor,
    commandCode: string,
    body: ToolArguments,
    key: string,
    traceId: string,
  ): Promise<ToolResult> {
    return toToolResult(async () => {
      const request = parseRequest(actor, commandCode, underPresentCodes(actor, commandCode, body), key);
      const command = { ...actor.metadata.get(COMMAND, commandCode), code: commandCode };
      const { executionPid, ...outcome } = await this.#services.commands.execute(actor, command, request, traceId);
      return outcome.kind === 'done'
        ? { executionPid, result: outcome.result }
        : { executionPid, status: outcome.status };
    });
  }
}

/** A body that was proposed earlier: its fields may have been renamed since. */
function underPresentCodes({ metadata }: Actor, commandCode: string, body: ToolArguments): ToolArguments {
  const command = metadata.find(COMMAND, commandCode);
  const payload = body.payload as RecordInput | undefined;
  return command && payload ? requestUnderPresentCodes(command, { ...body, payload }, metadata) : body;
}

async function toToolResult(work: () => Promise<unknown>): Promise<ToolResult> {
  try {
    const data = await work();
    if (JSON.stringify(data ?? null).length <= 2 * MAX_RESULT_CHARACTERS) return { ok: true, data: data ?? null };
    return { ok: false, code: 'PAYLOAD_TOO_LARGE', message: 'The result is too large to be shown here' };
  } catch (error) {
    if (!(error instanceof ApplicationError) || error.code === 'SERVICE_UNAVAILABLE') throw error;
    return failedResult(error);
  }
}

/** An error as a result: the model may report it, or try another call. */
export function failedResult({ code, message, data }: ApplicationError): ToolResult {
  return { ok: false, code, message, ...(data && { data }) };
}

function parseArguments(json: string): ToolArguments {
  if (isLongerThan(json, MAX_ARGUMENTS))
    throw validationError({ arguments: text('must not be longer than {max} characters', { max: MAX_ARGUMENTS }) });
  const parsed = parseJsonObject(json || '{}');
  if ('problems' in parsed) throw validationError(fieldErrorsOf(parsed, 'arguments'));
  return parsed.value;
}
