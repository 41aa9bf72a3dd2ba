import type { ValueType } from '../../../foundation/expressions/type-check.ts';
import { typeInJson } from '../../../foundation/expressions/value-type.ts';
import { matchesEventType } from '../../../platform/metadata/resources/event-types.ts';
import { typeOfFields } from '../../../platform/metadata/models/record-types.ts';
import type { Configuration, EventOrigins } from '../../../platform/metadata/resources/resource-type.ts';
import type { CommandContent } from './command-content.ts';
import { checkOfResult, checkOfStep, typesOfSteps } from './command-expression-types.ts';
import { commandOrigins, stepEventOrigin } from './command-origins.ts';
import { COMMAND } from './command-type.ts';
import { payloadTypeOf, resultTypeOfRecord } from './related-types.ts';
import { kindOf } from '../steps/step-kinds.ts';

/** What is known of the values of an event. */
export interface EventValueTypes {
  readonly payload: ValueType;
  readonly result: ValueType;
}

/** An event that a command emits. */
export interface EmittedEvent {
  readonly commandCode: string;
  readonly command: CommandContent;
  readonly eventType: string;
  /** The keys of the payload where a step emits it; null for the command's own event. */
  readonly stepPayload: readonly string[] | null;
  readonly origins: EventOrigins;
  types(configuration: Configuration): EventValueTypes;
}

/** The events that a command emits: its own, and those of its steps. */
export function eventsOf(commandCode: string, command: CommandContent): EmittedEvent[] {
  const own: EmittedEvent = {
    commandCode,
    command,
    eventType: command.event?.type ?? commandCode,
    stepPayload: null,
    origins: commandOrigins(command),
    types: (configuration) => typesOfCommand(command, configuration),
  };
  const ofSteps = (command.steps ?? []).flatMap((step, index): EmittedEvent[] => {
    const event = kindOf(step).event?.(step);
    const payload = stepEventOrigin(command, step);
    if (!event || !payload) return [];
    const about = { commandCode, command, eventType: event.eventType, stepPayload: Object.keys(event.payload) };
    return [
      { ...about, origins: { payload }, types: (known) => typesOfStepEvent(command, index, event.payload, known) },
    ];
  });
  return [own, ...ofSteps];
}

/** Of all commands, the events of a type, or of types that begin with what stands before its `*`. */
export function eventsMatching(
  eventType: string,
  modelCode: string | null,
  configuration: Configuration,
): EmittedEvent[] {
  return [...configuration.all(COMMAND)].flatMap(([code, command]) =>
    modelCode === null || modelCode === command.modelCode
      ? eventsOf(code, command).filter((event) => matchesEventType(eventType, event.eventType))
      : [],
  );
}

/** Of the command's own event. */
export function typesOfCommand(command: CommandContent, configuration: Configuration): EventValueTypes {
  const { operations, payload = [], steps, result } = command;
  const answered = result ? typesOfResult(command, result, configuration) : typesOfSteps(command, configuration);
  return {
    payload: operations.includes('CUSTOM') ? typeOfFields(payload) : payloadTypeOf(command, configuration),
    result: steps ? { fields: Object.fromEntries(answered) } : resultTypeOfRecord(command, configuration),
  };
}

function typesOfResult(
  command: CommandContent,
  result: Readonly<Record<string, string>>,
  configuration: Configuration,
): [string, ValueType][] {
  const check = checkOfResult(command, configuration);
  return Object.entries(result).map(([key, source]) => [key, typeInJson(check.valueTypeOf(source))]);
}

function typesOfStepEvent(
  command: CommandContent,
  index: number,
  payload: Readonly<Record<string, string>>,
  configuration: Configuration,
): EventValueTypes {
  const check = checkOfStep(command, index, configuration);
  const types = Object.entries(payload).map(([key, source]) => [key, typeInJson(check.valueTypeOf(source))] as const);
  return { payload: { fields: Object.fromEntries(types) }, result: { fields: {} } };
}
