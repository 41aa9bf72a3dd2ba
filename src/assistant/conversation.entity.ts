import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { StoredError } from '../errors/failure.ts';
import type { Step } from './step.ts';

/** What a user, or somebody in a channel, and an assistant have said to each other. */
export const ConversationEntity = defineEntity({
  name: 'AiConversation',
  tableName: 'ai_conversation',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    pid: p.string().length(32).unique(),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    assistantCode: p.string().length(64),
    /** Whose it is: a user's pid, or that of a channel's binding. */
    userPid: p.string().length(32),
    /** The channel of instant messages it is held in, and its id there; null for a user's own. */
    channel: p.string().length(64).nullable(),
    externalId: p.string().length(200).nullable(),
    title: p.string().length(200),
    /** The answer that is being made: one at a time. */
    activeMessagePid: p.string().length(32).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
});

export type Conversation = InferEntity<typeof ConversationEntity>;

export const MESSAGE_STATUSES = ['PENDING', 'RUNNING', 'WAITING', 'COMPLETED', 'FAILED', 'STOPPED'] as const;
/** WAITING: for the user to confirm a command. The last three are ends. */
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export const MessageEntity = defineEntity({
  name: 'AiMessage',
  tableName: 'ai_message',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    pid: p.string().length(32).unique(),
    conversationPid: p.string().length(32),
    role: p.enum(['user', 'assistant'] as const),
    /** Who wrote it, in a channel of instant messages. */
    sender: p.string().length(200).nullable(),
    text: p.text(),
    status: p.enum([...MESSAGE_STATUSES]).$type<MessageStatus>(),
    /** What an answer did with tools: where another worker goes on. */
    steps: p.json<Step[]>().columnType('json'),
    error: p.json<StoredError>().columnType('json').nullable(),
    /** The event of the conversation's stream with which the answer begins. */
    streamId: p.string().length(40).nullable(),
    /** Counts the workers that took it up: an earlier one must not go on. */
    attempt: p.integer().default(0),
    stopRequested: p.boolean().default(false),
    /** Tells a message that a channel sends twice. */
    dedupeKey: p.string().length(200).nullable(),
    /** After this an answer that has not ended never will. */
    expiresAt: p.datetime(3).nullable(),
    traceId: p.string().length(32),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).nullable(),
  },
});

export type Message = InferEntity<typeof MessageEntity>;

/** What became of a question whether a command may run. */
export const CONFIRMATION_STATUSES = ['OPEN', 'CONFIRMED', 'DECLINED', 'EXPIRED'] as const;

/** A command that an assistant wants to run and its user has to agree to. */
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
