import { withMembers } from '../../../../foundation/expressions/value-sources.ts';
import { sourcesOfEvent, type ReadableEvent } from '../../../../platform/events/audience/event-visibility.ts';
import { valuesInRecords } from '../../../../platform/metadata/models/expression-values.ts';
import type { EventSources } from '../../../../platform/metadata/resources/resource-type.ts';
import type { Snapshot } from '../../../../platform/metadata/snapshot/snapshot.ts';

/** The variable `event` of a run or a step, as the rule of events reads it. */
export function eventOf(variable: unknown): ReadableEvent | null {
  if (typeof variable !== 'object' || variable === null) return null;
  const event = variable as Partial<ReadableEvent> & { readonly payload?: unknown; readonly result?: unknown };
  const {
    eventType = '',
    commandCode = '',
    modelCode = null,
    recordPid = null,
    payload = {},
    result,
    sources = null,
  } = event;
  const body = JSON.stringify({ commandCode, modelCode, payload, result });
  return { eventType, commandCode, modelCode: modelCode ?? '', recordPid, body, sources };
}

/** The fields that the variable `event` comes from; null where it is no event. */
export function sourcesOfVariable(variable: unknown, metadata: Snapshot): EventSources | null {
  if (typeof variable !== 'object' || variable === null) return null;
  const { eventType = '', commandCode = '', modelCode = null, sources = null } = variable as Partial<ReadableEvent>;
  return sourcesOfEvent({ eventType, commandCode, modelCode: modelCode ?? '', sources }, metadata);
}

/** The variable `event` as expressions read it. Its sources are stored for readers of the run. */
export function readEvent(variable: unknown, metadata: Snapshot): unknown {
  if (typeof variable !== 'object' || variable === null) return variable;
  const { sources: _sources, ...event } = variable as { sources?: unknown };
  const sources = sourcesOfVariable(variable, metadata) ?? {};
  return valuesInRecords(event, withMembers(Object.entries(sources)), metadata);
}
