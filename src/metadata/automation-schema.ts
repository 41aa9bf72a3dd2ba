import { HTTP_METHODS } from './automation-content.ts';
import { OPERATIONS } from './content.ts';

const identifier = { type: 'string', pattern: '^[a-z][a-z0-9_]{0,47}$' } as const;
const name = { type: 'string', minLength: 1, maxLength: 200 } as const;
const expression = { type: 'string', minLength: 1, maxLength: 4000 } as const;
const mapping = { type: 'object', maxProperties: 500, additionalProperties: expression } as const;
const commandCode = { type: 'string', pattern: '^[a-z][a-z0-9_]{0,31}:[a-z][a-z0-9_]{0,63}$' } as const;
/** An event type, or the start of some followed by `*`. */
const eventType = { type: 'string', pattern: '^(\\*|[A-Za-z][A-Za-z0-9_.:-]*\\*?)$', maxLength: 100 } as const;
const role = { type: 'string', pattern: '^[A-Z][A-Z0-9_]{0,63}$' } as const;
const choice = { enum: ['fail', 'continue'] } as const;
const YEAR_SECONDS = 31_536_000;
const HOUR_SECONDS = 3_600;
const patience = { type: 'integer', minimum: 1, maximum: YEAR_SECONDS } as const;
const block = { type: 'array', minItems: 1, maxItems: 200, items: { $ref: 'automation-step' } } as const;

const commandCall = {
  commandCode,
  operationType: { enum: OPERATIONS },
  target: expression,
  payload: mapping,
} as const;

const base = { id: identifier, when: expression, onError: choice } as const;
const acting = {
  ...base,
  retry: {
    type: 'object',
    additionalProperties: false,
    required: ['maxAttempts'],
    properties: {
      maxAttempts: { type: 'integer', minimum: 1, maximum: 100 },
      initialSeconds: { type: 'number', minimum: 0.1, maximum: HOUR_SECONDS },
      factor: { type: 'number', minimum: 1, maximum: 10 },
      maxSeconds: { type: 'number', minimum: 0.1, maximum: 86_400 },
    },
  },
  timeoutSeconds: { type: 'integer', minimum: 1, maximum: HOUR_SECONDS },
  compensation: {
    type: 'object',
    additionalProperties: false,
    required: ['commandCode'],
    properties: commandCall,
  },
} as const;

const ofType = (type: string, required: readonly string[], properties: object) => ({
  additionalProperties: false,
  required: ['id', ...required],
  properties: { type: { const: type }, ...properties },
});

/** One step; steps within steps refer to it again. */
export const AUTOMATION_STEP_SCHEMA = {
  $id: 'automation-step',
  type: 'object',
  required: ['id', 'type'],
  discriminator: { propertyName: 'type' },
  oneOf: [
    ofType('command', ['commandCode'], { ...acting, ...commandCall }),
    ofType('query', ['modelCode'], {
      ...acting,
      modelCode: identifier,
      filters: {
        type: 'array',
        maxItems: 100,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['fieldName', 'operator'],
          properties: { fieldName: { type: 'string' }, operator: { type: 'string' }, value: expression },
        },
      },
      sortField: identifier,
      sortOrder: { enum: ['asc', 'desc'] },
      limit: { type: 'integer', minimum: 1, maximum: 500 },
    }),
    ofType('http', ['url'], {
      ...acting,
      method: { enum: HTTP_METHODS },
      url: expression,
      headers: { ...mapping, maxProperties: 50 },
      body: expression,
    }),
    ofType('webhook', [], {
      ...acting,
      event: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,31}$' },
      payload: mapping,
    }),
    ofType('assistant', ['assistant', 'prompt'], {
      ...acting,
      assistant: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' },
      prompt: expression,
    }),
    ofType('condition', ['assert'], {
      ...base,
      assert: expression,
      otherwise: { enum: ['stop', 'fail'] },
      message: { type: 'string', minLength: 1, maxLength: 500 },
    }),
    ofType('branch', ['cases'], {
      ...base,
      cases: {
        type: 'array',
        minItems: 1,
        maxItems: 50,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['if', 'steps'],
          properties: { if: expression, steps: block },
        },
      },
      else: block,
    }),
    ofType('forEach', ['items', 'steps'], {
      ...base,
      items: expression,
      steps: block,
      concurrency: { type: 'integer', minimum: 1, maximum: 20 },
    }),
    ofType('wait', [], {
      ...base,
      seconds: { type: 'number', exclusiveMinimum: 0, maximum: YEAR_SECONDS },
      until: expression,
    }),
    ofType('waitForEvent', ['eventType'], {
      ...base,
      eventType,
      modelCode: identifier,
      filter: expression,
      timeoutSeconds: patience,
      onTimeout: choice,
    }),
    ofType('approval', [], {
      ...base,
      message: expression,
      role,
      user: expression,
      fourEyes: { type: 'boolean' },
      timeoutSeconds: patience,
      onTimeout: choice,
      onReject: choice,
    }),
  ],
} as const;

const trigger = {
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [
    { additionalProperties: false, properties: { type: { const: 'manual' } } },
    {
      additionalProperties: false,
      required: ['eventType'],
      properties: {
        type: { const: 'event' },
        eventType,
        modelCode: identifier,
        filter: expression,
        input: mapping,
      },
    },
    {
      additionalProperties: false,
      required: ['commandCode'],
      properties: { type: { const: 'command' }, commandCode, filter: expression, input: mapping },
    },
    {
      additionalProperties: false,
      properties: {
        type: { const: 'schedule' },
        cron: { type: 'string', minLength: 1, maxLength: 200 },
        everySeconds: { type: 'integer', minimum: 1, maximum: YEAR_SECONDS },
        timezone: { type: 'string', minLength: 1, maxLength: 64 },
        tenants: { type: 'array', minItems: 1, maxItems: 1000, items: { type: 'string', pattern: '^\\d{1,19}$' } },
        input: mapping,
      },
    },
  ],
} as const;

const typesOf = (variants: readonly { readonly properties: { readonly type: { readonly const: string } } }[]) =>
  variants.map(({ properties }) => properties.type.const);

export const STEP_TYPES = typesOf(AUTOMATION_STEP_SCHEMA.oneOf);
export const TRIGGER_TYPES = typesOf(trigger.oneOf);

/** The JSON Schema of an AUTOMATION. @param fields the schema of declared fields */
export function automationSchema(fields: object): object {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'trigger', 'steps'],
    properties: {
      name,
      enabled: { type: 'boolean' },
      trigger,
      input: fields,
      runAs: role,
      steps: block,
    },
  };
}
