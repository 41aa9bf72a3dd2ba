import { fieldsIn, recordOf } from '../../../foundation/expressions/value-origin.ts';
import type { EventOrigins } from '../../metadata/resources/resource-type.ts';
import { visibleValue, type IsHidden } from '../../metadata/snapshot/visible-value.ts';
import type { EventBody } from '../outbox/outbox.ts';

/** Of an event that tells of one record. */
export function originsOfRecord(modelCode: string): EventOrigins {
  return { payload: recordOf(modelCode), result: recordOf(modelCode) };
}

export function hidesAny({ payload = {}, result = {} }: EventOrigins, isHidden: IsHidden): boolean {
  return [...fieldsIn(payload), ...fieldsIn(result)].some(isHidden);
}

/** A body without what comes from hidden fields. */
export function visibleBodyOf(
  body: EventBody,
  { payload = {}, result = {} }: EventOrigins,
  isHidden: IsHidden,
): EventBody {
  return {
    ...body,
    payload: (visibleValue(body.payload, payload, isHidden) ?? {}) as EventBody['payload'],
    result: visibleValue(body.result, result, isHidden) ?? null,
  };
}
