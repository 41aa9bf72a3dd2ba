import { Context } from '@temporalio/activity';
import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';
import { heartbeating } from './heartbeating.ts';

interface Replies {
  make(messagePid: string, signal: AbortSignal): ReturnType<Activities['makeReply']>;
  giveUp(messagePid: string): ReturnType<Activities['giveReplyUp']>;
}

export function assistantActivities(replies: Replies): Pick<Activities, 'makeReply' | 'giveReplyUp'> {
  return {
    makeReply: ({ messagePid }) => heartbeating(replies.make(messagePid, Context.current().cancellationSignal)),
    giveReplyUp: ({ messagePid }) => failing(replies.giveUp(messagePid)),
  };
}
