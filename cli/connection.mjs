import { setTimeout as sleep } from 'node:timers/promises';
import { dataText, parseJson } from './envelope.mjs';
import { Refused, Unreachable, UsageError } from './outcome.mjs';

const TIMEOUT_MS = 120_000;
const ATTEMPTS = 3;
const LONGEST_PAUSE_SECONDS = 65;

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {any} data of the envelope
 * @property {string} dataText the bytes of `data`, unchanged
 */

/** Client of the service for one user. Logs in with the first request. */
export class Connection {
  #url;
  #token;
  #credentials;

  /** @param {{url: string, token?: string, email?: string, password?: string}} options */
  constructor({ url, token, email, password }) {
    if (!URL.canParse(url) || !/^https?:/.test(url)) throw new UsageError(`--url must be an http(s) URL, not ${url}`);
    this.#url = url.replace(/\/+$/, '');
    this.#token = token;
    this.#credentials = email && password ? { email, password } : null;
  }

  /** @returns {Promise<string>} the bearer token: the given one, or a new one for email and password */
  async token() {
    if (this.#token) return this.#token;
    if (!this.#credentials) {
      throw new UsageError('Set KEELSON_TOKEN (or --token), or KEELSON_EMAIL and KEELSON_PASSWORD');
    }
    const response = await this.#send('POST', '/api/auth/login', { body: this.#credentials });
    this.#token = String((await this.#read(response)).data.jwt);
    return this.#token;
  }

  /** @returns {Promise<Answer>} @throws {Refused | Unreachable} */
  get(/** @type {string} */ path, headers = {}) {
    return this.#call('GET', path, { headers });
  }

  /** @returns {Promise<Answer>} @throws {Refused | Unreachable} */
  post(/** @type {string} */ path, /** @type {object | undefined} */ body = undefined) {
    return this.#call('POST', path, { body });
  }

  /** @returns {Promise<Answer>} @throws {Refused | Unreachable} */
  put(/** @type {string} */ path, /** @type {object} */ body) {
    return this.#call('PUT', path, { body });
  }

  /** @returns {Promise<Answer>} @throws {Refused | Unreachable} */
  patch(/** @type {string} */ path, /** @type {object} */ body) {
    return this.#call('PATCH', path, { body });
  }

  /** @returns {Promise<Answer>} @throws {Refused | Unreachable} */
  delete(/** @type {string} */ path) {
    return this.#call('DELETE', path, {});
  }

  /**
   * Reads a public document, which has no envelope.
   * @returns {Promise<any>}
   */
  async document(/** @type {string} */ path) {
    const response = await this.#send('GET', path, {});
    if (!response.ok) return this.#read(response);
    return response.json().catch((error) => {
      throw this.#unreachable(error);
    });
  }

  /**
   * Streams a response without an envelope.
   * @param {string} path
   * @param {string} accept the media type
   * @returns {AsyncGenerator<Uint8Array>}
   */
  async *stream(path, accept) {
    const response = await this.#send('GET', path, { headers: { ...(await this.#bearer()), accept } });
    if (!response.ok || !response.body) return void (await this.#read(response));
    try {
      yield* /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (response.body));
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  /** @param {{body?: object, headers?: Record<string, string>}} options */
  async #call(/** @type {string} */ method, /** @type {string} */ path, options) {
    const headers = { ...options.headers, ...(await this.#bearer()) };
    return this.#read(await this.#send(method, path, { ...options, headers }));
  }

  async #bearer() {
    return { authorization: `Bearer ${await this.token()}` };
  }

  /**
   * Sends a request, and again after a 429, which has no effect.
   * @param {string} method
   * @param {string} path
   * @param {{body?: object, headers?: Record<string, string>}} options
   * @returns {Promise<Response>}
   */
  async #send(method, path, options) {
    const { body, headers = {} } = options;
    const init = {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#fetch(path, init);
      const pause = Number(response.headers.get('retry-after') ?? 'NaN');
      const isRetried = response.status === 429 && attempt < ATTEMPTS && pause <= LONGEST_PAUSE_SECONDS;
      if (!isRetried) return response;
      process.stderr.write(`The rate limit is reached; waiting ${pause} s\n`);
      await response.body?.cancel();
      await sleep(pause * 1_000);
    }
  }

  async #fetch(/** @type {string} */ path, /** @type {RequestInit} */ init) {
    try {
      return await fetch(`${this.#url}${path}`, {
        ...init,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  /** @returns {Promise<Answer>} */
  async #read(/** @type {Response} */ response) {
    const text = await response.text().catch((error) => {
      throw this.#unreachable(error);
    });
    const envelope = parseJson(text);
    if (typeof envelope?.code !== 'string') {
      const target = response.headers.get('location');
      const what = target ? `redirects to ${target}` : `answers ${response.status}, and is not Keelson`;
      throw new Unreachable(`${this.#url} ${what}`);
    }
    const { code, message, data } = envelope;
    if (code !== '0' && code !== 'IDEMPOTENT_REPLAY') throw new Refused({ code, message, data });
    return { status: response.status, data, dataText: dataText(text) ?? 'null' };
  }

  #unreachable(/** @type {any} */ error) {
    const reason = error?.cause?.code ?? error?.cause?.message ?? error?.message;
    return new Unreachable(`${this.#url} cannot be reached: ${reason}`);
  }
}
