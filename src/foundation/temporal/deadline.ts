import type { Client } from '@temporalio/client';
import { ApplicationError } from '../errors/application-error.ts';

/** gRPC statuses of a server that is down, restarting or overloaded. */
const UNAVAILABLE_STATUSES = new Set([1, 4, 8, 14]);

class DeadlineExceeded extends Error {}

/** @throws NoAnswer */
export async function withDeadline<T>(client: Client, timeoutMs: number, ask: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    // The client's deadline ends one attempt only, and the connection makes several.
    return await Promise.race([client.withDeadline(Date.now() + timeoutMs, ask), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a call failed because the server is unavailable or did not answer in time. */
export function isUnavailable(error: unknown): boolean {
  return (
    error instanceof DeadlineExceeded ||
    (!(error instanceof ApplicationError) && hasStatus(error, UNAVAILABLE_STATUSES))
  );
}

export function hasStatus(error: unknown, statuses: ReadonlySet<number>): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const { code } = current as { code?: unknown };
    if (typeof code === 'number' && statuses.has(code)) return true;
  }
  return false;
}
