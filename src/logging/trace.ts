import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

const store = new AsyncLocalStorage<string>();

/** Runs `work` under a trace id: every log line written meanwhile carries it. */
export function withTrace<T>(traceId: string, work: () => T): T {
  return store.run(traceId, work);
}

export function currentTraceId(): string | undefined {
  return store.getStore();
}

/** A trace id in the W3C form: 32 lower-case hex digits. (Node keeps randomness for UUIDs in stock; bytes cost a call each.) */
export function newTraceId(): string {
  return randomUUID().replaceAll('-', '');
}

/** The header by which another service goes on under the current trace id; none where there is none. */
export function traceHeaders(): { traceparent?: string } {
  const traceparent = `00-${currentTraceId()}-${newTraceId().slice(0, 16)}-01`;
  return TRACEPARENT.test(traceparent) ? { traceparent } : {};
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's trace id where it sent a valid W3C `traceparent`, else a new one. */
export function traceIdFrom(traceparent: string | undefined): string {
  const traceId = traceparent ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
  return traceId && !/^0+$/.test(traceId) ? traceId : newTraceId();
}
