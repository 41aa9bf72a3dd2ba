import { Type, type Static } from 'typebox';
import { closedObject, EXPRESSION, IDENTIFIER, NAME } from '../../../platform/metadata/content/schema-parts.ts';
import { fieldSchema, MAX_FIELDS } from '../../../platform/metadata/field-types/field-content.ts';
import { blocksOf } from '../steps/step-kinds.ts';
import { type AnyStep, BLOCK, COMMAND_CODE, EVENT_TYPE, MAPPING, ROLE } from '../steps/step-schema.ts';
import { MAX_WAIT_SECONDS } from '../automations.limits.ts';

const MANUAL = closedObject({ type: Type.Literal('manual') });
const EVENT = closedObject({
  type: Type.Literal('event'),
  eventType: EVENT_TYPE,
  modelCode: Type.Optional(IDENTIFIER),
  /** A condition over the event, as a webhook's `filterExpression`. */
  filter: Type.Optional(EXPRESSION),
  input: Type.Optional(MAPPING),
});
const COMMAND = closedObject({
  type: Type.Literal('command'),
  commandCode: COMMAND_CODE,
  filter: Type.Optional(EXPRESSION),
  input: Type.Optional(MAPPING),
});
const SCHEDULE = closedObject({
  type: Type.Literal('schedule'),
  cron: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  everySeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_WAIT_SECONDS })),
  timezone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** The ids of the tenants it starts runs in; all that are active where it is absent. */
  tenants: Type.Optional(Type.Array(Type.String({ pattern: '^\\d{1,19}$' }), { minItems: 1, maxItems: 1000 })),
  input: Type.Optional(MAPPING),
});
const TRIGGERS = [MANUAL, EVENT, COMMAND, SCHEDULE] as const;
export type TriggerContent = Static<(typeof TRIGGERS)[number]>;
export type ScheduleTrigger = Static<typeof SCHEDULE>;

export const TRIGGER_TYPES = TRIGGERS.map(({ properties }) => properties.type.const);

/** The input of an automation is no column: its field codes may be in camel case. */
const INPUT_CODE = Type.String({ pattern: '^[a-z][A-Za-z0-9_]{0,47}$' });
export const AUTOMATION_INPUT = Type.Array(fieldSchema(INPUT_CODE), { maxItems: MAX_FIELDS });

/**
 * What starts an automation, and the steps of its runs. Expressions are CEL; docs/automations.md lists their
 * variables.
 */
export const AUTOMATION_SCHEMA = closedObject({
  name: NAME,
  /** False: the trigger starts nothing; runs can still be started by hand. */
  enabled: Type.Optional(Type.Boolean()),
  trigger: Type.Unsafe<TriggerContent>({
    type: 'object',
    required: ['type'],
    discriminator: { propertyName: 'type' },
    oneOf: TRIGGERS,
  }),
  /** The run's input: from its caller, or from the trigger's `input`. */
  input: Type.Optional(AUTOMATION_INPUT),
  /** The role whose rights a run has; without it, a run has the rights of the user who caused it. */
  runAs: Type.Optional(ROLE),
  steps: BLOCK,
});
export type AutomationContent = Static<typeof AUTOMATION_SCHEMA>;

/** Every step with its path, those within other steps included, in the order in which they are written. */
export function* stepsOf(steps: readonly AnyStep[], path = 'steps'): Iterable<{ step: AnyStep; path: string }> {
  for (const [index, step] of steps.entries()) {
    const at = `${path}.${index}`;
    yield { step, path: at };
    for (const [inner, block] of blocksOf(step)) yield* stepsOf(block, `${at}.${inner}`);
  }
}
