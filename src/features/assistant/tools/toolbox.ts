import { notFound } from '../../../foundation/errors/application-error.ts';
import { authorize, type Actor } from '../../../platform/auth/requests/actor.ts';
import type { AssistantContent, AssistantToolsContent } from '../assistant-type.ts';
import type { CommandContent, Operation } from '../../commands/definition/command-content.ts';
import type { FieldType } from '../../../platform/metadata/field-types/field-types.ts';
import { withoutField, type Field, type Model } from '../../../platform/metadata/models/model.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { payloadFieldsOfAll } from '../../commands/definition/payload-fields.ts';
import { COMMAND } from '../../commands/definition/command-type.ts';
import { kindsOf, type RelatedKind } from '../../commands/definition/relation-content.ts';
import { displayFieldOf, withNames } from '../../../platform/records/display-field.ts';
import type { ToolArguments } from './tool-call.ts';
import { joinOf } from '../../../platform/records/conditions/related-fields.ts';

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
  /** The field by which people know a record. */
  readonly displayField: string;
  readonly fields: readonly KnownField[];
  /** Many to many: what `read_record` can answer beside the records that fields name. */
  readonly relations: readonly { readonly code: string; readonly name: string; readonly target: string }[];
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
  readonly relations: readonly KnownRelation[];
}

/** Related records that a command's payload may hold. */
export interface KnownRelation {
  readonly code: string;
  readonly kinds: readonly RelatedKind[];
  readonly fields: readonly KnownField[];
}

/** The models and commands that both the assistant's configuration and the caller's rights allow. */
export interface Toolbox {
  readonly user: { readonly pid: string; readonly username: string };
  readonly models: readonly KnownModel[];
  readonly commands: readonly KnownCommand[];
}

/** Who calls a tool, through which assistant. */
export interface ToolCaller {
  readonly actor: Actor;
  readonly assistant: AssistantContent;
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
      displayField: displayFieldOf(model, permissions),
      fields: readableFields(model, actor),
      relations: [...model.relations.values()].flatMap(({ code, name }) => {
        const target = joinOf(model, code, actor)?.target.code;
        return target !== undefined && showsRecordsOf(tools, target) ? [{ code, name, target }] : [];
      }),
      mayList: list.includes(model.code),
      mayRead: read.includes(model.code),
      mayDescribe: describe.includes(model.code),
    }));
  const known = (mayConfirm ? commands : []).flatMap((code) => {
    const command = metadata.find(COMMAND, code);
    const model = command && metadata.models.get(command.modelCode);
    if (!command || !model || !permissions.has(permissionCode.commandExecute(code))) return [];
    return [knownCommand(code, command, model, metadata)];
  });
  return { user: { pid: actor.userPid, username: actor.username }, models, commands: known };
}

/** The models of a toolbox that a tool may work on. */
export function codesThat(may: 'mayList' | 'mayRead' | 'mayDescribe', { models }: Toolbox): string[] {
  return models.filter((model) => model[may]).map(({ code }) => code);
}

/** The model that a call names. @throws NOT_FOUND, FORBIDDEN */
export function modelFor(
  { actor, assistant }: ToolCaller,
  tool: keyof AssistantToolsContent,
  { model: code }: ToolArguments,
): Model {
  if (typeof code !== 'string' || !assistant.tools[tool]?.includes(code)) throw notFound('There is no such model');
  authorize(actor, permissionCode.recordRead(code));
  return actor.metadata.model(code);
}

/** Whether an assistant's configuration lets it show records of a model. */
export function showsRecordsOf({ list = [], read = [] }: AssistantToolsContent, modelCode: string): boolean {
  return list.includes(modelCode) || read.includes(modelCode);
}

/** The fields of a record, with the names of what they refer to as far as the assistant may show that. */
export function namedFields(model: Model, { actor, assistant: { tools } }: ToolCaller): string[] {
  const codes = readableFields(model, actor).map(({ code }) => code);
  return withNames(codes, model, actor).filter((name) => {
    const [code = '', path] = name.split('.');
    const target = path === undefined ? undefined : model.fields.get(code)?.content?.target;
    return target === undefined || showsRecordsOf(tools, target);
  });
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

function ownFields(model: Model): KnownField[] {
  return [...model.fields.values()].filter(({ content }) => content !== null).map(toKnownField);
}

function knownCommand(code: string, command: CommandContent, model: Model, metadata: Snapshot): KnownCommand {
  const isCustom = command.operations.includes('CUSTOM');
  const taken = new Set(payloadFieldsOfAll(command, model).map(({ code: each }) => each));
  const fields = isCustom
    ? (command.payload ?? []).map((field) => ({
        code: field.code,
        type: field.type,
        name: field.name,
        required: field.required ?? false,
        values: field.values ?? [],
        target: field.target ?? null,
      }))
    : ownFields(model).filter((field) => taken.has(field.code));
  const { name, modelCode, operations, target = false } = command;
  const relations = (command.relations ?? []).map((relation) => ({
    code: relation.code,
    kinds: kindsOf(relation),
    fields: ownFields(withoutField(metadata.model(relation.modelCode), relation.field)),
  }));
  return { code, name, modelCode, operations, takesTarget: isCustom && target, fields, relations };
}
