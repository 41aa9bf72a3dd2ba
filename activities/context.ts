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

/** Heartbeats with what the work has reported last. The signal stops it when its worker shuts down. */
export function reporting<T>(work: (signal: AbortSignal, report: (details: object) => void) => Promise<T>): Promise<T> {
  let latest: object | undefined;
  const report = (details: object): void => void (latest = details);
  return heartbeating(work(Context.current().cancellationSignal, report), () => latest);
}

/** Whether an earlier attempt may have begun. */
export function isRetry(): boolean {
  return Context.current().info.attempt > 1;
}
