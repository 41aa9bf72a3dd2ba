import { Context, heartbeat } from '@temporalio/activity';
import type { ReplyMaker } from '../src/assistant/reply-maker.ts';
import type { Activities } from '../workflows/contracts.ts';
import { failing } from './failure.ts';

/** Well below the heartbeat timeout: one that gets lost does no harm. */
const HEARTBEAT_MS = 1_500;

export function assistantActivities(maker: ReplyMaker): Pick<Activities, 'makeReply' | 'giveReplyUp'> {
  return {
    async makeReply({ messagePid }) {
      const beating = setInterval(() => heartbeat(), HEARTBEAT_MS);
      try {
        return await failing(maker.make(messagePid, Context.current().cancellationSignal));
      } finally {
        clearInterval(beating);
      }
    },
    giveReplyUp: ({ messagePid }) => failing(maker.giveUp(messagePid)),
  };
}
