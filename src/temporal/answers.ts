import type { Client } from '@temporalio/client';
import { ApplicationError } from '../errors/application-error.ts';

/** gRPC statuses of a server that is away, restarting or overloaded. */
const AWAY = new Set([1, 4, 8, 14]);

/** The server said nothing for as long as the caller could wait. */
class NoAnswer extends Error {}

/** @throws NoAnswer */
export async function within<T>(client: Client, timeoutMs: number, ask: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    // The deadline alone ends an attempt, and the connection makes several of them.
    return await Promise.race([client.withDeadline(Date.now() + timeoutMs, ask), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a call failed because the server is away, or said nothing. */
export function isAway(error: unknown): boolean {
  return error instanceof NoAnswer || (!(error instanceof ApplicationError) && hasStatus(error, AWAY));
}

export function hasStatus(error: unknown, statuses: ReadonlySet<number>): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const { code } = current as { code?: unknown };
    if (typeof code === 'number' && statuses.has(code)) return true;
  }
  return false;
}
