import { AUTOMATION_STEP_SCHEMA, automationSchema } from './automation-schema.ts';
import { FIELD_TYPES, OPERATIONS, type ResourceType } from './content.ts';
import { PERMISSION_CODE_PATTERN } from './permission-codes.ts';

/** Codes that become Postgres identifiers: tables, columns. */
const identifier = { type: 'string', pattern: '^[a-z][a-z0-9_]{0,47}$' } as const;
const name = { type: 'string', minLength: 1, maxLength: 200 } as const;
const expression = { type: 'string', minLength: 1, maxLength: 4000 } as const;

/** What a resource's own code looks like, by type. */
export const CODE_PATTERNS: Record<ResourceType, string> = {
  MODEL: identifier.pattern,
  PAGE_SCHEMA: '^[a-z][a-z0-9_-]{0,63}$',
  COMMAND: '^[a-z][a-z0-9_]{0,31}:[a-z][a-z0-9_]{0,63}$',
  PERMISSION: '^[A-Z][A-Z0-9_]{0,63}$',
  DATASOURCE: '^[a-z][a-z0-9_]{0,63}$',
  I18N: '^[a-z][a-z0-9_.-]{0,99}$',
  AUTOMATION: '^[a-z][a-z0-9_]{0,47}$',
  ASSISTANT: '^[a-z][a-z0-9_]{0,63}$',
  IM_CHANNEL: '^[a-z][a-z0-9_]{0,63}$',
};

const field = {
  type: 'object',
  additionalProperties: false,
  required: ['code', 'name', 'type'],
  properties: {
    code: identifier,
    name,
    type: { enum: FIELD_TYPES },
    required: { type: 'boolean' },
    unique: { type: 'boolean' },
    default: {},
    min: { type: 'number' },
    max: { type: 'number' },
    maxLength: { type: 'integer', minimum: 1, maximum: 10_000 },
    pattern: { type: 'string', maxLength: 500, format: 'regex' },
    values: { type: 'array', minItems: 1, maxItems: 500, uniqueItems: true, items: { type: 'string', minLength: 1 } },
    target: identifier,
    searchable: { type: 'boolean' },
    indexed: { type: 'boolean' },
    readPermission: { type: 'boolean' },
    writePermission: { type: 'boolean' },
  },
  allOf: [
    { if: { properties: { type: { const: 'enum' } } }, then: { required: ['values'] } },
    { if: { properties: { type: { const: 'relation' } } }, then: { required: ['target'] } },
  ],
} as const;

const fields = { type: 'array', maxItems: 500, items: field } as const;

/** What an automation is given is no column: its codes may be in camel case. */
const inputCode = { type: 'string', pattern: '^[a-z][A-Za-z0-9_]{0,47}$' } as const;
export const AUTOMATION_INPUT = {
  ...fields,
  items: { ...field, properties: { ...field.properties, code: inputCode } },
} as const;

const filter = {
  $id: 'filter',
  type: 'object',
  anyOf: [
    {
      additionalProperties: false,
      required: ['fieldName', 'operator'],
      properties: { fieldName: { type: 'string' }, operator: { type: 'string' }, value: {} },
    },
    { additionalProperties: false, required: ['and'], properties: { and: { $ref: '#/$defs/filters' } } },
    { additionalProperties: false, required: ['or'], properties: { or: { $ref: '#/$defs/filters' } } },
    { additionalProperties: false, required: ['not'], properties: { not: { $ref: 'filter' } } },
  ],
  $defs: { filters: { type: 'array', minItems: 1, items: { $ref: 'filter' } } },
} as const;

const filters = { type: 'array', maxItems: 100, items: { $ref: 'filter' } } as const;

const step = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'operation', 'modelCode'],
  properties: {
    id: identifier,
    operation: { enum: ['CREATE', 'UPDATE', 'DELETE'] },
    modelCode: identifier,
    target: expression,
    values: { type: 'object', additionalProperties: expression },
    when: expression,
  },
  allOf: [
    { if: { properties: { operation: { const: 'CREATE' } } }, then: { required: ['values'] } },
    { if: { properties: { operation: { enum: ['UPDATE', 'DELETE'] } } }, then: { required: ['target'] } },
  ],
} as const;

const rule = {
  type: 'object',
  additionalProperties: false,
  required: ['assert', 'message'],
  properties: {
    assert: expression,
    message: { type: 'string', minLength: 1, maxLength: 500 },
    code: { enum: ['CONFLICT', 'VALIDATION_ERROR'] },
    reason: { type: 'string', pattern: '^[A-Z][A-Z0-9_]{0,31}$' },
    field: identifier,
  },
} as const;

/** Names with texts, such as headers. */
const texts = {
  type: 'object',
  maxProperties: 50,
  additionalProperties: { type: 'string', maxLength: 4_000 },
} as const;
/** A place in JSON: keys joined by dots. */
const path = { type: 'string', pattern: '^[^.]+(\\.[^.]+)*$', maxLength: 200 } as const;
const codes = { type: 'array', maxItems: 200, uniqueItems: true, items: { type: 'string', maxLength: 100 } } as const;

/** Schemas that others refer to by name. */
export const SHARED_SCHEMAS = [filter, AUTOMATION_STEP_SCHEMA];

/** One JSON Schema per resource type; unknown keys are errors everywhere. */
export const CONTENT_SCHEMAS: Record<ResourceType, object> = {
  MODEL: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'fields'],
    properties: {
      name,
      fields: { ...fields, minItems: 1 },
      rowRules: {
        type: 'array',
        maxItems: 50,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['name', 'conditions'],
          properties: { name, unless: { type: 'string', minLength: 1, maxLength: 200 }, conditions: filters },
        },
      },
    },
  },
  PAGE_SCHEMA: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'modelCode', 'columns'],
    properties: {
      name,
      modelCode: identifier,
      columns: { type: 'array', minItems: 1, maxItems: 500, items: identifier },
    },
  },
  COMMAND: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'modelCode', 'operations'],
    properties: {
      name,
      modelCode: identifier,
      operations: { type: 'array', minItems: 1, uniqueItems: true, items: { enum: OPERATIONS } },
      target: { type: 'boolean' },
      payload: fields,
      rules: { type: 'array', maxItems: 100, items: rule },
      steps: { type: 'array', minItems: 1, maxItems: 100, items: step },
      result: { type: 'object', minProperties: 1, additionalProperties: expression },
      event: {
        type: 'object',
        additionalProperties: false,
        required: ['type'],
        properties: { type: { type: 'string', pattern: '^[a-z][a-z0-9_.:]{0,99}$' } },
      },
      execution: { enum: ['workflow', 'inline'] },
      idempotency: { enum: ['replay', 'strict'] },
    },
  },
  PERMISSION: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'codes'],
    properties: {
      name,
      codes: {
        type: 'array',
        maxItems: 1000,
        uniqueItems: true,
        items: { type: 'string', pattern: PERMISSION_CODE_PATTERN, maxLength: 200 },
      },
    },
  },
  DATASOURCE: {
    type: 'object',
    required: ['name', 'kind'],
    discriminator: { propertyName: 'kind' },
    oneOf: [
      {
        additionalProperties: false,
        required: ['rows'],
        properties: {
          name,
          kind: { const: 'static' },
          rows: { type: 'array', maxItems: 5000, items: { type: 'object' } },
        },
      },
      {
        additionalProperties: false,
        required: ['modelCode', 'fields'],
        properties: {
          name,
          kind: { const: 'model' },
          modelCode: identifier,
          fields: { type: 'array', minItems: 1, items: identifier },
          conditions: filters,
          sortFields: {
            type: 'array',
            maxItems: 10,
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['fieldName', 'order'],
              properties: { fieldName: identifier, order: { enum: ['asc', 'desc'] } },
            },
          },
        },
      },
      {
        additionalProperties: false,
        required: ['sql'],
        properties: { name, kind: { const: 'sql' }, sql: { type: 'string', minLength: 1, maxLength: 20_000 } },
      },
      {
        additionalProperties: false,
        required: ['url'],
        properties: {
          name,
          kind: { const: 'rest' },
          url: { type: 'string', minLength: 1, maxLength: 2_048 },
          method: { enum: ['GET', 'POST'] },
          headers: texts,
          query: texts,
          rowsPath: path,
          fields: { type: 'object', minProperties: 1, maxProperties: 100, additionalProperties: path },
          timeoutMs: { type: 'integer', minimum: 100, maximum: 15_000 },
        },
      },
    ],
  },
  I18N: {
    type: 'object',
    additionalProperties: false,
    required: ['locale', 'messages'],
    properties: {
      locale: { type: 'string', minLength: 2, maxLength: 35 },
      messages: {
        type: 'object',
        maxProperties: 5_000,
        propertyNames: { pattern: '^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}$' },
        additionalProperties: { type: 'string', minLength: 1, maxLength: 2_000 },
      },
    },
  },
  AUTOMATION: automationSchema(AUTOMATION_INPUT),
  ASSISTANT: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'systemPrompt', 'tools'],
    properties: {
      name,
      systemPrompt: { type: 'string', minLength: 1, maxLength: 20_000 },
      provider: { enum: ['default', 'builtin'] },
      model: { type: 'string', minLength: 1, maxLength: 200 },
      tools: {
        type: 'object',
        additionalProperties: false,
        properties: { list: codes, read: codes, describe: codes, commands: codes },
      },
      maxTurns: { type: 'integer', minimum: 1, maximum: 20 },
    },
  },
  IM_CHANNEL: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'kind', 'assistant'],
    properties: { name, kind: { enum: ['json', 'slack'] }, assistant: { type: 'string', maxLength: 64 } },
  },
};
