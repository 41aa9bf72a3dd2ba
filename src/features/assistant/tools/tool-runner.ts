import { text } from '../../../foundation/i18n/text.ts';
import { authorise, type Actor } from '../../../platform/auth/requests/actor.ts';
import { parseCommandRequest, type CommandRequest } from '../../commands/command-request.ts';
import type { CommandsService } from '../../commands/commands.service.ts';
import {
  ApplicationError,
  forbidden,
  notFound,
  validationError,
} from '../../../foundation/errors/application-error.ts';
import type { AssistantContent, AssistantToolsContent } from '../assistant-type.ts';
import { COMMAND } from '../../commands/command-type.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { relationNamed } from '../../records/query/expansion.ts';
import { parseListQuery } from '../../records/query/record-query.ts';
import type { RecordData } from '../../records/record-reader.ts';
import type { RecordService } from '../../records/records.service.ts';
import type { ToolCall, ToolResult } from './step.ts';
import { DEFAULT_LISTED, MAX_ARGUMENTS, MAX_LISTED, MAX_RESULT_CHARACTERS } from '../assistant.limits.ts';
import { showsRecordsOf, toolboxOf } from './toolbox.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** A checked command for the user to confirm. */
export interface Proposal {
  readonly commandCode: string;
  /** The body of the execute request. */
  readonly body: Record<string, unknown>;
  readonly summary: string;
}

/**
 * Runs tools with the caller's rights, through the same services and checks as the REST endpoints. An
 * assistant never extends what its caller may do.
 */
export class ToolRunner {
  readonly #records: RecordService;
  readonly #commands: CommandsService;

  constructor(records: RecordService, commands: CommandsService) {
    this.#records = records;
    this.#commands = commands;
  }

  /** @throws SERVICE_UNAVAILABLE; every other failure is a result */
  async run(actor: Actor, assistant: AssistantContent, { name, arguments: json }: ToolCall): Promise<ToolResult> {
    return toToolResult(async () => {
      const args = parseArguments(json);
      if (name === 'list_records') return this.#list(actor, modelFor(actor, assistant, 'list', args), args);
      if (name === 'read_record') return this.#read(actor, assistant, modelFor(actor, assistant, 'read', args), args);
      if (name === 'describe_model') {
        const { code } = modelFor(actor, assistant, 'describe', args);
        return toolboxOf(actor, assistant, false).models.find((model) => model.code === code);
      }
      throw notFound(text('There is no tool {name}', { name: name.slice(0, 100) }));
    });
  }

  /** Checks a call of `run_command`. @throws the error of its execute request */
  propose(actor: Actor, { tools }: AssistantContent, { arguments: json }: ToolCall): Proposal {
    const { command: code, payload = {}, operationType, targetRecordId } = parseArguments(json);
    if (typeof code !== 'string' || !tools.commands?.includes(code)) throw notFound('There is no such command');
    const body = {
      ...(operationType !== 'DELETE' && { payload }),
      ...(operationType !== undefined && { operationType }),
      ...(targetRecordId !== undefined && { targetRecordId }),
    };
    const request = parseRequest(actor, code, body);
    return { commandCode: code, body, summary: summaryOf(actor.metadata.get(COMMAND, code).name, request) };
  }

  /** Runs a confirmed command, once per key. @throws SERVICE_UNAVAILABLE */
  async execute(actor: Actor, commandCode: string, body: Arguments, key: string, traceId: string): Promise<ToolResult> {
    return toToolResult(async () => {
      const request = parseRequest(actor, commandCode, body, key);
      const command = { ...actor.metadata.get(COMMAND, commandCode), code: commandCode };
      const { executionPid, ...outcome } = await this.#commands.execute(actor, command, request, traceId);
      return outcome.kind === 'done'
        ? { executionPid, result: outcome.result }
        : { executionPid, status: outcome.status };
    });
  }

  async #list(
    actor: Actor,
    model: Model,
    { filters = [], limit = DEFAULT_LISTED, keyword, sortField, sortOrder }: Arguments,
  ) {
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 0 || limit > MAX_LISTED) {
      const problem = text('must be a whole number from {min} to {max}', { min: 0, max: MAX_LISTED });
      throw validationError({ limit: problem });
    }
    const query = parseListQuery({ keyword, sortField, sortOrder, pageSize: String(limit || 1) }, model, actor);
    const conditions = { ...query.conditions, given: filters };
    const { records, total } = await this.#records.listChecked(actor, model.code, { ...query, conditions });
    const listed = limit === 0 ? [] : records.map(withoutInternals);
    while (listed.length > 1 && JSON.stringify(listed).length > MAX_RESULT_CHARACTERS) listed.pop();
    return { model: model.code, total, records: listed };
  }

  async #read(actor: Actor, { tools }: AssistantContent, model: Model, { pid, expand = [] }: Arguments) {
    const paths = relationsIn(expand, model, actor, tools);
    const record = await this.#records.getById(actor, model.code, String(pid), { expand: paths });
    if (!record) throw notFound('There is no such record');
    return { model: model.code, record: withoutInternals(record) };
  }
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

function parseArguments(json: string): Arguments {
  if (json.length > MAX_ARGUMENTS)
    throw validationError({ arguments: text('must not be longer than {max} characters', { max: MAX_ARGUMENTS }) });
  try {
    const parsed: unknown = JSON.parse(json || '{}');
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Arguments;
  } catch {
    // Refused below.
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

function parseRequest(actor: Actor, code: string, body: Arguments, key?: string): CommandRequest {
  const needed = permissionCode.commandExecute(code);
  if (!actor.permissions.has(needed)) throw forbidden(needed);
  const command = actor.metadata.get(COMMAND, code);
  return parseCommandRequest(command, actor, body, key);
}

function summaryOf(name: string, { payload, targetRecordId }: CommandRequest): string {
  const values = Object.entries(payload).map(([field, value]) =>
    text('{field}: {problem}', { field, problem: JSON.stringify(value) }),
  );
  const target = targetRecordId === null ? '' : ` on ${targetRecordId}`;
  return `${name}${target}${values.length > 0 ? ` with ${values.join(', ')}` : ''}`;
}

/**
 * The relations to read with a record.
 * @throws VALIDATION_ERROR, also for those to models that are kept out
 */
function relationsIn(names: unknown, model: Model, actor: Actor, tools: AssistantToolsContent): readonly string[] {
  if (!Array.isArray(names)) throw validationError({ expand: 'must be an array' });
  for (const name of names) {
    const target = relationNamed(String(name), model, actor)?.model;
    if (target && showsRecordsOf(tools, target.code)) continue;
    const values = { path: String(name).slice(0, 100), model: model.code };
    throw validationError({ expand: text('{path} is not a relation of {model}', values) });
  }
  return names.map(String);
}

/** Internal numbers mean nothing to a reader. */
function withoutInternals({ id: _id, tenant_id: _tenantId, expanded, ...record }: RecordData): RecordData {
  if (!expanded) return record;
  const shown = Object.entries(expanded as Record<string, RecordData | null>).map(([name, related]) => {
    const list = related?.records as readonly RecordData[] | undefined;
    const one = related && withoutInternals(related);
    return [name, list ? { ...related, records: list.map(withoutInternals) } : one] as const;
  });
  return { ...record, expanded: Object.fromEntries(shown) };
}
