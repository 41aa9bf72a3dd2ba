import type { StreamEvent } from '@keelson/client';
import { useEffect, useState } from 'react';
import { client } from '../../app/client.ts';
import { queries } from '../../app/queries.ts';
import { chatPath, CONVERSATIONS, transcriptQuery } from './conversation-query.ts';

/** A use of a tool, as it is shown. */
export interface ToolUse {
  readonly callId: string;
  readonly name: string;
  readonly arguments?: unknown;
  readonly ok: boolean;
  readonly total?: number;
  readonly message?: string;
}

/** A command that the assistant wants to execute. */
export interface Proposal {
  readonly confirmationId: string;
  readonly commandCode: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly targetRecordId?: string;
  readonly summary: string;
}

/** An answer as far as it has come. */
export interface Reply {
  readonly text: string;
  readonly tools: readonly ToolUse[];
  readonly proposal: Proposal | null;
  readonly error: string | null;
}

const NOTHING: Reply = { text: '', tools: [], proposal: null, error: null };

/** The answer that is being made, live and from its beginning, also after a reload and on another node. */
export function useReply(assistant: string, conversationId: string | null, isMade: boolean): Reply {
  const [reply, setReply] = useState(NOTHING);
  useEffect(() => {
    if (conversationId === null || !isMade) return undefined;
    const stop = new AbortController();
    setReply(NOTHING);
    void follow(assistant, conversationId, stop.signal, (event) => setReply((before) => withEvent(before, event)));
    return () => stop.abort();
  }, [assistant, conversationId, isMade]);
  return isMade ? reply : NOTHING;
}

async function follow(
  assistant: string,
  conversationId: string,
  signal: AbortSignal,
  onEvent: (event: StreamEvent) => void,
): Promise<void> {
  const path = `${chatPath(assistant)}?conversationId=${encodeURIComponent(conversationId)}`;
  let isProposed = false;
  try {
    for await (const event of client.stream(path, { signal })) {
      onEvent(event);
      // What it proposed is done only now.
      if (isProposed && event.event === 'tool') await queries.invalidateQueries({ queryKey: ['records'] });
      isProposed = event.event === 'confirm';
      if (event.event === 'message.completed' || event.event === 'error') break;
    }
  } catch {
    if (signal.aborted) return;
  }
  // What was said is stored: with links to the records that it names.
  await queries.invalidateQueries({ queryKey: transcriptQuery(conversationId).queryKey });
  await queries.invalidateQueries({ queryKey: CONVERSATIONS });
}

function withEvent(reply: Reply, { event, data }: StreamEvent): Reply {
  // It begins anew: the same answer is told again from its beginning.
  if (event === 'conversation') return NOTHING;
  if (event === 'message.delta') return { ...reply, text: reply.text + (data as { readonly text: string }).text };
  if (event === 'tool') {
    const tool = data as ToolUse;
    const others = reply.tools.filter(({ callId }) => callId !== tool.callId);
    return { ...reply, proposal: null, tools: [...others, tool] };
  }
  if (event === 'confirm') return { ...reply, proposal: data as Proposal };
  if (event === 'message.completed')
    return { ...reply, proposal: null, text: (data as { readonly text: string }).text };
  if (event === 'error') return { ...reply, proposal: null, error: (data as { readonly message: string }).message };
  return reply;
}
