import { storable, writtenUpTo } from '../../foundation/validation/formats.ts';
import { nullable, openObject } from '../../foundation/validation/schema.ts';

const MAX_LENGTH = 2_000;

/** The reason that a change of shared state must give. */
export const REASON = writtenUpTo(MAX_LENGTH);
/** The reason that a caller may give for a change. */
export const REMARK = nullable(storable({ maxLength: MAX_LENGTH }));
/** A body of which the reason is all that counts. */
export const REASON_BODY = openObject({ reason: REASON });

export interface Reasoned {
  readonly reason: string;
}
