import { dataText } from './envelope.mjs';
import { Refused, Unreachable, UsageError } from './outcome.mjs';
import { tell } from './terminal.mjs';

const TIMEOUT_MS = 120_000;

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {any} data of the envelope
 * @property {string} dataText the bytes of `data`, unchanged
 */

/**
 * The service for one user: @keelson/client with the errors of the command line. Logs in with the first
 * request.
 */
export class Connection {
  #url;
  #options;
  /** @type {Promise<import('../sdk/src/client.ts').Client> | undefined} */
  #client;

  /** @param {{url: string, token?: string, email?: string, password?: string}} options */
  constructor({ url, token, email, password }) {
    if (!URL.canParse(url) || !/^https?:/.test(url)) throw new UsageError(`--url must be an http(s) URL, not ${url}`);
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
      throw new UsageError(
        'The token (--token, KEELSON_TOKEN) has characters that no token has, such as spaces or line ends',
      );
    }
    this.#url = url;
    this.#options = { token, credentials: email && password ? { email, password } : undefined };
  }

  /** The address of the service. */
  get url() {
    return this.#url;
  }

  /** @returns {Promise<string>} the bearer token: the given one, or a new one for email and password */
  async token() {
    const token = await (await this.#open()).token().catch(translate);
    if (token === undefined) {
      throw new UsageError('Set KEELSON_TOKEN (or --token), or KEELSON_EMAIL and KEELSON_PASSWORD');
    }
    return token;
  }

  /** @returns {Promise<Answer>} @throws {Refused | Unreachable} */
  get(/** @type {string} */ path, headers = {}) {
    return this.#call('GET', path, { headers });
  }

  /** @returns {Promise<Answer>} @throws {Refused | Unreachable} */
  post(/** @type {string} */ path, /** @type {object | undefined} */ body = undefined, headers = {}) {
    return this.#call('POST', path, { body, headers });
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
    const response = await (await this.#open()).send('GET', path, { isPublic: true }).catch(translate);
    return response.json().catch(translate);
  }

  /**
   * Streams a response without an envelope.
   * @param {string} path
   * @param {string} accept the media type
   * @param {Record<string, string>} headers
   * @returns {AsyncGenerator<Uint8Array>}
   */
  async *stream(path, accept, headers = {}) {
    await this.token();
    const response = await (await this.#open()).send('GET', path, { headers: { ...headers, accept } }).catch(translate);
    try {
      yield* /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (response.body));
    } catch (error) {
      translate(error);
    }
  }

  /**
   * The events of a stream up to `end`, across lost connections.
   * @param {string} path
   * @param {Record<string, string>} headers
   * @returns {AsyncGenerator<import('../sdk/src/streams.ts').StreamEvent<any>>}
   */
  async *events(path, headers = {}) {
    await this.token();
    try {
      yield* (await this.#open()).stream(path, { headers });
    } catch (error) {
      translate(error);
    }
  }

  /** @param {{body?: object, headers?: Record<string, string>}} options @returns {Promise<Answer>} */
  async #call(/** @type {string} */ method, /** @type {string} */ path, options) {
    await this.token();
    const { status, data, text } = await (await this.#open()).request(method, path, options).catch(translate);
    return { status, data, dataText: dataText(text) ?? 'null' };
  }

  /** The client is TypeScript: it is loaded when a Node that can run it is certain. */
  #open() {
    this.#client ??= import('../sdk/src/index.ts').then(({ createClient }) =>
      createClient({ url: this.#url, timeoutMs: TIMEOUT_MS, onRetry: tellOfLimit, ...this.#options }),
    );
    return this.#client;
  }
}

/** @param {import('../sdk/src/errors.ts').KeelsonError} error */
function tellOfLimit({ status }, /** @type {number} */ delayMs) {
  if (status === 429) tell(`The rate limit is reached; waiting ${Math.ceil(delayMs / 1_000)} s\n`);
}

/** @returns {never} @throws {Refused | Unreachable} */
function translate(/** @type {any} */ error) {
  if (typeof error.status !== 'number' || error.code === 'NETWORK') {
    throw new Unreachable(error.code === 'NETWORK' ? error.message : `The answer breaks off: ${error.message}`);
  }
  throw new Refused(error);
}
