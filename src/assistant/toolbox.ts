import type { Actor } from '../auth/actor.ts';
import type { AssistantContent, CommandContent, FieldType, Operation } from '../metadata/content.ts';
import type { Field, Model } from '../metadata/model.ts';
import { permissionCode } from '../metadata/permission-codes.ts';

export interface KnownField {
  readonly code: string;
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly values: readonly string[];
  /** The model that a relation leads to. */
  readonly target: string | null;
}

/** A model as far as the assistant and its caller may see it. */
export interface KnownModel {
  readonly code: string;
  readonly name: string;
  readonly fields: readonly KnownField[];
  readonly mayList: boolean;
  readonly mayRead: boolean;
  readonly mayDescribe: boolean;
}

export interface KnownCommand {
  readonly code: string;
  readonly name: string;
  readonly modelCode: string;
  readonly operations: readonly Operation[];
  /** Whether a CUSTOM command works on a record. */
  readonly takesTarget: boolean;
  readonly fields: readonly KnownField[];
}

/** What an answer may use: what the assistant is configured for, less what its caller may not do. */
export interface Toolbox {
  readonly user: { readonly pid: string; readonly username: string };
  readonly models: readonly KnownModel[];
  readonly commands: readonly KnownCommand[];
}

/** @param mayConfirm whether there is somebody who can agree to a command */
export function toolboxOf(actor: Actor, { tools }: AssistantContent, mayConfirm: boolean): Toolbox {
  const { metadata, permissions } = actor;
  const { list = [], read = [], describe = [], commands = [] } = tools;
  const codes = [...new Set([...list, ...read, ...describe])];
  const models = codes
    .flatMap((code) => metadata.models.get(code) ?? [])
    .filter(({ code }) => permissions.has(permissionCode.recordRead(code)))
    .map((model) => ({
      code: model.code,
      name: model.name,
      fields: readableFields(model, actor),
      mayList: list.includes(model.code),
      mayRead: read.includes(model.code),
      mayDescribe: describe.includes(model.code),
    }));
  const known = (mayConfirm ? commands : []).flatMap((code) => {
    const command = metadata.commands.get(code);
    const model = command && metadata.models.get(command.modelCode);
    if (!command || !model || !permissions.has(permissionCode.commandExecute(code))) return [];
    return [knownCommand(code, command, model)];
  });
  return { user: { pid: actor.userPid, username: actor.username }, models, commands: known };
}

function readableFields(model: Model, { permissions }: Actor): KnownField[] {
  return [...model.fields.values()]
    .filter(({ readPermission }) => readPermission === null || permissions.has(readPermission))
    .filter(({ code }) => code !== 'id' && code !== 'tenant_id')
    .map(toKnownField);
}

function toKnownField({ code, type, content }: Field): KnownField {
  return {
    code,
    type,
    name: content?.name ?? code,
    required: content?.required ?? false,
    values: content?.values ?? [],
    target: content?.target ?? null,
  };
}

function knownCommand(code: string, command: CommandContent, model: Model): KnownCommand {
  const isCustom = command.operations.includes('CUSTOM');
  const fields = isCustom
    ? (command.payload ?? []).map((field) => ({
        code: field.code,
        type: field.type,
        name: field.name,
        required: field.required ?? false,
        values: field.values ?? [],
        target: field.target ?? null,
      }))
    : [...model.fields.values()].filter(({ content }) => content !== null).map(toKnownField);
  const { name, modelCode, operations, target = false } = command;
  return { code, name, modelCode, operations, takesTarget: isCustom && target, fields };
}
