import type { RequestHandler, Request, Response } from 'express';
import { ApplicationError } from '../errors/application-error.ts';
import { said, writtenIn } from '../i18n/said.ts';
import { languageOf } from './language.ts';

const OK = 'ok';
const JSON_TYPE = 'application/json';
/** A parameter that a caller names must be offered. */
const JSON_TYPES = [JSON_TYPE, 'application/json;charset=utf-8'];

/** What a route answers: the envelope's `data`, and whatever differs from a plain 200 with code "0". */
export interface Reply {
  readonly data: unknown;
  readonly status?: number;
  readonly code?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The envelope of a success with `data` as its payload. Spec: "Response envelope". */
export function ok(data: unknown, rest: Omit<Reply, 'data'> = {}): Reply {
  return { data, ...rest };
}

/**
 * Turns a function from request to reply into a route; whatever it throws goes to the error handler. Nothing is done for
 * a caller who could not read the answer: 406.
 */
export function answer(handle: (request: Request) => Promise<Reply> | Reply): RequestHandler {
  return async (request, response) => {
    if (!acceptsJson(request)) throw new ApplicationError('NOT_ACCEPTABLE');
    send(response, await handle(request));
  };
}

function acceptsJson(request: Request): boolean {
  const { accept } = request.headers;
  return accept === undefined || accept === '*/*' || accept === JSON_TYPE || request.accepts(JSON_TYPES) !== false;
}

function send(response: Response, { data, status = 200, code = '0', message = OK, headers }: Reply): void {
  if (headers) response.set(headers);
  sendJson(response, status, { code, message: message === OK ? message : said(message), data });
}

/** Writes a JSON body, its texts of ours in the caller's language, without Express's ETag and re-parsing of the content type: lists are the hot path. */
export function sendJson(response: Response, status: number, body: unknown): void {
  const text = writtenIn(
    () => languageOf(response.req),
    () => JSON.stringify(body),
  );
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  // A text leaves in one write with the headers; a Buffer would be a second chunk.
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
