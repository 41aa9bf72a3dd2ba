import { storable } from '../../../foundation/validation/formats.ts';
import {
  BOOLEAN,
  MAP,
  nullable,
  object,
  partial,
  withDefault,
  described,
} from '../../../foundation/validation/schema.ts';

const REMARK = withDefault(null, nullable(storable({ maxLength: 2_000 })));

export const NEW_RUN_BODY = partial({
  input: withDefault({}, described('Codes and values of its input fields', MAP)),
});
export const DECISION_BODY = object({ approved: BOOLEAN }, { comment: REMARK, step: REMARK });
export const CANCEL_BODY = partial({ reason: REMARK });
