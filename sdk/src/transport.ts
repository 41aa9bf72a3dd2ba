import { errorOf, KeelsonError, NetworkError } from './errors.ts';

/** Options of any request. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface RequestOptions extends CallOptions {
  /** Lists of texts are joined by commas; other lists and objects become JSON. */
  readonly query?: object;
  /** An object is sent as JSON, `FormData` as it is. */
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes a repeat safe: the service answers it with the first result. */
  readonly idempotencyKey?: string;
  /** The request changes nothing, whatever its method, and so may be repeated. */
  readonly isRead?: boolean;
  /** Needs no token. */
  readonly isPublic?: boolean;
}

/** A successful response. */
export interface Answer<T> {
  readonly status: number;
  /** `0`, or `IDEMPOTENT_REPLAY` where the request had been answered before. */
  readonly code: string;
  readonly data: T;
  readonly headers: Headers;
  /** The body, byte for byte. */
  readonly text: string;
}

/** Where tokens come from. */
export interface TokenSource {
  token(): Promise<string | undefined>;
  /** @returns whether there is another token than the one that was refused */
  renew(refused: string): Promise<boolean>;
}

export interface TransportOptions {
  /** Base URL of the service. */
  readonly url: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** How often a request is repeated at most. */
  readonly retries: number;
  /** For each attempt. */
  readonly timeoutMs: number;
  /** A longer `Retry-After` is an error at once. */
  readonly maxRetryDelayMs: number;
  readonly onRetry?: ((error: KeelsonError, delayMs: number) => void) | undefined;
}

const FIRST_DELAY_MS = 250;

/** Sends requests: with a token, again where that is safe, and with errors as classes. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #tokens: TokenSource;

  constructor(options: TransportOptions, tokens: TokenSource) {
    this.#options = { ...options, url: options.url.replace(/\/+$/, '') };
    this.#tokens = tokens;
  }

  /** @returns what is in the envelope @throws KeelsonError */
  request<T>(method: string, path: string, options?: RequestOptions): Promise<Answer<T>> {
    return this.#repeat(method, path, options, async (response) => {
      const { status, headers } = response;
      const text = await response.text();
      const { code, data } = (envelopeIn(text) ?? { code: '', data: null }) as { code: string; data: T };
      if (code === '') throw this.#foreign(response);
      return { status, code, data, headers, text };
    });
  }

  /** @returns the response with its body still to be read, for what has no envelope @throws KeelsonError */
  send(method: string, path: string, options?: RequestOptions): Promise<Response> {
    return this.#repeat(method, path, options, async (response) => response);
  }

  async #repeat<T>(
    method: string,
    path: string,
    options: RequestOptions = {},
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { idempotencyKey, isRead = method === 'GET', isPublic = false, signal } = options;
    let isRenewed = false;
    for (let attempt = 0; ;) {
      const token = isPublic ? undefined : await this.#tokens.token();
      try {
        return await this.#attempt(method, path, options, token, read);
      } catch (error) {
        if (!(error instanceof KeelsonError)) throw error;
        if (error.status === 401 && token !== undefined && !isRenewed) {
          isRenewed = true;
          if (await this.#tokens.renew(token)) continue;
        }
        const delayMs = this.#delayBefore(error, attempt, isRead || idempotencyKey !== undefined);
        if (delayMs === null) throw error;
        this.#options.onRetry?.(error, delayMs);
        await sleep(delayMs, signal);
        attempt += 1;
      }
    }
  }

  /** @returns null where a repeat is not safe, or is of no use */
  #delayBefore({ status, reason, retryAfter }: KeelsonError, attempt: number, isRepeatable: boolean): number | null {
    const { retries, maxRetryDelayMs } = this.#options;
    const mayPass = [0, 502, 503, 504].includes(status) || reason === 'IN_PROGRESS';
    // A 429 has done nothing.
    if (attempt >= retries || !(status === 429 || (isRepeatable && mayPass))) return null;
    const delayMs = retryAfter === null ? FIRST_DELAY_MS * 2 ** attempt * (1 + Math.random()) : retryAfter * 1_000;
    return delayMs > maxRetryDelayMs ? null : delayMs;
  }

  /** One request. The time-out ends with `read`. */
  async #attempt<T>(
    method: string,
    path: string,
    { query = {}, body, headers = {}, idempotencyKey, signal }: RequestOptions,
    token: string | undefined,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { url, fetch, timeoutMs, headers: common } = this.#options;
    const isJson = body !== undefined && !(body instanceof FormData);
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(new Error('timed out')), timeoutMs);
    try {
      const response = await fetch(url + path + queryOf(query), {
        method,
        headers: {
          ...common,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(isJson && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'x-idempotent-key': idempotencyKey }),
          ...headers,
        },
        ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      });
      if (!response.ok) throw await this.#errorIn(response);
      return await read(response);
    } catch (error) {
      if (error instanceof KeelsonError) throw error;
      signal?.throwIfAborted();
      const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
      const why = `${url} cannot be reached: ${cause?.code ?? cause?.message ?? message}`;
      throw new NetworkError(why, { code: 'NETWORK', status: 0, cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async #errorIn(response: Response): Promise<KeelsonError> {
    const envelope = envelopeIn(await response.text());
    if (!envelope) return this.#foreign(response);
    const { code, message, data } = envelope;
    return errorOf(message, { code, status: response.status, data, ...traceOf(response) });
  }

  /** Something else answers, such as a proxy. */
  #foreign(response: Response): NetworkError {
    const { status, headers } = response;
    const target = headers.get('location');
    const what = target ? `redirects to ${target}` : `answers ${status}, and is not Keelson`;
    return new NetworkError(`${this.#options.url} ${what}`, { code: 'NETWORK', status, ...traceOf(response) });
  }
}

function traceOf({ headers }: Response) {
  const seconds = headers.get('retry-after');
  // Only proxies send a date: then the usual pause applies.
  const isNumber = seconds !== null && /^\d+$/.test(seconds);
  return { traceId: headers.get('x-trace-id'), retryAfter: isNumber ? Number(seconds) : null };
}

function envelopeIn(text: string): { code: string; message: string; data: unknown } | null {
  try {
    const envelope = JSON.parse(text) as { code?: unknown } | null;
    return typeof envelope?.code === 'string' ? (envelope as ReturnType<typeof envelopeIn>) : null;
  } catch {
    return null;
  }
}

function queryOf(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const pairs = given.map(([name, value]): [string, string] => [name, textOf(value)]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

function textOf(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Waits. @throws the signal's reason */
export function sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
