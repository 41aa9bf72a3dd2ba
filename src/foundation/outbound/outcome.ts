import type { Message } from '../i18n/text.ts';
import { BlockedTarget, UnresolvedName } from './guarded-connector.ts';

/** Outcome of a request. Header names are in lower case. */
export type OutboundOutcome = OutboundResponse | OutboundError;

export interface OutboundResponse {
  readonly kind: 'response';
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  /** UTF-8; invalid bytes are replaced. */
  readonly body: string;
  /** Whether the body is longer than the limit. */
  readonly truncated: boolean;
  /** Address of the endpoint. */
  readonly ip: string;
  readonly durationMs: number;
}

export type OutboundErrorClass = 'dns' | 'refused' | 'tls' | 'timeout' | 'blocked' | 'http';

export interface OutboundError {
  readonly kind: 'error';
  readonly errorClass: OutboundErrorClass;
  /** Safe to show to the tenant: reveals nothing of our network. */
  readonly message: Message;
  readonly ip: string | null;
  readonly durationMs: number;
}

/** Stage that a connection has reached; a later error belongs to the next stage. */
export type ConnectionStage = 'new' | 'connected' | 'open';

export interface Failure {
  readonly errorClass: OutboundErrorClass;
  readonly message: Message;
  /** Address that did not answer, if known. */
  readonly address?: string;
}

const CERTIFICATE_PROBLEMS: Readonly<Record<string, Message>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is not from a trusted authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is not from a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate is not from a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is not from a trusted authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is not from a trusted authority',
};

/** Classifies an error of network or protocol, with a message for the tenant. */
export function classifyError(error: Error, stage: ConnectionStage): Failure {
  if (error instanceof BlockedTarget)
    return { errorClass: 'blocked', message: 'the address of the host is not public' };
  if (error instanceof UnresolvedName) return { errorClass: 'dns', message: 'the host cannot be resolved' };
  if ((error as NodeJS.ErrnoException).code === 'UND_ERR_DESTROYED') {
    return { errorClass: 'http', message: 'the request was given up: this service is stopping' };
  }
  // If several addresses were tried, the first one stands for all.
  const { code = '', address } = firstOf(error);
  if (stage === 'new') {
    if (code === 'ETIMEDOUT') return { errorClass: 'timeout', message: 'the host does not answer', address };
    const message = code === 'ECONNREFUSED' ? 'the connection was refused' : 'the host cannot be reached';
    return { errorClass: 'refused', message, address };
  }
  if (stage === 'connected') {
    return { errorClass: 'tls', message: CERTIFICATE_PROBLEMS[code] ?? 'no TLS connection could be made' };
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return { errorClass: 'http', message: 'the response headers are too large' };
  if (error.name === 'HTTPParserError') return { errorClass: 'http', message: 'the response is not HTTP' };
  return { errorClass: 'http', message: 'the connection was closed before the response was complete' };
}

function firstOf(error: Error): { code?: string; address?: string } {
  const several = (error.cause ?? error) as Partial<AggregateError>;
  const first = (several.errors?.[0] ?? error) as NodeJS.ErrnoException & { address?: string };
  return { code: (error as NodeJS.ErrnoException).code ?? first.code, address: first.address };
}
