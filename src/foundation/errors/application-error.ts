import { text, type Message } from '../i18n/text.ts';
import { ERROR_CATALOGUE, type ErrorCode } from './catalogue.ts';

/** What an error tells the caller beside its code. `data` is the envelope's `data`. */
export type ErrorData = Record<string, unknown>;

/** A failure with a code of the catalogue: the only kind of error a caller of the API ever sees. */
export class ApplicationError extends Error {
  readonly code: ErrorCode;
  /** What the caller is told. `message` is the same in English. */
  readonly text: Message;
  readonly data: ErrorData | null;
  /** Seconds after which a repeat may succeed; becomes the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined;
  /** Headers of the answer, where the layer that passes the error on knows them. */
  readonly headers: Record<string, string> = {};

  constructor(
    code: ErrorCode,
    options: { message?: Message; data?: ErrorData | null; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    const message = options.message ?? ERROR_CATALOGUE[code].text.en;
    super(String(message), { cause: options.cause });
    this.name = 'ApplicationError';
    this.code = code;
    this.text = message;
    this.data = options.data ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return ERROR_CATALOGUE[this.code].status;
  }
}

/** Field code -> what is wrong with it. Spec: "Errors", VALIDATION_ERROR. */
export type FieldErrors = Record<string, Message>;

/** More wrong fields than anyone reads are not named. */
export const MAX_FIELD_ERRORS = 100;

export function validationError(fieldErrors: FieldErrors, message?: Message): ApplicationError {
  const named = Object.entries(fieldErrors);
  const first = named.length > MAX_FIELD_ERRORS ? Object.fromEntries(named.slice(0, MAX_FIELD_ERRORS)) : fieldErrors;
  return new ApplicationError('VALIDATION_ERROR', { message, data: { fieldErrors: first } });
}

/** Throws one VALIDATION_ERROR for all collected fields, or nothing when there are none. */
export function throwIfInvalid(fieldErrors: FieldErrors): void {
  if (Object.keys(fieldErrors).length > 0) throw validationError(fieldErrors);
}

export function forbidden(permission: string): ApplicationError {
  return new ApplicationError('FORBIDDEN', { data: { permission } });
}

/** Refuses every action in a suspended tenant. */
export function tenantSuspended(): ApplicationError {
  return new ApplicationError('TENANT_FORBIDDEN', {
    message: 'The tenant is suspended',
    data: { reason: 'SUSPENDED' },
  });
}

export function notFound(message?: Message): ApplicationError {
  return new ApplicationError('NOT_FOUND', { message });
}

/** `reason` says which conflict: VERSION, IN_PROGRESS, UNIQUE, STATE or REFERENCE. */
export function conflict(reason: string, message?: Message, data: ErrorData = {}): ApplicationError {
  return new ApplicationError('CONFLICT', { message, data: { reason, ...data } });
}

/** Something the service depends on does not answer; the caller may repeat the request. */
export function unavailable(dependency: string, cause?: unknown): ApplicationError {
  const message = text('{dependency} is unavailable', { dependency });
  return new ApplicationError('SERVICE_UNAVAILABLE', { message, data: { dependency }, retryAfterSeconds: 2, cause });
}
