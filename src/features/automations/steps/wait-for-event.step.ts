import { Type, type Static } from 'typebox';
import { EXPRESSION, IDENTIFIER } from '../../../platform/metadata/content/schema-parts.ts';
import { correlationOf } from './correlation.ts';
import { toModel } from './step-references.ts';
import type { ControlStepKind } from './step-kind.ts';
import { controlSchema, EVENT_TYPE } from './step-schema.ts';
import { timedOut, timeoutAt, WAIT_TIMEOUT } from './wait-timeout.ts';

const schema = controlSchema('waitForEvent', {
  eventType: EVENT_TYPE,
  modelCode: Type.Optional(IDENTIFIER),
  /** `event` is the event that the step waits for. */
  filter: Type.Optional(EXPRESSION),
  ...WAIT_TIMEOUT,
});

/** Waits for the first event that fits. Events are delivered to it by `AwaitedEvents`. */
export const waitForEventStep: ControlStepKind<Static<typeof schema>> = {
  schema,
  references: ({ modelCode }) => toModel('modelCode', modelCode),
  outputType: () => ({ fields: { event: 'any', timedOut: 'boolean' } }),
  begin: (step, start) => ({
    status: 'WAITING',
    waitFor: step.eventType,
    waitCorrelation: step.filter === undefined ? null : correlationOf(step.filter, start.expressions),
    dueAt: timeoutAt(step, start),
  }),
  expire: timedOut,
};
