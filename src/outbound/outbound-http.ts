import type { IncomingHttpHeaders } from 'node:http';
import { AddressRules } from './address-rules.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Exchange } from './exchange.ts';
import { guardedConnector } from './guarded-connector.ts';
import { DnsResolver, type NameResolver } from './name-resolver.ts';
import { failureOf, type Failure, type OutboundOutcome } from './outcome.ts';
import { parseTarget, problemOfTargetUrl } from './outbound-url.ts';
import { problemOfHeaders } from './request-headers.ts';

export interface OutboundRequest {
  readonly url: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** For everything together: name, connection, headers and body of the response. */
  readonly timeoutMs: number;
  readonly maxResponseBytes?: number;
}

const DEFAULT_MAX_RESPONSE_BYTES = 16_384;

/**
 * The program's one way to call what a tenant has named: no address that is not public, no redirect followed, no proxy, no
 * repeat, and no response longer in bytes or time than the caller wants (docs/decisions/0013).
 */
export class OutboundHttp {
  readonly #rules: AddressRules;
  readonly #resolver: NameResolver;
  readonly #pool: ConnectionPool;

  /** @param allowCidrs what may be called although it is not public */
  constructor(allowCidrs: readonly string[], resolver: NameResolver = new DnsResolver()) {
    this.#rules = new AddressRules(allowCidrs);
    this.#resolver = resolver;
    this.#pool = new ConnectionPool(guardedConnector(this.#rules, resolver));
  }

  /** What is wrong with a URL that is to be called later, as a text for `fieldErrors`, or null. */
  problemOfTargetUrl(url: string): Promise<string | null> {
    return problemOfTargetUrl(url, this.#rules, this.#resolver);
  }

  /** Sends the request once and tells what came of it. Throws for nothing that the endpoint or the caller's input does. */
  async send(request: OutboundRequest): Promise<OutboundOutcome> {
    const startedAt = performance.now();
    const failed = ({ address, ...failure }: Failure, ip: string | null = address ?? null): OutboundOutcome => ({
      ...{ kind: 'error', ...failure, ip, durationMs: Math.round(performance.now() - startedAt) },
    });
    const url = parseTarget(request.url);
    if (typeof url === 'string') return failed({ errorClass: 'blocked', message: `the URL ${url}` });
    const headerProblem = problemOfHeaders(request.headers ?? {});
    if (headerProblem !== null) return failed({ errorClass: 'blocked', message: headerProblem });

    const connection = this.#pool.take(url.origin);
    const exchange = new Exchange(request.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES);
    const deadline = setTimeout(() => exchange.late(), request.timeoutMs);
    const { method, body } = request;
    connection.dispatch(
      // What is not compressed cannot be a small body that becomes a large one.
      { path: url.pathname + url.search, method, headers: { ...request.headers, 'accept-encoding': 'identity' }, body },
      exchange,
    );
    const end = await exchange.ended;
    clearTimeout(deadline);
    // Whatever is left of the response must not meet the next request.
    if (end.kind !== 'complete') connection.destroy();
    this.#pool.give(connection);

    if (end.kind === 'failed') return failed(failureOf(end.error, connection.stage), connection.ip ?? undefined);
    if (end.kind === 'late') {
      const message = `there was no complete response within ${request.timeoutMs} ms`;
      return failed({ errorClass: 'timeout', message }, connection.ip);
    }
    return {
      kind: 'response',
      statusCode: exchange.statusCode,
      headers: flat(exchange.headers),
      body: exchange.body(end.kind === 'cut'),
      truncated: end.kind === 'cut',
      ip: connection.ip ?? '',
      durationMs: Math.round(performance.now() - startedAt),
    };
  }

  /** Hangs up on everything; requests under way end as errors. */
  close(): void {
    this.#pool.close();
  }
}

/** Repeated headers as one, as HTTP lets anybody on the way do it. */
function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]));
}
