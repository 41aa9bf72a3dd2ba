/** What is known of an error. */
export interface ErrorDetails {
  readonly code: string;
  readonly status: number;
  readonly data?: unknown;
  readonly traceId?: string | null;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

/** An error of the service, or on the way to it. */
export class KeelsonError extends Error {
  /** Of the error catalogue: `VALIDATION_ERROR`, `CONFLICT`, ... */
  readonly code: string;
  /** Of HTTP; 0 where there was no response. */
  readonly status: number;
  /** `data` of the envelope. */
  readonly data: unknown;
  /** Finds the request in the logs. */
  readonly traceId: string | null;
  /** Seconds after which a repeat may succeed. */
  readonly retryAfter: number | null;

  constructor(message: string, { code, status, data = null, traceId = null, retryAfter = null, cause }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = code;
    this.code = code;
    this.status = status;
    this.data = data;
    this.traceId = traceId;
    this.retryAfter = retryAfter;
  }

  /** Problems of each field; empty where no field is. */
  get fieldErrors(): Readonly<Record<string, string>> {
    return (this.data as { fieldErrors?: Record<string, string> } | null)?.fieldErrors ?? {};
  }

  /** `data.reason`, as of a `CONFLICT`. */
  get reason(): string | null {
    return (this.data as { reason?: string } | null)?.reason ?? null;
  }
}

/** 400: what was sent is wrong; `fieldErrors` says where. */
export class ValidationError extends KeelsonError {}
/** 401: log in again. */
export class UnauthorizedError extends KeelsonError {}
/** 403: a permission is missing. */
export class ForbiddenError extends KeelsonError {}
/** 404. */
export class NotFoundError extends KeelsonError {}
/** 409: the present state does not allow it; see `reason`. */
export class ConflictError extends KeelsonError {}
/** 412: the record has changed since it was read. */
export class PreconditionError extends KeelsonError {}
/** 429: too many requests; nothing was done. */
export class RateLimitError extends KeelsonError {}
/** 503: something that the service needs is away; nothing was done. */
export class UnavailableError extends KeelsonError {}
/** No answer, or none of Keelson: whether anything was done is not known. */
export class NetworkError extends KeelsonError {}

const CLASSES: Readonly<Record<number, typeof KeelsonError>> = {
  400: ValidationError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionError,
  429: RateLimitError,
  503: UnavailableError,
};

/** The error for a status of HTTP. */
export function errorOf(message: string, details: ErrorDetails): KeelsonError {
  return new (CLASSES[details.status] ?? KeelsonError)(message, details);
}
