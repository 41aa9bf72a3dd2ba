import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { StoredError } from '../../../foundation/errors/failure.ts';
import type { ToolLogEntry } from '../tools/tool-call.ts';

/** The messages of an assistant and a user, or the members of a channel. */
export const ConversationEntity = defineEntity({
  name: 'AiConversation',
  tableName: 'ai_conversation',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    pid: p.string().length(32).unique(),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    assistantCode: p.string().length(64),
    /** Owner: the pid of a user, or of a channel's binding. */
    userPid: p.string().length(32),
    /** Channel of instant messages; null for a user's own conversation. */
    channel: p.string().length(64).nullable(),
    /** The conversation's id in its channel. */
    externalId: p.string().length(200).nullable(),
    title: p.string().length(200),
    /** The reply in progress. */
    activeMessagePid: p.string().length(32).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
});

export type Conversation = InferEntity<typeof ConversationEntity>;

export const MESSAGE_STATUSES = ['PENDING', 'RUNNING', 'WAITING', 'COMPLETED', 'FAILED', 'STOPPED'] as const;
/** WAITING: for the user to confirm a command. The last three are final. */
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export const MessageEntity = defineEntity({
  name: 'AiMessage',
  tableName: 'ai_message',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    pid: p.string().length(32).unique(),
    conversationPid: p.string().length(32),
    role: p.enum(['user', 'assistant'] as const),
    /** Author in a channel of instant messages. */
    sender: p.string().length(200).nullable(),
    text: p.text(),
    status: p.enum([...MESSAGE_STATUSES]).$type<MessageStatus>(),
    /** Tool calls and results of a reply: where another worker resumes. */
    toolLog: p.json<ToolLogEntry[]>().columnType('json').fieldName('steps'),
    error: p.json<StoredError>().columnType('json').nullable(),
    /** First event of the reply in the conversation's stream. */
    streamId: p.string().length(40).nullable(),
    /** Counts the workers that have started it. An earlier one must stop. */
    attempt: p.integer().default(0),
    stopRequested: p.boolean().default(false),
    /** Recognises a message that a channel sends twice. */
    dedupeKey: p.string().length(200).nullable(),
    /** A reply without an end by this time is lost. */
    expiresAt: p.datetime(3).nullable(),
    traceId: p.string().length(32),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).nullable(),
  },
});

export type Message = InferEntity<typeof MessageEntity>;

export const CONFIRMATION_STATUSES = ['OPEN', 'CONFIRMED', 'DECLINED', 'EXPIRED'] as const;

/** A command proposed by an assistant, to be confirmed by its user. */
export const ConfirmationEntity = defineEntity({
  name: 'AiConfirmation',
  tableName: 'ai_confirmation',
  properties: {
    pid: p.string().length(32).primary(),
    messagePid: p.string().length(32),
    callId: p.string().length(40),
    commandCode: p.string().length(100),
    /** The body of the execute request. */
    request: p.json<Record<string, unknown>>().columnType('json'),
    summary: p.text(),
    status: p.enum([...CONFIRMATION_STATUSES] as const),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3).defaultRaw('now()'),
    decidedAt: p.datetime(3).nullable(),
  },
});

export type Confirmation = InferEntity<typeof ConfirmationEntity>;
