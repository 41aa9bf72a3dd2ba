import { Type, type Static, type TLiteral, type TObject, type TProperties } from 'typebox';
import { OPERATIONS } from '../../commands/definition/command-content.ts';
import { mapOf } from '../../../foundation/validation/schema.ts';
import { closedObject, CONDITION, EXPRESSION, IDENTIFIER } from '../../../platform/metadata/content/schema-parts.ts';
import { MAX_ATTEMPT_SECONDS } from '../automations.limits.ts';
import type { Reference } from '../../../platform/metadata/resources/resource-type.ts';
import { BUILT_IN_ROLES } from '../../../platform/metadata/permissions/permissions.ts';

/** References of an automation, with paths in the content they stand in; none where the key is absent. */
export function toModel(path: string, code: string | undefined, field?: string): Reference[] {
  if (code === undefined) return [];
  return [{ path, resourceType: 'MODEL', code, ...(field !== undefined && { field }) }];
}

export function toCommand(path: string, code: string): Reference[] {
  return [{ path, resourceType: 'COMMAND', code }];
}

export function toAssistant(path: string, code: string): Reference[] {
  return [{ path, resourceType: 'ASSISTANT', code }];
}

export function toRole(path: string, code: string | undefined): Reference[] {
  return code === undefined || BUILT_IN_ROLES.has(code) ? [] : [{ path, resourceType: 'PERMISSION', code }];
}

/** A step of whatever kind. The keys beyond these are those of its kind's schema. */
export interface AnyStep {
  id: string;
  type: string;
  when?: string;
  onError?: 'fail' | 'continue';
  [key: string]: unknown;
}

/** Keys to expressions. */
export const MAPPING = mapOf(EXPRESSION, { maxProperties: 500 });
export const COMMAND_CODE = Type.String({ pattern: '^[a-z][a-z0-9_]{0,31}:[a-z][a-z0-9_]{0,63}$' });
/** An event type, or the start of event types followed by `*`. */
export const EVENT_TYPE = Type.String({ pattern: '^(\\*|[A-Za-z][A-Za-z0-9_.:-]*\\*?)$', maxLength: 100 });
export const ROLE = Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' });
export const FAIL_OR_CONTINUE = Type.Enum(['fail', 'continue']);

/** A list of steps within a step. */
export const BLOCK = Type.Unsafe<AnyStep[]>({
  type: 'array',
  minItems: 1,
  maxItems: 200,
  items: { $ref: 'automation-step' },
});

export const COMMAND_CALL = {
  commandCode: COMMAND_CODE,
  operationType: Type.Optional(Type.Enum([...OPERATIONS])),
  target: Type.Optional(EXPRESSION),
  payload: Type.Optional(MAPPING),
};
const COMMAND_CALL_OBJECT = closedObject(COMMAND_CALL);
export type CommandCall = Static<typeof COMMAND_CALL_OBJECT>;

const RETRY = closedObject({
  maxAttempts: Type.Integer({ minimum: 1, maximum: 100 }),
  /** The delay before the second attempt; it grows by `factor` up to `maxSeconds`. */
  initialSeconds: Type.Optional(Type.Number({ minimum: 0.1, maximum: MAX_ATTEMPT_SECONDS })),
  factor: Type.Optional(Type.Number({ minimum: 1, maximum: 10 })),
  maxSeconds: Type.Optional(Type.Number({ minimum: 0.1, maximum: 86_400 })),
});
export type RetryPolicy = Static<typeof RETRY>;

/** A step that acts outside its run. */
export interface ActivityStep extends AnyStep {
  retry?: RetryPolicy;
  timeoutSeconds?: number;
  compensation?: CommandCall;
}

const ANY_STEP = {
  /** Unique in the whole automation; later expressions read the step's output as `steps.<id>`. */
  id: IDENTIFIER,
  /** The step is skipped unless this is true. */
  when: Type.Optional(CONDITION),
  /** Whether its failure ends the run (`fail`, default). */
  onError: Type.Optional(FAIL_OR_CONTINUE),
};
const ACTIVITY = {
  ...ANY_STEP,
  retry: Type.Optional(RETRY),
  /** How long one attempt may take. */
  timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ATTEMPT_SECONDS })),
  /** The command that undoes the step when the run fails or is cancelled later. */
  compensation: Type.Optional(COMMAND_CALL_OBJECT),
};

export type StepSchema = TObject<{ type: TLiteral<string> }>;

/** The schema of a step that decides or waits within its run. */
export function controlSchema<T extends string, P extends TProperties>(type: T, properties: P) {
  return closedObject({ type: Type.Literal(type), ...ANY_STEP, ...properties });
}

/** The schema of a step that acts outside its run, by an activity. */
export function activitySchema<T extends string, P extends TProperties>(type: T, properties: P) {
  return closedObject({ type: Type.Literal(type), ...ACTIVITY, ...properties });
}
