import { Type, type Static } from 'typebox';
import { newPid } from '../../../foundation/database/pid.ts';
import { withMembers, type ValueOrigin } from '../../../foundation/expressions/value-origin.ts';
import type { ActivityStepKind } from './step-kind.ts';
import { activitySchema, MAPPING } from './step-schema.ts';

const schema = activitySchema('webhook', {
  /** The event's type is `automation.<code>`, or `automation.<code>.<event>`. */
  event: Type.Optional(Type.String({ pattern: '^[a-z][a-z0-9_]{0,31}$' })),
  payload: Type.Optional(MAPPING),
});

/** The type of the event that a step of an automation sends. */
function eventTypeOf(automationCode: string, { event }: { readonly event?: string }): string {
  return ['automation', automationCode, ...(event === undefined ? [] : [event])].join('.');
}

/** Sends an event, to webhooks and automations. */
export const webhookStep: ActivityStepKind<Static<typeof schema>> = {
  schema,
  defaultTimeoutSeconds: 30,

  outputOrigin: ({ payload }, originOf) => withMembers([['payload', originOfPayload(payload, originOf)]]),

  outputType: ({ payload = {} }) => ({
    fields: {
      eventType: 'text',
      payload: { fields: Object.fromEntries(Object.keys(payload).map((key) => [key, 'any' as const])) },
    },
  }),

  emits: (step, automationCode) => ({
    eventType: eventTypeOf(automationCode, step),
    payloadKeys: Object.keys(step.payload ?? {}),
  }),

  execute(step, { expressions, run, originOf }) {
    const { pid: runPid, automationCode, environment, tenantId, traceId } = run;
    const payload = expressions.evaluateAll(step.payload, 'payload');
    const eventType = eventTypeOf(automationCode, step);
    const result = { runPid, automationCode };
    const body = JSON.stringify({ commandCode: eventType, modelCode: null, payload, result });
    const origins = { payload: originOfPayload(step.payload, originOf) };
    const about = { pid: newPid(), environment, tenantId, eventType, commandCode: eventType, modelCode: '' };
    return {
      kind: 'done',
      output: { eventType, payload },
      event: { ...about, recordPid: null, body, traceId, origins },
    };
  },
};

function originOfPayload(
  payload: Readonly<Record<string, string>> = {},
  originOf: (source: string) => ValueOrigin,
): ValueOrigin {
  return withMembers(Object.entries(payload).map(([key, source]) => [key, originOf(source)]));
}
