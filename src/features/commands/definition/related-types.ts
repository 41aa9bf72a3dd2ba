import { PID_PATTERN } from '../../../foundation/database/pid.ts';
import type { ValueType } from '../../../foundation/expressions/type-check.ts';
import {
  fromFields,
  listOf,
  recordOf,
  withMembers,
  type ValueOrigin,
} from '../../../foundation/expressions/value-origin.ts';
import type { JsonSchema } from '../../../platform/metadata/field-types/field-type.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { withoutField, type Model } from '../../../platform/metadata/models/model.ts';
import { typeOfFields, typeOfPayload, typeOfRecord } from '../../../platform/metadata/models/record-types.ts';
import type { Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import type { CommandContent } from './command-content.ts';
import { payloadFieldsOfAll } from './payload-fields.ts';
import { MAX_RELATED_RECORDS } from '../commands.limits.ts';
import { kindsOf, type RelatedKind, type RelationContent } from './relation-content.ts';

/** The fields that a command's payload and its result come from: its record, and the related ones in it. */
export function originWithRelated({ modelCode, relations = [] }: CommandContent): ValueOrigin {
  if (relations.length === 0) return recordOf(modelCode);
  const members = relations.map((relation) => {
    const records = listOf(recordOf(relation.modelCode));
    const pids = listOf(fromFields([`${relation.modelCode}.pid`]));
    const parts = { create: records, update: records, unlink: pids, delete: pids };
    return [relation.code, withMembers(Object.entries(parts))] as const;
  });
  return { ...recordOf(modelCode), ...withMembers(members) };
}

/** What expressions know of the payload of a command that writes a record. */
export function payloadTypeOf(command: CommandContent, configuration: Configuration): ValueType {
  // An UPDATE reads what it takes; a CREATE has the defaults of the other fields as well.
  const isUpdate = command.operations.every((operation) => operation === 'UPDATE');
  const typeOf = (model: Model): ValueType =>
    isUpdate ? typeOfFields(payloadFieldsOfAll(command, model)) : typeOfPayload(model);
  return typeWithRelated(command, configuration, typeOf, (model, field) => typeOfPayload(withoutField(model, field)));
}

/** What they know of its result. */
export function resultTypeOfRecord(command: CommandContent, configuration: Configuration): ValueType {
  return typeWithRelated(command, configuration, typeOfRecord, typeOfRecord);
}

function typeWithRelated(
  { modelCode, relations = [] }: CommandContent,
  configuration: Configuration,
  typeOf: (model: Model) => ValueType,
  typeOfRelated: (model: Model, field: string) => ValueType,
): ValueType {
  const model = configuration.find(MODEL, modelCode);
  const own = model ? typeOf(model) : 'any';
  if (typeof own !== 'object' || !('fields' in own)) return own;
  const related = relations.map(({ code, modelCode: of, field }): [string, ValueType] => {
    const other = configuration.find(MODEL, of);
    const create = other ? typeOfRelated(other, field) : 'any';
    const update: ValueType =
      typeof create === 'object' && 'fields' in create ? { fields: { pid: 'text', ...create.fields } } : create;
    const pids: ValueType = { list: 'text' };
    return [code, { fields: { create: { list: create }, update: { list: update }, unlink: pids, delete: pids } }];
  });
  return { fields: { ...own.fields, ...Object.fromEntries(related) } };
}

/**
 * The JSON Schema of a relation in a payload.
 * @param child the schemas of a new record, and of a change of one
 */
export function relatedSchema(
  relation: RelationContent,
  title: string,
  child: { readonly create: JsonSchema; readonly update: JsonSchema },
): JsonSchema {
  const target = { pid: { type: 'string', pattern: PID_PATTERN }, expectedVersion: { type: 'integer', minimum: 1 } };
  const named = { type: 'object', properties: target, required: ['pid'], additionalProperties: false };
  const pids = { anyOf: [target.pid, named] };
  const change = { ...named, properties: { ...target, ...(child.update.properties as object) } };
  const items: Record<RelatedKind, JsonSchema> = { create: child.create, update: change, unlink: pids, delete: pids };
  const lists = kindsOf(relation).map((kind) => [
    kind,
    { type: 'array', items: items[kind], maxItems: MAX_RELATED_RECORDS },
  ]);
  return { title, type: 'object', properties: Object.fromEntries(lists), additionalProperties: false };
}
