import { Type, type Static } from 'typebox';
import { newPid } from '../../../foundation/database/pid.ts';
import { withMembers, type Sources } from '../../../foundation/expressions/value-sources.ts';
import type { ActivityStepKind } from './step-kind.ts';
import { activitySchema, MAPPING } from './step-schema.ts';

const schema = activitySchema('webhook', {
  /** The event's type is `automation.<code>`, or `automation.<code>.<event>`. */
  event: Type.Optional(Type.String({ pattern: '^[a-z][a-z0-9_]{0,31}$' })),
  payload: Type.Optional(MAPPING),
});

/** Sends an event, to webhooks and automations. */
export const webhookStep: ActivityStepKind<Static<typeof schema>> = {
  schema,
  defaultTimeoutSeconds: 30,

  outputSources: ({ payload }, sourcesOf) => withMembers([['payload', sourcesOfPayload(payload, sourcesOf)]]),

  execute(step, { expressions, run, sourcesOf }) {
    const { pid: runPid, automationCode, environment, tenantId, traceId } = run;
    const payload = expressions.evaluateAll(step.payload, 'payload');
    const eventType = ['automation', automationCode, ...(step.event === undefined ? [] : [step.event])].join('.');
    const result = { runPid, automationCode };
    const body = JSON.stringify({ commandCode: eventType, modelCode: null, payload, result });
    const sources = { payload: sourcesOfPayload(step.payload, sourcesOf) };
    const about = { pid: newPid(), environment, tenantId, eventType, commandCode: eventType, modelCode: '' };
    return {
      kind: 'done',
      output: { eventType, payload },
      event: { ...about, recordPid: null, body, traceId, sources },
    };
  },
};

function sourcesOfPayload(
  payload: Readonly<Record<string, string>> = {},
  sourcesOf: (source: string) => Sources,
): Sources {
  return withMembers(Object.entries(payload).map(([key, source]) => [key, sourcesOf(source)]));
}
