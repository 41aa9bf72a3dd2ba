import { fieldsIn, recordOf } from '../../../foundation/expressions/value-origin.ts';
import type { EventOrigins } from '../../metadata/resources/resource-type.ts';
import { formerCodesOf, valueUnderPresentCodes } from '../../metadata/snapshot/present-values.ts';
import type { Snapshot } from '../../metadata/snapshot/snapshot.ts';
import { modelIn, visibleValue, type IsHidden } from '../../metadata/snapshot/visible-value.ts';
import type { EventBody } from '../outbox/outbox.ts';

/** Of an event that tells of one record. */
export function originsOfRecord(modelCode: string): EventOrigins {
  return { payload: recordOf(modelCode), result: recordOf(modelCode) };
}

export function hidesAny({ payload = {}, result = {} }: EventOrigins, isHidden: IsHidden): boolean {
  return [...fieldsIn(payload), ...fieldsIn(result)].some(isHidden);
}

/** Whether a body may have been written before one of its fields was renamed. */
export function mayHoldFormerCodes({ payload = {}, result = {} }: EventOrigins, metadata: Snapshot): boolean {
  const former = formerCodesOf(metadata);
  if (former.size === 0) return false;
  return [...fieldsIn(payload), ...fieldsIn(result)].some((field) => former.has(modelIn(field)));
}

/** A body under the codes that fields have now; the very same one where it has been written under them. */
export function presentBodyOf(body: EventBody, { payload = {}, result = {} }: EventOrigins, metadata: Snapshot) {
  const present = {
    payload: valueUnderPresentCodes(body.payload, payload, metadata) as EventBody['payload'],
    result: valueUnderPresentCodes(body.result, result, metadata),
  };
  return present.payload === body.payload && present.result === body.result ? body : { ...body, ...present };
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
