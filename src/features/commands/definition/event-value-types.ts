import { reservedNames } from '../../../foundation/expressions/condition.ts';
import { NAMES_ALONE, TypeCheck, type ValueType } from '../../../foundation/expressions/type-check.ts';
import type { Message } from '../../../foundation/i18n/text.ts';
import { includesRecordEvents } from '../../../platform/events/event-pattern.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import { typeOfPayload, typeOfRecord } from '../../../platform/metadata/models/record-types.ts';
import type { Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import { eventsMatching, type EventValueTypes } from './command-events.ts';

/** Prefixes of event types that come from no command and no record. */
const OTHER_EVENTS = ['automation.', 'webhook.', 'meta:'];

/**
 * Types of the values in events that match an event type or a `prefix*`; null where that may be any event.
 */
export function typesOfEvents(
  eventType: string,
  modelCode: string | null,
  configuration: Configuration,
): EventValueTypes[] | null {
  const start = eventType.replace(/\*$/, '');
  if (OTHER_EVENTS.some((other) => other.startsWith(start) || start.startsWith(other))) return null;
  const emitted = eventsMatching(eventType, modelCode, configuration);
  const types = emitted.map((event) => event.types(configuration));
  if (!includesRecordEvents([eventType])) return types.length > 0 ? types : null;
  const model = modelCode === null ? undefined : configuration.find(MODEL, modelCode);
  return model ? [...types, { payload: typeOfPayload(model), result: typeOfRecord(model) }] : null;
}

/** Of the variable `event`: what is known where one kind of event is possible alone. */
export function typeOfEvent(events: readonly EventValueTypes[] | null): ValueType {
  const [only, ...others] = events ?? [];
  if (!only || others.length > 0) return 'any';
  const named = { pid: 'text', eventType: 'text', recordPid: 'text', commandCode: 'text', modelCode: 'text' } as const;
  return { fields: { ...named, ...only } };
}

/** The problem of a filter that no event can match: an unknown name or an impossible value; else null. */
export function problemOfFilterTypes(filter: string, events: readonly EventValueTypes[]): Message | null {
  let first: Message | null = null;
  for (const { payload, result } of events) {
    const fields = typeof payload === 'object' && 'fields' in payload ? payload.fields : null;
    if (!fields) return null;
    const named = Object.entries(fields).filter(([name]) => !reservedNames.has(name));
    const variables = { ...Object.fromEntries(named), payload, result, commandCode: 'text', modelCode: 'any' } as const;
    const problem = new TypeCheck(variables, NAMES_ALONE).problemOfCondition(filter);
    if (!problem) return null;
    first ??= problem;
  }
  return first;
}
