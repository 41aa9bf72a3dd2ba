import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';
import { reporting } from './context.ts';

interface Replies {
  make(messagePid: string, signal: AbortSignal): ReturnType<Activities['makeReply']>;
  giveUp(messagePid: string): ReturnType<Activities['giveReplyUp']>;
}

export function assistantActivities(replies: Replies): Pick<Activities, 'makeReply' | 'giveReplyUp'> {
  return {
    makeReply: ({ messagePid }) => reporting((signal) => replies.make(messagePid, signal)),
    giveReplyUp: ({ messagePid }) => failing(replies.giveUp(messagePid)),
  };
}
