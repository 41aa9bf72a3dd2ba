import { withMembers } from '../../../../foundation/expressions/value-origin.ts';
import { originsOfEvent, type ReadableEvent } from '../../../../platform/events/audience/event-visibility.ts';
import { valuesInRecords } from '../../../../platform/metadata/models/expression-values.ts';
import type { EventOrigins } from '../../../../platform/metadata/resources/resource-type.ts';
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
    origins = null,
  } = event;
  const body = JSON.stringify({ commandCode, modelCode, payload, result });
  return { eventType, commandCode, modelCode: modelCode ?? '', recordPid, body, origins };
}

/** The fields that the variable `event` comes from; null where it is no event. */
export function originsOfVariable(variable: unknown, metadata: Snapshot): EventOrigins | null {
  if (typeof variable !== 'object' || variable === null) return null;
  const { eventType = '', commandCode = '', modelCode = null, origins = null } = variable as Partial<ReadableEvent>;
  return originsOfEvent({ eventType, commandCode, modelCode: modelCode ?? '', origins }, metadata);
}

/** The variable `event` as expressions read it. Its origins are stored for readers of the run. */
export function readEvent(variable: unknown, metadata: Snapshot): unknown {
  if (typeof variable !== 'object' || variable === null) return variable;
  const { origins: _origins, ...event } = variable as { origins?: unknown };
  const origins = originsOfVariable(variable, metadata) ?? {};
  return valuesInRecords(event, withMembers(Object.entries(origins)), metadata);
}
