import { writtenUpTo } from '../http/formats.ts';
import { BOOLEAN, nullable, object, saying, text } from '../http/schema.ts';

const GIVEN_PID = text({ pattern: '^[0-9A-Za-z]{1,32}$' });

export const CHAT_BODY = object(
  { message: writtenUpTo(8_000) },
  { conversationId: { ...nullable(saying('must be the id of a conversation', GIVEN_PID)), default: null } },
);
export const DECISION_BODY = object({
  confirmationId: saying('must be the id of a confirmation', GIVEN_PID),
  confirmed: BOOLEAN,
});

export interface Chat {
  readonly message: string;
  /** Null: a conversation begins. */
  readonly conversationId: string | null;
}

export interface Decision {
  readonly confirmationId: string;
  readonly confirmed: boolean;
}
