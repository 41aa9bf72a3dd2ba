import { ApplicationError, unavailable } from '../errors/application-error.ts';
import type { Message } from '../i18n/text.ts';

const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/**
 * SQLSTATEs of a connection that is gone, cannot be had, or leads to the wrong server: 08 connection, 57P0x
 * shutdown, 53300 too many, 53100 a full disk, 25P03 closed because a transaction stood still, 25006
 * read-only since a failover.
 */
const CONNECTION_STATES = /^(08|57P0|53[13]00|25P03|25006)/;
const CONNECTION_MESSAGES =
  /connection terminated|timeout expired|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error/i;

/** Whether Postgres could not be reached, through whichever library the error came. */
export function isConnectionFailure(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const { code, message } = current as Error & { code?: unknown };
    const state = typeof code === 'string' ? code : '';
    if (SOCKET_ERRORS.has(state) || CONNECTION_STATES.test(state) || CONNECTION_MESSAGES.test(message)) return true;
  }
  return false;
}

/**
 * A named statement was planned before a model's column changed its type: this connection's plans are of no
 * use any more.
 */
export function isStalePlan(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return code === '0A000' && String(message).includes('cached plan must not change result type');
}

/** SQLSTATEs of a column, and of a table, that is not there. */
const MISSING = new Set(['42703', '42P01']);

/**
 * Whether a statement names what a publish has renamed since: the configuration that made it is an old one.
 */
export function isOutdated(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (MISSING.has(String((current as { code?: unknown }).code))) return true;
  }
  return false;
}

/** SQLSTATEs of requests that stood in each other's way: serialization failure, deadlock, lock timeout. */
const BUSY = new Set(['40001', '40P01', '55P03']);

/** Whether requests stood in each other's way: the same one may succeed when it is tried again. */
export function isBusy(error: unknown): boolean {
  return BUSY.has(String((error as { code?: unknown } | null)?.code));
}

/** Whether another row has the value of a unique index already. */
export function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '23505';
}

const QUERY_CANCELED = '57014';

/**
 * The driver's error as the caller should see it: what may pass as SERVICE_UNAVAILABLE, the rest as it is.
 */
export function translate(error: unknown): unknown {
  // What has a code already is not Postgres' doing, whatever caused it.
  if (error instanceof ApplicationError) return error;
  if (isConnectionFailure(error)) return unavailable('postgres', error);
  const state = String((error as { code?: unknown } | null)?.code);
  if (state === QUERY_CANCELED) return passing('TIMEOUT', 'The database took too long to answer', error);
  return isBusy(error) ? passing('BUSY', 'Somebody else is changing the same; try again', error) : error;
}

/** Whether the same attempt may succeed later: nothing is wrong with what was attempted. */
export function isTransient(error: unknown): boolean {
  const known = translate(error);
  return known instanceof ApplicationError && known.code === 'SERVICE_UNAVAILABLE';
}

function passing(reason: string, message: Message, cause: unknown): ApplicationError {
  const data = { dependency: 'postgres', reason };
  return new ApplicationError('SERVICE_UNAVAILABLE', { message, data, retryAfterSeconds: 2, cause });
}
