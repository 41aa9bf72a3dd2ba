import { Context } from '@temporalio/activity';
import { failing } from './failure.ts';

/** Well below the heartbeat time-outs: a heartbeat that gets lost does no harm. */
const HEARTBEAT_MS = 1_500;

/** Heartbeats until the work has ended. @param details what the Web UI shows of it */
export async function heartbeating<T>(work: Promise<T>, details?: () => object | undefined): Promise<T> {
  const context = Context.current();
  const beating = setInterval(() => context.heartbeat(details?.()), HEARTBEAT_MS);
  try {
    return await failing(work);
  } finally {
    clearInterval(beating);
  }
}
