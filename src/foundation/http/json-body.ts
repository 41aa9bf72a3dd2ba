import express, { type RequestHandler } from 'express';
import { ApplicationError, validationError } from '../errors/application-error.ts';
import type { HttpRequest, HttpResponse } from './route.ts';
import { text, type Message } from '../i18n/text.ts';

const MAX_BYTES = 1024 * 1024;
/** For a body to arrive, however steadily it dribbles in. */
const ARRIVAL_MS = 60_000;
const JSON_TYPES = ['application/json', 'application/*+json'];
const MAX_DEPTH = 32;
/**
 * Values of a body, counted by its commas before it is parsed: parsing and checking them holds the event
 * loop.
 */
const MAX_COMMAS = 1_000_000;
const COMMA = 44;
const UTF_8 = 'utf-8';
/** Keys that reach an object's prototype in a careless merge; no honest payload has them. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads the request's JSON object, of at most `maxBytes` and 32 levels: a refused request is not parsed.
 * @param arrivalMs for all of it to arrive
 * @throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR, REQUEST_TIMEOUT
 */
export async function readJsonBody(
  request: HttpRequest,
  maxBytes = MAX_BYTES,
  arrivalMs = ARRIVAL_MS,
): Promise<Record<string, unknown>> {
  if (hasBody(request.headers) && !request.is(JSON_TYPES)) {
    throw new ApplicationError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send Content-Type: application/json' });
  }
  let charset = UTF_8;
  // Noted here and judged below: body-parser writes into what is thrown here.
  let isCrowded = false;
  const verify = (_request: unknown, _response: unknown, body: Buffer, given: string) => {
    charset = given;
    isCrowded = hasMoreCommasThan(MAX_COMMAS, body);
    if (isCrowded) throw new Error('not to be parsed');
  };
  const parse = express.json({ limit: maxBytes, type: JSON_TYPES, verify });
  const failure = await parsed(parse, request, arrivalMs);
  // RFC 8259, 8.1. Besides, a body of one byte is no text in UTF-16, and would pass for none.
  if (charset !== UTF_8) throw new ApplicationError('UNSUPPORTED_MEDIA_TYPE', { message: 'JSON is sent as UTF-8' });
  if (isCrowded) throw validationError({ body: text('has more than {max} values', { max: MAX_COMMAS }) });
  if (failure) throw failure;
  request.body ??= {};
  const problem = problemOfJsonObject(request.body);
  if (problem) throw validationError({ body: problem });
  return request.body as Record<string, unknown>;
}

/** Reads a body of any type, byte for byte. @throws PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT */
export async function readBytes(request: HttpRequest, maxBytes = MAX_BYTES, arrivalMs = ARRIVAL_MS): Promise<Buffer> {
  const failure = await parsed(express.raw({ type: () => true, limit: maxBytes }), request, arrivalMs);
  if (failure) throw failure;
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

/** Runs a body parser. @returns what it fails with */
function parsed(parse: RequestHandler, request: HttpRequest, arrivalMs: number): Promise<unknown> {
  const response = request.res as HttpResponse;
  return new Promise((resolve) => {
    const deadline = setTimeout(() => {
      // The rest of the body is not waited for.
      response.set('Connection', 'close');
      resolve(new ApplicationError('REQUEST_TIMEOUT'));
    }, arrivalMs);
    void parse(request, response, (failure: unknown) => {
      clearTimeout(deadline);
      resolve(failure);
    });
  });
}

function hasBody(headers: { 'transfer-encoding'?: string; 'content-length'?: string }): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function hasMoreCommasThan(max: number, body: Buffer): boolean {
  let at = -1;
  for (let count = 0; count <= max; count += 1) {
    at = body.indexOf(COMMA, at + 1);
    if (at === -1) return false;
  }
  return true;
}

/** The problem of a value that has to be a JSON object of a reasonable depth; null if none. */
export function problemOfJsonObject(body: unknown): Message | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'must be a JSON object';
  let level: object[] = [body];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return text('is nested deeper than {max} levels', { max: MAX_DEPTH });
    const next: object[] = [];
    for (const value of level) {
      const forbidden = Array.isArray(value) ? undefined : Object.keys(value).find((key) => FORBIDDEN_KEYS.has(key));
      if (forbidden !== undefined) return text('must not contain the key {key}', { key: forbidden });
      for (const child of Object.values(value) as unknown[]) {
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return null;
}
