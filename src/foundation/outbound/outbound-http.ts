import { text, type Message } from '../i18n/text.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { hostRules, type HostRules } from './address-rules.ts';
import { ConnectionPool } from './connection-pool.ts';
import { guardedConnector } from './guarded-connector.ts';
import { DnsResolver, type NameResolver } from './name-resolver.ts';
import { classifyError, type Failure, type OutboundOutcome } from './outcome.ts';
import { parseTarget, problemOfAddress, problemOfTargetUrl } from './outbound-url.ts';
import { problemOfOutboundHeaders } from './request-headers.ts';
import type { Dispatcher } from 'undici';

export interface OutboundRequest {
  readonly url: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Covers name, connection, headers and body of the response. */
  readonly timeoutMs: number;
  readonly maxResponseBytes?: number;
}

const DEFAULT_MAX_RESPONSE_BYTES = 16_384;

/**
 * Calls URLs named by tenants: public addresses only, without redirects, proxies or retries, and with limits
 * for the size and time of a response (docs/decisions/0013).
 */
export class OutboundHttp {
  readonly #rules: HostRules;
  readonly #resolver: NameResolver;
  readonly #pool: ConnectionPool;

  /** @param allowCidrs non-public addresses and CIDR ranges that may be called */
  constructor(allowCidrs: readonly string[], resolver: NameResolver = new DnsResolver()) {
    this.#rules = hostRules(allowCidrs);
    this.#resolver = resolver;
    this.#pool = new ConnectionPool(guardedConnector(this.#rules, resolver));
  }

  /** Problem of a URL that will be called later, as a text for `fieldErrors`, or null. */
  problemOfTargetUrl(url: string): Promise<Message | null> {
    return problemOfTargetUrl(url, this.#rules, this.#resolver);
  }

  /** Problem of the address that a URL names; a name is not resolved. */
  problemOfAddress(url: URL): Message | null {
    return problemOfAddress(url, this.#rules);
  }

  /** Sends the request once. Every failure of the endpoint or the input is an outcome, not an exception. */
  async send(request: OutboundRequest): Promise<OutboundOutcome> {
    const startedAt = performance.now();
    const durationMs = (): number => Math.round(performance.now() - startedAt);
    const failed = ({ address, ...failure }: Failure, ip: string | null = address ?? null): OutboundOutcome => {
      return { kind: 'error', ...failure, ip, durationMs: durationMs() };
    };
    const url = parseTarget(request.url);
    if (!(url instanceof URL))
      return failed({ errorClass: 'blocked', message: text('the URL {problem}', { problem: url }) });
    const headerProblem = problemOfOutboundHeaders(request.headers ?? {});
    if (headerProblem !== null) return failed({ errorClass: 'blocked', message: headerProblem });

    const connection = this.#pool.acquire(url.origin);
    const exchange = new Exchange(request.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES);
    const deadline = setTimeout(() => exchange.expire(), request.timeoutMs);
    const { method, body } = request;
    connection.dispatch(
      // Refuses compression, so that a small body cannot become a large one.
      { path: url.pathname + url.search, method, headers: { ...request.headers, 'accept-encoding': 'identity' }, body },
      exchange,
    );
    const end = await exchange.ended;
    clearTimeout(deadline);
    // The rest of the response must not reach the next request.
    if (end.kind !== 'complete') connection.destroy();
    this.#pool.release(connection);

    if (end.kind === 'failed') return failed(classifyError(end.error, connection.stage), connection.ip ?? undefined);
    if (end.kind === 'expired') {
      const message = text('there was no complete response within {timeout} ms', { timeout: request.timeoutMs });
      return failed({ errorClass: 'timeout', message }, connection.ip);
    }
    return {
      kind: 'response',
      statusCode: exchange.statusCode,
      headers: joinRepeated(exchange.headers),
      body: exchange.body(end.kind === 'truncated'),
      truncated: end.kind === 'truncated',
      ip: connection.ip ?? '',
      durationMs: durationMs(),
    };
  }

  /** Closes all connections; requests in progress end as errors. */
  close(): void {
    this.#pool.close();
  }
}

/** Joins repeated headers into one, as HTTP permits. */
function joinRepeated(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]));
}

/** Response, complete or truncated at the size limit; deadline; or an error of network or protocol. */
type ExchangeEnd =
  | { readonly kind: 'complete' | 'truncated' | 'expired' }
  | { readonly kind: 'failed'; readonly error: Error };

/** One request, and its response up to a size limit. */
class Exchange implements Dispatcher.DispatchHandler {
  /** 0 until the headers of the response have arrived. */
  statusCode = 0;
  headers: IncomingHttpHeaders = {};
  readonly ended: Promise<ExchangeEnd>;
  readonly #end: (end: ExchangeEnd) => void;
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    const { promise, resolve } = Promise.withResolvers<ExchangeEnd>();
    this.ended = promise;
    this.#end = resolve;
  }

  /** Body up to the limit. A truncated one omits a character that was cut in two. */
  body(isTruncated: boolean): string {
    const bytes = Buffer.concat(this.#chunks).subarray(0, this.#maxBytes);
    return new TextDecoder().decode(bytes, { stream: isTruncated });
  }

  onRequestStart(): void {}

  onResponseStart(_controller: unknown, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < 200) return; // informational responses precede the response
    this.statusCode = statusCode;
    this.headers = headers;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#size > this.#maxBytes) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) this.#end({ kind: 'truncated' });
  }

  onResponseEnd(): void {
    this.#end({ kind: 'complete' });
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#end({ kind: 'failed', error });
  }

  /** Ends the exchange at its deadline. A response that has reached the size limit counts as received. */
  expire(): void {
    this.#end({ kind: this.statusCode > 0 && this.#size >= this.#maxBytes ? 'truncated' : 'expired' });
  }
}
