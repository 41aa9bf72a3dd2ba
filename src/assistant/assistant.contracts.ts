import { ERROR_CATALOGUE } from '../errors/catalogue.ts';
import type { Contract } from '../http/contract.ts';
import { storable } from '../http/formats.ts';
import { PAGING_QUERY, pageOf } from '../http/paging.ts';
import { list, named, nullable, object, oneOf, PID, text, TIME } from '../http/schema.ts';
import { STREAM } from '../streams/stream-contract.ts';
import { CHAT_BODY, DECISION_BODY } from './chat-requests.ts';
import { CONFIRMATION_STATUSES, MESSAGE_STATUSES } from './conversation.entity.ts';

const tag = 'Assistants';
const path = { id: PID };

const ABOUT = {
  conversationId: text({ description: 'Of a conversation in a channel: its id there' }),
  assistant: text(),
  title: text(),
  createdAt: TIME,
  updatedAt: TIME,
};
/** Only in conversations that are held in one. */
const CHANNEL = { channel: text() };
const CONVERSATION = named('Conversation', object(ABOUT, CHANNEL));
const SAID = { messageId: PID, text: text(), createdAt: TIME };
const CONFIRMATION_STATUS = oneOf(CONFIRMATION_STATUSES);
const ASKED = object({ ...SAID, role: { const: 'user' } }, { sender: text() });
const ANSWERED = object(
  {
    ...{ ...SAID, role: { const: 'assistant' }, status: oneOf(MESSAGE_STATUSES) },
    error: nullable(object({ code: oneOf(Object.keys(ERROR_CATALOGUE)), message: text() })),
    tools: list(text()),
    confirmations: list(
      object({ confirmationId: PID, commandCode: text(), summary: text(), status: CONFIRMATION_STATUS }),
    ),
    finishedAt: nullable(TIME),
  },
  { sender: text() },
);
const TRANSCRIPT = named('Transcript', object({ ...ABOUT, messages: list({ anyOf: [ASKED, ANSWERED] }) }, CHANNEL));
const WHICH = object({ conversationId: PID });

// POST /api/ai/:assistant/chat/stream
export const chat: Contract = {
  ...{ tag, summary: 'Say something to an assistant, and have its answer live', path: { assistant: text() } },
  description:
    'Without `conversationId` a conversation begins. Events: `conversation` first, `message.completed` or `error` last. The answer is made whoever listens: GET re-attaches.',
  ...STREAM,
  ...{ body: CHAT_BODY, errors: ['CONFLICT', 'RATE_LIMITED'] },
};
// GET /api/ai/:assistant/chat/stream
export const reattachChat: Contract = {
  ...{ tag, summary: "A conversation's newest answer, live, from its beginning", path: { assistant: text() } },
  ...STREAM,
  query: { conversationId: storable(), ...STREAM.query },
  ...{ requiredQuery: ['conversationId'], errors: ['RATE_LIMITED'] },
};
// GET /api/ai/conversations
export const listConversations: Contract = {
  ...{ tag, summary: "The caller's conversations, the newest said first", data: pageOf(CONVERSATION) },
  query: PAGING_QUERY,
};
// GET /api/ai/conversations/:id
export const getConversation: Contract = {
  ...{ tag, summary: 'One conversation, with what was said', path, data: TRANSCRIPT },
};
// DELETE /api/ai/conversations/:id
export const deleteConversation: Contract = {
  ...{ tag, summary: 'Forget a conversation and everything in it', path, data: WHICH },
};
// POST /api/ai/conversations/:id/confirm
export const confirm: Contract = {
  ...{ tag, summary: 'Agree to a command that an assistant wants to run, or decline it', path, body: DECISION_BODY },
  ...{ data: object({ confirmationId: PID, status: CONFIRMATION_STATUS }), errors: ['CONFLICT'] },
};
// POST /api/ai/conversations/:id/stop
export const stop: Contract = {
  ...{ tag, summary: 'Stop the answer that is being made; what it has said stays', path },
  ...{ data: WHICH, errors: ['CONFLICT'] },
};
