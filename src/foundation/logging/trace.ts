import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

const store = new AsyncLocalStorage<string>();

/** Runs `work` under a trace id, which its log lines carry. */
export function withTrace<T>(traceId: string, work: () => T): T {
  return store.run(traceId, work);
}

export function currentTraceId(): string | undefined {
  return store.getStore();
}

/**
 * W3C trace id: 32 lower-case hex digits. `randomUUID` is cheaper than `randomBytes`: Node caches its
 * randomness.
 */
export function newTraceId(): string {
  return randomUUID().replaceAll('-', '');
}

/** Header that passes the current trace id to another service. */
export function traceHeaders(): { traceparent?: string } {
  const traceparent = `00-${currentTraceId()}-${newTraceId().slice(0, 16)}-01`;
  return TRACEPARENT.test(traceparent) ? { traceparent } : {};
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Trace id of a valid W3C `traceparent`, or a new one. */
export function traceIdFrom(traceparent: string | undefined): string {
  const traceId = traceparent ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
  return traceId && !/^0+$/.test(traceId) ? traceId : newTraceId();
}
