import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** What every log line of a piece of work carries. */
export interface LogContext {
  traceId: string;
  /** Undefined where the work is of no tenant, or before a request is authenticated. */
  tenantId?: string | undefined;
}

const store = new AsyncLocalStorage<LogContext>();

/** Runs `work` in a context of its own, which may be the row that it is about. */
export function withLogContext<T>({ traceId, tenantId }: Readonly<LogContext>, work: () => T): T {
  return store.run({ traceId, tenantId }, work);
}

/** The fields of the present work; none outside of one. */
export function logContext(): Readonly<Partial<LogContext>> {
  return store.getStore() ?? {};
}

/** Adds the tenant to what the present request logs from here on. */
export function logTenant(tenantId: string): void {
  const context = store.getStore();
  if (context) context.tenantId = tenantId;
}

export function currentTraceId(): string | undefined {
  return store.getStore()?.traceId;
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
