import { ApplicationError } from '../errors/application-error.ts';
import { Text, type Message } from '../i18n/text.ts';
import { heldMemory, holding } from '../memory/held-memory.ts';
import { languageOf } from './language.ts';
import { isSmallJson } from '../validation/json-parts.ts';
import { encodeJson, sendEncoded } from './large-json.ts';
import type { HttpRequest, HttpResponse, Route } from './route.ts';

const OK = 'ok';
const JSON_TYPE = 'application/json';
/** A parameter that a caller names must be offered. */
const JSON_TYPES = [JSON_TYPE, 'application/json;charset=utf-8'];

/** What differs from a plain 200 with code "0". */
export interface ReplyOptions {
  readonly status?: number;
  readonly code?: string;
  readonly message?: Message;
  readonly headers?: Readonly<Record<string, string>>;
  /** `data` holds no texts: it is written without looking for them. For what is large or often asked for. */
  readonly verbatim?: boolean;
  /** Where an answer may be larger than others. */
  readonly maxBytes?: number;
}

/** An answer with `data` as its payload. Spec: "Response envelope". */
export class Reply {
  readonly data: unknown;
  readonly options: ReplyOptions;

  constructor(data: unknown, options: ReplyOptions) {
    this.data = data;
    this.options = options;
  }
}

export function reply(data: unknown, options: ReplyOptions = {}): Reply {
  return new Reply(data, options);
}

/** An answer that is no envelope: a stream, a file, a report. */
export class CustomReply {
  readonly write: (response: HttpResponse) => unknown;

  constructor(write: (response: HttpResponse) => unknown) {
    this.write = write;
  }
}

export function customReply(write: (response: HttpResponse) => unknown): CustomReply {
  return new CustomReply(write);
}

/** @throws NOT_ACCEPTABLE for a caller who could not read the answer */
export function requireAcceptable(request: HttpRequest, { media }: Pick<Route, 'media'>): void {
  if (media && !media.json) return;
  const { accept } = request.headers;
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return;
  if (request.accepts(media ? [...JSON_TYPES, media.type] : JSON_TYPES) === false) {
    throw new ApplicationError('NOT_ACCEPTABLE');
  }
}

/**
 * Sends what a handler has returned: a `Reply`, a `CustomReply`, or the `data` of a plain success.
 * @throws CONFLICT (TOO_LARGE)
 */
export async function send(response: HttpResponse, outcome: unknown): Promise<void> {
  // It may last: what it reads is held by the statements that read it.
  if (outcome instanceof CustomReply) return void (await holding(null, () => outcome.write(response)));
  const { data, options } = outcome instanceof Reply ? outcome : reply(outcome);
  const { status = 200, code = '0', message = OK, headers = {}, verbatim = false, maxBytes } = options;
  const told = message === OK ? message : languageOf(response.req).translate(message);
  const body = { code, message: told, data };
  if (isSmallJson(body)) return sendJson(response.set(headers), status, body, verbatim);
  const encoded = await encodeJson(body, verbatim ? JSON.stringify : localizingWrite(response), maxBytes);
  const bytes = encoded.reduce((sum, { length }) => sum + length, 0);
  heldMemory()?.shrinkTo(bytes);
  begin(response.set(headers), status, bytes);
  sendEncoded(response, encoded);
}

/** Writes a JSON body without Express's ETag and re-parsing of the content type: lists are the hot path. */
export function sendJson(response: HttpResponse, status: number, body: unknown, verbatim = false): void {
  const text = verbatim ? JSON.stringify(body) : localizingWrite(response)(body);
  const bytes = Buffer.byteLength(text);
  begin(response, status, bytes);
  // A text leaves in one write with the headers; a Buffer would be a second chunk. ASCII is only copied.
  response.end(text, bytes === text.length ? 'latin1' : 'utf8');
}

function begin(response: HttpResponse, status: number, bytes: number): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes);
}

/** JSON with every `Text` in the caller's language, which is asked for only when there is one. */
function localizingWrite(response: HttpResponse): (value: unknown) => string {
  return (body) =>
    JSON.stringify(body, function (this: Record<string, unknown>, key, value: unknown) {
      const original = this[key];
      return original instanceof Text ? languageOf(response.req).translate(original) : value;
    });
}

/** An ETag as it left here: compressing proxies make it weak (nginx), or add the coding to it (Apache). */
export function strongETag(etag: string): string {
  return etag.replace(/^W\//, '').replace(/-(?:gzip|br|zstd|deflate)"$/, '"');
}

/**
 * Whether the client has what this ETag names, so that 304 is enough. Express' `fresh` would deny it to
 * `fetch`, which sends `Cache-Control: no-cache` with every `If-None-Match`.
 */
export function hasVersion(request: HttpRequest, etag: string): boolean {
  const known = (request.get('If-None-Match') ?? '').split(',').map((one) => strongETag(one.trim()));
  return known.includes(etag) || known.includes('*');
}
