import { authorise, type Actor } from '../auth/actor.ts';
import { parseCommandRequest, type CommandRequest } from '../commands/command-request.ts';
import type { CommandsService } from '../commands/commands.service.ts';
import { ApplicationError, forbidden, notFound, validationError } from '../errors/application-error.ts';
import type { AssistantContent, AssistantToolsContent } from '../metadata/content.ts';
import type { Model } from '../metadata/model.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import { parseListQuery } from '../records/list-query.ts';
import type { RecordsService } from '../records/records.service.ts';
import type { ToolCall, ToolResult } from './step.ts';
import { MAX_LISTED } from './tool-definitions.ts';
import { toolboxOf } from './toolbox.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** What a result may hold: models pay by the character, and forget. */
const MAX_RESULT_CHARS = 16_000;
const DEFAULT_LISTED = 10;
const MAX_ARGUMENTS = 50_000;

/** A command that was asked for, checked: what its user is to agree to. */
export interface Proposal {
  readonly commandCode: string;
  /** The body of the execute request. */
  readonly body: Record<string, unknown>;
  readonly summary: string;
}

/**
 * Runs tools with the caller's rights: the same services and the same checks as the REST routes. What a model asks for is
 * judged as if the caller had asked, so nobody gets further through an assistant than without it.
 */
export class ToolRunner {
  readonly #records: RecordsService;
  readonly #commands: CommandsService;

  constructor(records: RecordsService, commands: CommandsService) {
    this.#records = records;
    this.#commands = commands;
  }

  /** @throws SERVICE_UNAVAILABLE; every other failure is a result */
  async run(actor: Actor, assistant: AssistantContent, { name, arguments: given }: ToolCall): Promise<ToolResult> {
    return outcomeOf(async () => {
      const args = parseArguments(given);
      if (name === 'list_records') return this.#list(actor, modelFor(actor, assistant, 'list', args), args);
      if (name === 'read_record') return this.#read(actor, modelFor(actor, assistant, 'read', args), args);
      if (name === 'describe_model') {
        const { code } = modelFor(actor, assistant, 'describe', args);
        return toolboxOf(actor, assistant, false).models.find((model) => model.code === code);
      }
      throw notFound(`There is no tool ${name.slice(0, 100)}`);
    });
  }

  /** Checks a command that is asked for, as its execute request would be. @throws what that would be refused with */
  propose(actor: Actor, { tools }: AssistantContent, { arguments: given }: ToolCall): Proposal {
    const { command: code, payload = {}, operationType, targetRecordId } = parseArguments(given);
    if (typeof code !== 'string' || !tools.commands?.includes(code)) throw notFound('There is no such command');
    const asked = { operationType, targetRecordId };
    const isDelete = operationType === 'DELETE';
    const body = { ...(isDelete ? {} : { payload }), ...JSON.parse(JSON.stringify(asked)) } as Record<string, unknown>;
    const request = checked(actor, code, body);
    return { commandCode: code, body, summary: summaryOf(actor.metadata.command(code).name, request) };
  }

  /** Runs a command that its user has agreed to, once however often this is called. @throws SERVICE_UNAVAILABLE */
  async execute(actor: Actor, commandCode: string, body: Arguments, key: string, traceId: string): Promise<ToolResult> {
    return outcomeOf(async () => {
      const request = checked(actor, commandCode, body, key);
      const command = { ...actor.metadata.command(commandCode), code: commandCode };
      const { executionPid, ...answer } = await this.#commands.execute(actor, command, request, traceId);
      return answer.kind === 'done' ? { executionPid, result: answer.result } : { executionPid, status: answer.status };
    });
  }

  async #list(actor: Actor, model: Model, { filters = [], limit = DEFAULT_LISTED, ...rest }: Arguments) {
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 0 || limit > MAX_LISTED) {
      throw validationError({ limit: `must be a whole number from 0 to ${MAX_LISTED}` });
    }
    const { keyword, sortField, sortOrder } = rest;
    const query = parseListQuery(
      { keyword, sortField, sortOrder, pageSize: String(limit || 1) },
      model,
      actor.permissions,
    );
    const { records, total } = await this.#records.list(actor, model, { ...query, filters });
    const listed = limit === 0 ? [] : records.map(withoutInternals);
    while (listed.length > 1 && JSON.stringify(listed).length > MAX_RESULT_CHARS) listed.pop();
    return { model: model.code, total, records: listed };
  }

  async #read(actor: Actor, model: Model, { pid }: Arguments) {
    const record = await this.#records.getById(actor, model, String(pid));
    if (!record) throw notFound('There is no such record');
    return { model: model.code, record: withoutInternals(record) };
  }
}

async function outcomeOf(work: () => Promise<unknown>): Promise<ToolResult> {
  try {
    const data = await work();
    if (JSON.stringify(data ?? null).length <= 2 * MAX_RESULT_CHARS) return { ok: true, data: data ?? null };
    return { ok: false, code: 'PAYLOAD_TOO_LARGE', message: 'The result is too large to be shown here' };
  } catch (error) {
    if (!(error instanceof ApplicationError) || error.code === 'SERVICE_UNAVAILABLE') throw error;
    return failureOf(error);
  }
}

/** A refusal as a result: the model may tell the user, or try something else. */
export function failureOf({ code, message, data }: ApplicationError): ToolResult {
  return { ok: false, code, message, ...(data && { data }) };
}

function parseArguments(given: string): Arguments {
  if (given.length > MAX_ARGUMENTS)
    throw validationError({ arguments: `must not be longer than ${MAX_ARGUMENTS} characters` });
  try {
    const parsed: unknown = JSON.parse(given || '{}');
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Arguments;
  } catch {
    // Not JSON: the same problem.
  }
  throw validationError({ arguments: 'must be a JSON object' });
}

function modelFor(
  actor: Actor,
  { tools }: AssistantContent,
  tool: keyof AssistantToolsContent,
  args: Arguments,
): Model {
  const { model: code } = args;
  if (typeof code !== 'string' || !tools[tool]?.includes(code)) throw notFound('There is no such model');
  authorise(actor, permissionCode.recordRead(code));
  return actor.metadata.model(code);
}

function checked(actor: Actor, code: string, body: Arguments, key?: string): CommandRequest {
  const needed = permissionCode.commandExecute(code);
  if (!actor.permissions.has(needed)) throw forbidden(needed);
  const command = actor.metadata.command(code);
  return parseCommandRequest(command, actor.metadata.model(command.modelCode), actor.permissions, body, key);
}

function summaryOf(name: string, { payload, targetRecordId }: CommandRequest): string {
  const values = Object.entries(payload).map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
  const target = targetRecordId === null ? '' : ` on ${targetRecordId}`;
  return `${name}${target}${values.length > 0 ? ` with ${values.join(', ')}` : ''}`;
}

/** Numbers that mean nothing to people, and nothing to a model. */
function withoutInternals({ id: _id, tenant_id: _tenantId, ...record }: Readonly<Record<string, unknown>>) {
  return record;
}
