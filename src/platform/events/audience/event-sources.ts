import { fieldsIn, recordOf } from '../../../foundation/expressions/value-sources.ts';
import type { EventSources } from '../../metadata/resources/resource-type.ts';
import { visibleValue, type IsHidden } from '../../metadata/snapshot/visible-value.ts';
import type { EventBody } from '../outbox/outbox.ts';

/** Of an event that tells of one record. */
export function sourcesOfRecord(modelCode: string): EventSources {
  return { payload: recordOf(modelCode), result: recordOf(modelCode) };
}

export function hidesAny({ payload = {}, result = {} }: EventSources, isHidden: IsHidden): boolean {
  return [...fieldsIn(payload), ...fieldsIn(result)].some(isHidden);
}

/** A body without what comes from hidden fields. */
export function visibleBodyOf(
  body: EventBody,
  { payload = {}, result = {} }: EventSources,
  isHidden: IsHidden,
): EventBody {
  return {
    ...body,
    payload: (visibleValue(body.payload, payload, isHidden) ?? {}) as EventBody['payload'],
    result: visibleValue(body.result, result, isHidden) ?? null,
  };
}
