import { PID_PATTERN } from '../../../foundation/database/pid.ts';
import { writtenUpTo } from '../../../foundation/validation/formats.ts';
import { MAX_MESSAGE } from '../assistant.limits.ts';
import { BOOLEAN, nullable, object, withMessage, text, withDefault } from '../../../foundation/validation/schema.ts';

const PID_PARAMETER = text({ pattern: PID_PATTERN });

export const CHAT_BODY = object(
  { message: writtenUpTo(MAX_MESSAGE) },
  // Null begins a conversation.
  { conversationId: withDefault(null, nullable(withMessage('must be the id of a conversation', PID_PARAMETER))) },
);
export const DECISION_BODY = object({
  confirmationId: withMessage('must be the id of a confirmation', PID_PARAMETER),
  confirmed: BOOLEAN,
});
