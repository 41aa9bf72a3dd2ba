import { streamKey, type StreamKey } from '../streams/stream-key.ts';
import { parsePosition, type StreamPosition } from '../streams/stream-position.ts';
import type { StreamEvent } from '../streams/stream-writer.ts';
import type { Conversation, Message } from './conversation.entity.ts';

/** After these an answer has nothing more to say. */
export const LAST_EVENTS: ReadonlySet<string> = new Set(['message.completed', 'error']);

export function conversationKey(conversationPid: string): StreamKey {
  return streamKey('conversation', conversationPid);
}

/** What a reader is told a conversation's id is: in a channel, its id there. */
export function shownId({ pid, externalId }: Pick<Conversation, 'pid' | 'externalId'>): string {
  return externalId ?? pid;
}

/** The event with which an answer begins. */
export function beginning(conversation: Conversation, { pid }: Pick<Message, 'pid'>): StreamEvent {
  return { event: 'conversation', data: { conversationId: shownId(conversation) }, dedupeId: `${pid}:conversation` };
}

/** The event with which an answer that has ended ends. */
export function ending(conversation: Conversation, { pid, status, text, error }: Message): StreamEvent {
  const dedupeId = `${pid}:end`;
  if (status === 'FAILED') {
    const { code = 'INTERNAL_ERROR', message = 'The answer could not be made' } = error ?? {};
    return { event: 'error', data: { code, message }, dedupeId };
  }
  const stopped = status === 'STOPPED' ? { stopped: true } : {};
  const data = { conversationId: shownId(conversation), text, ...stopped };
  return { event: 'message.completed', data, dedupeId };
}

/** Where a reader of an answer begins: before its first event. Null: at the beginning of what there is. */
export function positionBefore(streamId: string | null): StreamPosition | null {
  const position = parsePosition(streamId ?? '');
  return position && { ...position, ordinal: position.ordinal - 1 };
}

export function isOver({ status }: Pick<Message, 'status'>): boolean {
  return status === 'COMPLETED' || status === 'FAILED' || status === 'STOPPED';
}
