import { reservedNames } from '../../foundation/expressions/condition.ts';
import { NAMES_ALONE, TypeCheck, type ValueType } from '../../foundation/expressions/type-check.ts';
import type { Message } from '../../foundation/i18n/text.ts';
import { matchesEventType } from '../../platform/events/event-pattern.ts';
import { includesRecordEvents } from '../../platform/events/record-events.ts';
import { MODEL } from '../../platform/metadata/models/model-type.ts';
import { typeOfFields, typeOfPayload, typeOfRecord } from '../../platform/metadata/models/record-types.ts';
import type { Configuration } from '../../platform/metadata/resources/resource-type.ts';
import type { CommandContent } from './command-content.ts';
import { COMMAND } from './command-type.ts';

/** What is known of the values of an event. */
export interface EventValueTypes {
  readonly payload: ValueType;
  readonly result: ValueType;
}

/** Beginnings of the types of events that no command and no record has. */
const OTHER_EVENTS = ['automation.', 'webhook.', 'meta:'];

/** Of every event that a type, or the start of types followed by `*`, stands for; null where that may be any. */
export function typesOfEvents(
  eventType: string,
  modelCode: string | null,
  configuration: Configuration,
): EventValueTypes[] | null {
  const start = eventType.replace(/\*$/, '');
  if (OTHER_EVENTS.some((other) => other.startsWith(start) || start.startsWith(other))) return null;
  const commands = [...configuration.all(COMMAND)].filter(
    ([code, { event, modelCode: own }]) =>
      matchesEventType(eventType, event?.type ?? code) && (modelCode === null || modelCode === own),
  );
  const types = commands.map(([, command]) => typesOfCommand(command, configuration));
  if (!includesRecordEvents([eventType])) return types.length > 0 ? types : null;
  const model = modelCode === null ? undefined : configuration.find(MODEL, modelCode);
  return model ? [...types, { payload: typeOfPayload(model), result: typeOfRecord(model) }] : null;
}

/** Of the event of a command. */
export function typesOfCommand(command: CommandContent, configuration: Configuration): EventValueTypes {
  const { modelCode, operations, payload = [], steps, result } = command;
  const recordOf = (code: string): ValueType => {
    const model = configuration.find(MODEL, code);
    return model ? typeOfRecord(model) : 'any';
  };
  const model = configuration.find(MODEL, modelCode);
  const written = model ? typeOfPayload(model) : 'any';
  const answered: [string, ValueType][] = result
    ? Object.keys(result).map((key) => [key, 'any'])
    : (steps ?? []).map((step) => [step.id, recordOf(step.modelCode)]);
  return {
    payload: operations.includes('CUSTOM') ? typeOfFields(payload) : written,
    result: steps ? { fields: Object.fromEntries(answered) } : recordOf(modelCode),
  };
}

/** Of the variable `event`: what is known where one kind of event is possible alone. */
export function typeOfEvent(events: readonly EventValueTypes[] | null): ValueType {
  const [only, ...others] = events ?? [];
  if (!only || others.length > 0) return 'any';
  const named = { pid: 'text', eventType: 'text', recordPid: 'text', commandCode: 'text', modelCode: 'text' } as const;
  return { fields: { ...named, ...only } };
}

/** A name in a filter that none of the events has, or a value that none can have; null where one may match. */
export function problemOfFilterTypes(filter: string, events: readonly EventValueTypes[]): Message | null {
  let first: Message | null = null;
  for (const { payload, result } of events) {
    const fields = typeof payload === 'object' && 'fields' in payload ? payload.fields : null;
    if (!fields) return null;
    const named = Object.entries(fields).filter(([name]) => !reservedNames.has(name));
    const variables = { ...Object.fromEntries(named), payload, result, commandCode: 'text', modelCode: 'any' } as const;
    const problem = new TypeCheck(variables, NAMES_ALONE).problemOf(filter);
    if (!problem) return null;
    first ??= problem;
  }
  return first;
}
