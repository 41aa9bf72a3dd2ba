import { Type } from 'typebox';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import {
  BOOLEAN,
  described,
  list,
  named,
  nullable,
  object,
  oneOf,
  PID,
  text,
  TIME,
  withDefault,
  withMessage,
  parameters,
} from '../../foundation/validation/schema.ts';
import {
  CONFIRMATION_STATUSES,
  MESSAGE_STATUSES,
  type Conversation,
  type Message,
  type Confirmation,
} from './conversations/conversation.entity.ts';
import { ERROR_CATALOGUE } from '../../foundation/errors/catalogue.ts';
import type { ConversationsService, Transcript } from './conversations/conversations.service.ts';
import type { Streams, ServedStream } from '../../platform/streams/streams.ts';
import { type Endpoint, endpoint, SIGNED_IN } from '../../platform/auth/requests/endpoint.ts';
import { replyStream, publicId } from './conversations/reply-events.ts';
import { authorize, type Actor } from '../../platform/auth/requests/actor.ts';
import { streamEndpoint, STREAM_QUERY } from '../../platform/streams/stream-endpoint.ts';
import { PID_PATTERN } from '../../foundation/database/pid.ts';
import { MAX_MESSAGE } from './assistant.limits.ts';
import { currentTraceId, newTraceId } from '../../foundation/logging/trace.ts';
import { storable, writtenUpTo } from '../../foundation/validation/formats.ts';
import { PAGING_QUERY, pageOf } from '../../foundation/http/paging.ts';
import { ASSISTANT } from './assistant-type.ts';
import { localized } from '../../foundation/i18n/text.ts';
import { recordsRead } from './tools/records-read.ts';

function presentConversation(conversation: Conversation) {
  const { assistantCode: assistant, title, channel, createdAt, updatedAt } = conversation;
  return {
    conversationId: publicId(conversation),
    assistant,
    title,
    ...(channel && { channel }),
    createdAt,
    updatedAt,
  };
}

/**
 * A conversation with its messages, oldest first. Replies have the tools they used and their confirmations.
 */
function presentTranscript({ conversation, messages, confirmations }: Transcript) {
  const shown = messages.map((message) => presentMessage(message, confirmations));
  return { ...presentConversation(conversation), messages: shown };
}

function presentMessage(
  { pid, role, sender, text, status, error, toolLog, createdAt, finishedAt }: Message,
  all: readonly Confirmation[],
) {
  const base = { messageId: pid, role, ...(sender && { sender }), text, createdAt };
  if (role === 'user') return base;
  const tools = toolLog.flatMap((entry) => (entry.kind === 'calls' ? entry.calls.map(({ name }) => name) : []));
  const records = recordsRead(toolLog);
  const confirmations = all
    .filter(({ messagePid }) => messagePid === pid)
    .map(({ pid: confirmationId, commandCode, summary, status: state }) => ({
      confirmationId,
      commandCode,
      summary,
      status: state,
    }));
  const outcome = error && { code: error.code, message: localized(error.message) };
  return { ...base, status, error: outcome ?? null, tools, records, confirmations, finishedAt: finishedAt ?? null };
}

const CONVERSATIONS = '/api/ai/conversations';
const CHAT = '/api/ai/:assistant/chat/stream';
const access = [permissionCode.assistantUse('{assistant}')];
const tag = 'Assistants';
const params = { id: PID };
const PID_PARAMETER = text({ pattern: PID_PATTERN });

const CHAT_BODY = object(
  { message: writtenUpTo(MAX_MESSAGE) },
  // Null begins a conversation.
  { conversationId: withDefault(null, nullable(withMessage('must be the id of a conversation', PID_PARAMETER))) },
);
const DECISION_BODY = object({
  confirmationId: withMessage('must be the id of a confirmation', PID_PARAMETER),
  confirmed: BOOLEAN,
});

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
const MESSAGE_FIELDS = { messageId: PID, text: text(), createdAt: TIME };
const CONFIRMATION_STATUS = oneOf(CONFIRMATION_STATUSES);
const USER_MESSAGE = object({ ...MESSAGE_FIELDS, role: Type.Literal('user') }, { sender: text() });
const ASSISTANT_MESSAGE = object(
  {
    ...MESSAGE_FIELDS,
    role: Type.Literal('assistant'),
    status: oneOf(MESSAGE_STATUSES),
    error: nullable(object({ code: oneOf(Object.keys(ERROR_CATALOGUE)), message: text() })),
    tools: list(text()),
    records: described('What its tools have read', list(object({ modelCode: text(), pid: PID }))),
    confirmations: list(
      object({ confirmationId: PID, commandCode: text(), summary: text(), status: CONFIRMATION_STATUS }),
    ),
    finishedAt: nullable(TIME),
  },
  { sender: text() },
);
const TRANSCRIPT = named(
  'Transcript',
  object({ ...ABOUT, messages: list(Type.Union([USER_MESSAGE, ASSISTANT_MESSAGE])) }, CHANNEL),
);
const CONVERSATION_ID = object({ conversationId: PID });

/** Spec: "Endpoints", `/api/ai/<assistant>/chat/stream`. Conversations belong to the user who began them. */
export function assistantEndpoints(conversations: ConversationsService, streams: Streams): readonly Endpoint[] {
  return [
    ...chatEndpoints(conversations, streams),
    ...conversationEndpoints(conversations),
    ...replyEndpoints(conversations),
  ];
}

function chatEndpoints(conversations: ConversationsService, streams: Streams): readonly Endpoint[] {
  const streamOf = (conversation: Conversation, reply: Message | null): ServedStream =>
    replyStream(conversation, reply, async (now) => {
      authorize(now, permissionCode.assistantUse(conversation.assistantCode));
      await conversations.find(now, conversation.pid);
    });
  return [
    streamEndpoint(streams, {
      method: 'POST',
      path: CHAT,
      access,
      authorize: authorizeAssistant,
      tag,
      summary: 'Say something to an assistant, and have its answer live',
      description:
        'Without `conversationId` a conversation begins. Events: `conversation` first, `message.completed` or `error` last. The answer is made also without a listener: GET re-attaches.',
      body: CHAT_BODY,
      errors: ['CONFLICT'],
      async open({ actor, params: { assistant }, body: { conversationId, message } }) {
        const traceId = currentTraceId() ?? newTraceId();
        const { conversation, reply } = await conversations.send(actor, assistant, conversationId, message, traceId);
        return streamOf(conversation, reply);
      },
    }),
    streamEndpoint(streams, {
      path: CHAT,
      access,
      authorize: authorizeAssistant,
      tag,
      summary: "A conversation's newest answer, live, from its beginning",
      query: parameters(STREAM_QUERY, { conversationId: storable() }),
      async open({ actor, params: { assistant }, query }) {
        const conversation = await conversations.find(actor, query.conversationId, assistant);
        return streamOf(conversation, await conversations.restoreNewestReply(conversation));
      },
    }),
  ];
}

function conversationEndpoints(conversations: ConversationsService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: CONVERSATIONS,
      access: SIGNED_IN,
      tag,
      summary: "The caller's conversations, the newest said first",
      query: parameters(PAGING_QUERY),
      data: pageOf(CONVERSATION),
      async handle({ actor, query: { pageNum, pageSize } }) {
        const [found, total] = await conversations.list(actor, pageNum, pageSize);
        return { records: found.map(presentConversation), total, pageNum, pageSize };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${CONVERSATIONS}/:id`,
      access: SIGNED_IN,
      tag,
      summary: 'One conversation, with what was said',
      params,
      data: TRANSCRIPT,
      errors: ['CONFLICT'],
      handle: async ({ actor, params: { id } }) => presentTranscript(await conversations.read(actor, id)),
    }),
    endpoint({
      method: 'DELETE',
      path: `${CONVERSATIONS}/:id`,
      access: SIGNED_IN,
      tag,
      summary: 'Forget a conversation and everything in it',
      params,
      data: CONVERSATION_ID,
      async handle({ actor, params: { id } }) {
        await conversations.delete(actor, id);
        return { conversationId: id };
      },
    }),
  ];
}

function replyEndpoints(conversations: ConversationsService): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: `${CONVERSATIONS}/:id/confirm`,
      access: SIGNED_IN,
      tag,
      summary: 'Agree to a command that an assistant wants to run, or decline it',
      params,
      body: DECISION_BODY,
      data: object({ confirmationId: PID, status: CONFIRMATION_STATUS }),
      errors: ['CONFLICT'],
      async handle({ actor, params: { id }, body: { confirmationId, confirmed } }) {
        const { status } = await conversations.decide(actor, id, confirmationId, confirmed);
        return { confirmationId, status };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${CONVERSATIONS}/:id/stop`,
      access: SIGNED_IN,
      tag,
      summary: 'Stop the answer that is being made; what it has said stays',
      params,
      data: CONVERSATION_ID,
      errors: ['CONFLICT'],
      async handle({ actor, params: { id } }) {
        await conversations.stop(actor, id);
        return { conversationId: id };
      },
    }),
  ];
}

/** @throws FORBIDDEN, NOT_FOUND */
function authorizeAssistant({
  actor,
  params,
}: {
  readonly actor: Actor;
  readonly params: { readonly assistant: string };
}) {
  authorize(actor, permissionCode.assistantUse(params.assistant));
  actor.metadata.get(ASSISTANT, params.assistant);
  return undefined;
}
