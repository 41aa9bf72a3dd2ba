import type { Actor } from '../auth/actor.ts';
import { ApplicationError } from '../errors/application-error.ts';
import { traceHeaders } from '../logging/trace.ts';
import type { RestSourceContent } from '../metadata/content.ts';
import { secretsOf, withSecrets, type Secrets } from '../metadata/secret-references.ts';
import type { OutboundHttp } from '../outbound/outbound-http.ts';
import type { OutboundError, OutboundResponse } from '../outbound/outcome.ts';
import { brokenDataSource } from './broken-data-source.ts';
import { rowsIn } from './rest-rows.ts';

const DEFAULT_TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;

/** Data sources that another service answers. Neither a secret nor what the other service said about it reaches a caller. */
export class RestSources {
  readonly #outbound: Pick<OutboundHttp, 'send'>;
  readonly #secrets: Secrets;

  constructor(outbound: Pick<OutboundHttp, 'send'>, secrets: Secrets) {
    this.#outbound = outbound;
    this.#secrets = secrets;
  }

  /**
   * @throws SERVICE_UNAVAILABLE where the service cannot be reached, is overloaded or too slow; BAD_GATEWAY where its answer is
   * of no use; CONFLICT (DATASOURCE) where a secret is missing or the address may not be called
   */
  async rows(source: RestSourceContent, { metadata }: Actor, maxItems: number): Promise<object[]> {
    const { method = 'GET', timeoutMs = DEFAULT_TIMEOUT_MS } = source;
    const { environment } = metadata;
    const needed = secretsOf('DATASOURCE', source);
    const secrets = await this.#secrets.open(environment, needed);
    const missing = needed.find((name) => !secrets.has(name));
    if (missing !== undefined) throw brokenDataSource(`${environment} has no secret ${missing}`);
    const filled = (texts: Readonly<Record<string, string>> = {}): Record<string, string> =>
      Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, withSecrets(text, secrets)]));
    const url = new URL(source.url);
    for (const [name, value] of Object.entries(filled(source.query))) url.searchParams.append(name, value);
    const headers = { ...traceHeaders(), accept: 'application/json', ...filled(source.headers) };
    const outcome = await this.#outbound.send({
      ...{ url: url.href, method, headers, timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES },
    });
    if (outcome.kind === 'error') throw unreachable(outcome);
    const rows = rowsIn(jsonIn(outcome), source, maxItems);
    if (typeof rows === 'string') throw badAnswer('SHAPE', rows);
    return rows;
  }
}

/** @throws as `rows` */
function jsonIn({ statusCode, headers, body, truncated }: OutboundResponse): unknown {
  if (statusCode === 429 || statusCode >= 500)
    throw away('STATUS', `it answers HTTP ${statusCode}`, { status: statusCode });
  if (statusCode < 200 || statusCode > 299) {
    throw badAnswer('STATUS', `it answers HTTP ${statusCode}`, { status: statusCode });
  }
  if (truncated) throw badAnswer('TOO_LARGE', `its answer is longer than ${MAX_RESPONSE_BYTES} bytes`);
  if (!/^application\/([\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? ''))
    throw badAnswer('NOT_JSON', 'its answer is not JSON');
  try {
    return JSON.parse(body);
  } catch {
    throw badAnswer('NOT_JSON', 'its answer is not JSON');
  }
}

/** The client's own words name no address and nothing of the request. */
function unreachable({ errorClass, message }: OutboundError): ApplicationError {
  if (errorClass === 'blocked') return brokenDataSource(message);
  return away(errorClass.toUpperCase(), message);
}

function away(reason: string, problem: string, details: { status?: number } = {}): ApplicationError {
  const message = `The service behind the data source is unavailable: ${problem}`;
  const data = { dependency: 'datasource', reason, ...details };
  return new ApplicationError('SERVICE_UNAVAILABLE', { message, data, retryAfterSeconds: 5 });
}

function badAnswer(reason: string, problem: string, details: { status?: number } = {}): ApplicationError {
  const message = `The service behind the data source gives no usable answer: ${problem}`;
  return new ApplicationError('BAD_GATEWAY', { message, data: { reason, ...details } });
}
