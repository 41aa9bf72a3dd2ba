import { text, type Message } from '../i18n/text.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { AddressRules } from './address-rules.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Exchange } from './exchange.ts';
import { guardedConnector } from './guarded-connector.ts';
import { DnsResolver, type NameResolver } from './name-resolver.ts';
import { classifyError, type Failure, type OutboundOutcome } from './outcome.ts';
import { parseTarget, problemOfAddress, problemOfTargetUrl } from './outbound-url.ts';
import { problemOfOutboundHeaders } from './request-headers.ts';

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
  readonly #rules: AddressRules;
  readonly #resolver: NameResolver;
  readonly #pool: ConnectionPool;

  /** @param allowCidrs non-public addresses and CIDR ranges that may be called */
  constructor(allowCidrs: readonly string[], resolver: NameResolver = new DnsResolver()) {
    this.#rules = new AddressRules(allowCidrs);
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
