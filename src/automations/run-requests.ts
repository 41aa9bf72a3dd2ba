import { storable } from '../http/formats.ts';
import { BOOLEAN, MAP, nullable, object, partial } from '../http/schema.ts';

const REMARK = { ...nullable(storable({ maxLength: 2_000 })), default: null };

export const NEW_RUN_BODY = partial({
  input: { ...MAP, default: {}, description: 'Codes and values of its input fields' },
});
export const DECISION_BODY = object({ approved: BOOLEAN }, { comment: REMARK, step: REMARK });
export const CANCEL_BODY = partial({ reason: REMARK });
