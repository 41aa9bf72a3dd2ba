import { recordValueSchemaOf } from '../../platform/metadata/field-types/payload-schema.ts';
import type { JsonSchema } from '../../platform/metadata/field-types/field-type.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { App } from '../app/app-schema.ts';
import { resultTypeOf } from '../commands/definition/command-result-type.ts';
import type { ResultType } from '../commands/steps/result-type.ts';
import { COMMAND } from '../commands/definition/command-type.ts';
import { referenceTo } from './operation-templates.ts';

type AppModel = App['models'][number];
type AppCommand = App['commands'][number];

const ANY_RECORD: JsonSchema = {
  type: 'object',
  properties: { id: { type: 'string' }, pid: { type: 'string' } },
  required: ['id', 'pid'],
  additionalProperties: true,
};

/** Schemas of the records of a caller's models, by their names in the document. */
export function recordSchemas(model: AppModel): readonly (readonly [name: string, schema: JsonSchema])[] {
  const { code, name, fields } = model;
  const properties = {
    ...Object.fromEntries(fields.map((field) => [field.code, { title: field.name, ...recordValueSchemaOf(field) }])),
    expanded: expandedSchema(model),
  };
  const record = { title: name, type: 'object', properties };
  const deleted = { deleted_at: { type: 'string', format: 'date-time' }, deleted_by: { type: 'string' } };
  const all = fields.map(({ code: own }) => own);
  return [
    [`Record.${code}`, { ...record, required: all }],
    [`SomeFields.${code}`, { ...record, required: ['id', 'pid'] }],
    [
      `DeletedRecord.${code}`,
      { ...record, properties: { ...properties, ...deleted }, required: [...all, 'deleted_at', 'deleted_by'] },
    ],
  ];
}

/** What `expand` answers. Only relations of the record itself are known by name. */
function expandedSchema({ fields, relations = [] }: AppModel): JsonSchema {
  const known = fields.flatMap(({ code, target }) =>
    target === undefined ? [] : [[code, { anyOf: [referenceTo(`Record.${target}`), { type: 'null' }] }] as const],
  );
  const many = relations.map(({ code, target }) => {
    const records = { type: 'array', items: referenceTo(`Record.${target}`) };
    const list = {
      type: 'object',
      properties: { records, total: { type: 'integer' } },
      required: ['records', 'total'],
    };
    return [code, { anyOf: [list, { type: 'null' }] }] as const;
  });
  return { type: 'object', properties: Object.fromEntries([...known, ...many]), additionalProperties: true };
}

/** The body of a request to execute a command. @param common its schema for any command */
export function commandBodySchema(command: AppCommand, common: JsonSchema): JsonSchema {
  const { operations, payloadSchema, target = false } = command;
  const takesRecord = target || operations.some((operation) => operation === 'UPDATE' || operation === 'DELETE');
  const needsRecord = takesRecord && !operations.includes('CREATE');
  const { required: fields = [] } = payloadSchema as { readonly required?: readonly string[] };
  const needsPayload = fields.length > 0 || (operations.length === 1 && operations[0] === 'CREATE');
  const {
    dryRun: _answersOtherwise,
    targetRecordId,
    expectedVersion,
    ...others
  } = common.properties as Record<string, JsonSchema>;
  return {
    type: 'object',
    properties: {
      ...others,
      operationType: { type: 'string', enum: operations },
      payload: payloadSchema,
      ...(takesRecord && { targetRecordId: needsRecord ? { type: 'string' } : targetRecordId, expectedVersion }),
    },
    required: [...(needsPayload ? ['payload'] : []), ...(needsRecord ? ['targetRecordId'] : [])],
    additionalProperties: false,
  };
}

/** What a command answers to this caller. @param readable codes of the models whose records have a schema */
export function commandResultSchema(actor: Actor, code: string, readable: ReadonlySet<string>): JsonSchema {
  const { metadata, permissions } = actor;
  const command = metadata.get(COMMAND, code);
  const results = command.operations.map((operation) => schemaOf(resultTypeOf(operation, command, metadata)));
  return anyOf(results);

  function schemaOf(result: ResultType): JsonSchema {
    switch (result.kind) {
      case 'record':
        return recordSchema(result.modelCode, result.revealed);
      case 'deleted':
        return { type: 'object', properties: { pid: { type: 'string' } }, required: ['pid'] };
      case 'field': {
        const { modelCode, field } = result;
        return readable.has(modelCode) ? fieldSchema(modelCode, field.code) : {};
      }
      case 'payload':
        return recordValueSchemaOf(result.field);
      case 'object': {
        const members = result.members.filter(({ needs }) => needs.every((permission) => permissions.has(permission)));
        return {
          type: 'object',
          properties: Object.fromEntries(members.map(({ name, type }) => [name, schemaOf(type)])),
          required: members.map(({ name }) => name),
        };
      }
      case 'oneOf':
        return anyOf(result.types.map(schemaOf));
      case 'allOf':
        return { allOf: result.types.map(schemaOf) };
      case 'list':
        return { type: 'array', items: schemaOf(result.items) };
      case 'text':
      case 'user':
      case 'decimal':
        return { type: 'string' };
      case 'time':
        return { type: 'string', format: 'date-time' };
      case 'unknown':
        return {};
      case 'number':
      case 'boolean':
      case 'null':
        return { type: result.kind };
    }
  }

  function recordSchema(modelCode: string, revealed: readonly string[]): JsonSchema {
    const record = readable.has(modelCode) ? referenceTo(`Record.${modelCode}`) : ANY_RECORD;
    if (revealed.length === 0) return record;
    const properties = Object.fromEntries(revealed.map((field) => [field, fieldSchema(modelCode, field)]));
    return { allOf: [record, { type: 'object', properties, required: revealed }] };
  }

  function fieldSchema(modelCode: string, fieldCode: string): JsonSchema {
    const { content, type } = metadata.model(modelCode).fields.get(fieldCode) ?? {};
    if (content) return recordValueSchemaOf(content);
    return type ? recordValueSchemaOf({ code: fieldCode, name: fieldCode, type, required: true }) : {};
  }
}

function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return distinct.length === 1 && distinct[0] ? distinct[0] : { anyOf: distinct };
}
