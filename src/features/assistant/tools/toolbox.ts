import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { AssistantContent } from '../assistant-type.ts';
import type { CommandContent, Operation } from '../../commands/command-content.ts';
import type { FieldType } from '../../../platform/metadata/field-types/field-types.ts';
import type { Field, Model } from '../../../platform/metadata/models/model.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { COMMAND } from '../../commands/command-type.ts';

export interface KnownField {
  readonly code: string;
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly values: readonly string[];
  /** The target model of a relation. */
  readonly target: string | null;
}

/** A model with what the assistant and its caller may see of it. */
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
  /** Whether a CUSTOM command needs a record. */
  readonly takesTarget: boolean;
  readonly fields: readonly KnownField[];
}

/** The models and commands that both the assistant's configuration and the caller's rights allow. */
export interface Toolbox {
  readonly user: { readonly pid: string; readonly username: string };
  readonly models: readonly KnownModel[];
  readonly commands: readonly KnownCommand[];
}

/** @param mayConfirm whether a user can confirm commands */
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
    const command = metadata.find(COMMAND, code);
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
