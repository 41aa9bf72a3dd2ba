import { controlSchema, EVENT_TYPE, toModel } from './step-schema.ts';
import { Type, type Static } from 'typebox';
import { EXPRESSION, IDENTIFIER } from '../../../platform/metadata/content/schema-parts.ts';
import { join, withMembers, type ValueOrigin } from '../../../foundation/expressions/value-origin.ts';
import { originsOfRecord } from '../../../platform/events/audience/event-origins.ts';
import { includesRecordEvents } from '../../../platform/events/event-pattern.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import { eventsMatching } from '../../commands/definition/command-events.ts';
import { typeOfEvent, typesOfEvents } from '../../commands/definition/event-value-types.ts';
import { correlationOf } from './correlation.ts';
import type { ControlStepKind } from './step-kind.ts';
import { timedOut, timeoutAt, WAIT_TIMEOUT } from './wait-timeout.ts';

const schema = controlSchema('waitForEvent', {
  eventType: EVENT_TYPE,
  modelCode: Type.Optional(IDENTIFIER),
  /** `event` is the event that the step waits for. */
  filter: Type.Optional(EXPRESSION),
  ...WAIT_TIMEOUT,
});

export type WaitForEventStep = Static<typeof schema>;

/** Waits for the first event that fits. Events are delivered to it by `AwaitedEvents`. */
export const waitForEventStep: ControlStepKind<WaitForEventStep> = {
  schema,
  references: ({ modelCode }) => toModel('modelCode', modelCode),
  outputType: ({ eventType, modelCode }, after) => ({
    fields: { event: typeOfEvent(typesOfEvents(eventType, modelCode ?? null, after)), timedOut: 'boolean' },
  }),
  outputOrigin: ({ eventType, modelCode }, _originOf, metadata) =>
    withMembers([['event', originOfEventType(eventType, modelCode, metadata)]]),
  begin: (step, start) => ({
    status: 'WAITING',
    waitFor: step.eventType,
    waitCorrelation: step.filter === undefined ? null : correlationOf(step.filter, start.expressions),
    dueAt: timeoutAt(step, start),
  }),
  expire: timedOut,
};

/** The fields that any of the events comes from. */
function originOfEventType(eventType: string, modelCode: string | undefined, metadata: Snapshot): ValueOrigin {
  const models = modelCode === undefined ? [...metadata.models.keys()] : [modelCode];
  const known = [
    ...eventsMatching(eventType, modelCode ?? null, metadata).map(({ origins }) => origins),
    ...(includesRecordEvents([eventType]) ? models.map(originsOfRecord) : []),
  ];
  return withMembers(
    (['payload', 'result'] as const).map((part) => [part, join(...known.map((each) => each[part] ?? {}))]),
  );
}
