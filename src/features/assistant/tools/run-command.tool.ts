import { forbidden, notFound } from '../../../foundation/errors/application-error.ts';
import { quoted, text } from '../../../foundation/i18n/text.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { parseCommandRequest, type CommandRequest } from '../../commands/request/command-request.ts';
import type { CommandContent } from '../../commands/definition/command-content.ts';
import { payloadFieldsOfAll } from '../../commands/definition/payload-fields.ts';
import type { RecordService } from '../../records/service/records.service.ts';
import { COMMAND } from '../../commands/definition/command-type.ts';
import type { ToolArguments } from './tool-call.ts';
import type { ConfirmedTool } from './tool-kind.ts';
import type { KnownCommand, KnownField, KnownRelation } from './toolbox.ts';

export const runCommandTool: ConfirmedTool = {
  name: 'run_command',
  define({ commands }) {
    if (commands.length === 0) return null;
    return {
      description: `Changes data, after the user has confirmed it (that is asked for you). Commands:\n${commands.map(commandLine).join('\n')}`,
      properties: {
        command: { type: 'string', enum: commands.map(({ code }) => code) },
        payload: { type: 'object', description: 'Field codes and values' },
        operationType: { type: 'string', enum: ['CREATE', 'UPDATE', 'DELETE', 'CUSTOM'] },
        targetRecordId: { type: 'string', description: 'The pid of the record to update, delete or work on' },
      },
      required: ['command'],
    };
  },
  async propose({ actor, assistant }, { command: code, payload = {}, operationType, targetRecordId }, { records }) {
    if (typeof code !== 'string' || !assistant.tools.commands?.includes(code))
      throw notFound('There is no such command');
    const body = {
      ...(operationType !== 'DELETE' && { payload }),
      ...(operationType !== undefined && { operationType }),
      ...(targetRecordId !== undefined && { targetRecordId }),
    };
    const request = parseRequest(actor, code, body);
    const command = actor.metadata.get(COMMAND, code);
    const named = await namesIn(command, request, actor, records);
    return { commandCode: code, body, summary: summaryOf(command.name, request, named) };
  },
};

/** The checked request of a command. @throws FORBIDDEN, VALIDATION_ERROR */
export function parseRequest(actor: Actor, code: string, body: ToolArguments, key?: string): CommandRequest {
  const needed = permissionCode.commandExecute(code);
  if (!actor.permissions.has(needed)) throw forbidden(needed);
  const command = actor.metadata.get(COMMAND, code);
  return parseCommandRequest(command, actor, body, key);
}

/** What people call the records that a request names: pid -> name, by one look-up for each model. */
async function namesIn(
  command: CommandContent,
  { payload, targetRecordId }: CommandRequest,
  actor: Actor,
  records: RecordService,
): Promise<ReadonlyMap<unknown, string>> {
  const model = actor.metadata.model(command.modelCode);
  const named: [model: string, pid: string][] = targetRecordId === null ? [] : [[model.code, targetRecordId]];
  for (const { code, target } of payloadFieldsOfAll(command, model)) {
    const pid = payload[code];
    if (target !== undefined && typeof pid === 'string') named.push([target, pid]);
  }
  const byModel = Map.groupBy(named, ([code]) => code);
  const found = await Promise.all(
    [...byModel].map(([code, some]) =>
      records.names(
        actor,
        code,
        some.map(([, pid]) => pid),
      ),
    ),
  );
  return new Map(found.flatMap((names) => [...names]));
}

function summaryOf(
  name: string,
  { payload, targetRecordId }: CommandRequest,
  named: ReadonlyMap<unknown, string>,
): string {
  const withName = (value: unknown, shown: string) => {
    const known = named.get(value);
    return known === undefined ? shown : `${JSON.stringify(known)} (${shown})`;
  };
  const values = Object.entries(payload).map(([field, value]) =>
    text('{field}: {problem}', { field, problem: quoted(withName(value, JSON.stringify(value))) }),
  );
  const target = targetRecordId === null ? '' : ` on ${withName(targetRecordId, targetRecordId)}`;
  return `${name}${target}${values.length > 0 ? ` with ${values.join(', ')}` : ''}`;
}

function commandLine({ code, name, operations, takesTarget, fields, relations }: KnownCommand): string {
  const own = operations.every((one) => one === 'DELETE') ? '' : `; fields: ${fields.map(fieldSummary).join(', ')}`;
  const needs = [own, ...relations.map(relationSummary)].join('; ');
  return `${code}: ${name} (${operations.join(', ')}${takesTarget ? ', needs targetRecordId' : ''})${needs}`;
}

function relationSummary({ code, kinds, fields }: KnownRelation): string {
  const items = { create: '{fields}', update: '{pid, fields}', unlink: 'pid', delete: 'pid' };
  const lists = kinds.map((kind) => `${kind}: [${items[kind]}]`).join(', ');
  return `${code}: {${lists}} of related records with ${fields.map(fieldSummary).join(', ')}`;
}

function fieldSummary({ code, type, required, values }: KnownField): string {
  return `${code}${required ? '*' : ''} ${values.length > 0 ? values.join('|') : type}`;
}
