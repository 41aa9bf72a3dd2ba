import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';
import { client } from '../../app/client.ts';

export type Conversation = Schemas['Conversation'];
export type Transcript = Schemas['Transcript'];
export type Message = Transcript['messages'][number];

export const CONVERSATIONS = ['conversations'] as const;
const SHOWN = 20;

/** The newest conversations of the console: those of channels are held there. */
export const conversationsQuery = queryOptions({
  queryKey: CONVERSATIONS,
  queryFn: async ({ signal }): Promise<readonly Conversation[]> => {
    const { records } = await ask('GET /api/ai/conversations', { query: { pageSize: SHOWN }, signal });
    return records.filter(({ channel }) => channel === undefined);
  },
});

export function transcriptQuery(id: string) {
  return queryOptions({
    queryKey: ['conversation', id],
    queryFn: ({ signal }) => ask('GET /api/ai/conversations/{id}', { params: { id }, signal }),
    staleTime: Infinity,
  });
}

/** Whether an answer is still being made. */
export function isOpen(message: Message | undefined): boolean {
  return message?.role === 'assistant' && ['PENDING', 'RUNNING', 'WAITING'].includes(message.status);
}

export function chatPath(assistant: string): string {
  return `/api/ai/${encodeURIComponent(assistant)}/chat/stream`;
}

/**
 * Says something. The answer is made also without a listener: who follows it attaches to it.
 * @param conversationId null begins a conversation @returns its id @throws KeelsonError
 */
export async function sayTo(assistant: string, message: string, conversationId: string | null): Promise<string> {
  const left = new AbortController();
  const response = await client.send('POST', chatPath(assistant), {
    body: { message, conversationId },
    headers: { accept: 'text/event-stream' },
    signal: left.signal,
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      text += decoder.decode(value, { stream: !done });
      const [, data] = /^event: conversation\ndata: (.+)$/m.exec(text) ?? [];
      if (data !== undefined) return (JSON.parse(data) as { readonly conversationId: string }).conversationId;
      if (done) throw new Error('the answer has no beginning');
    }
  } finally {
    left.abort();
  }
}
