import { isUtf8 } from 'node:buffer';
import express, { type RequestHandler } from 'express';
import { ApplicationError, validationError } from '../errors/application-error.ts';
import type { HttpRequest, HttpResponse } from './route.ts';
import { asObject, fieldErrorsOf, REQUEST_JSON, type JsonRules } from '../validation/json-text.ts';
import { parseLongJson } from './long-json.ts';
import { BODY_ARRIVAL_MS, MAX_LONG_JSON } from '../foundation.limits.ts';

const MEBIBYTE = 1024 * 1024;
const MAX_BYTES = MEBIBYTE;
const JSON_TYPES = ['application/json', 'application/*+json'];
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/**
 * Reads the request's JSON object, of at most `maxBytes`.
 * @param arrivalMs for all of it to arrive
 * @throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR, REQUEST_TIMEOUT
 */
export async function readJsonBody(
  request: HttpRequest,
  maxBytes = MAX_BYTES,
  arrivalMs = BODY_ARRIVAL_MS,
): Promise<Record<string, unknown>> {
  const { headers } = request;
  if (hasBody(headers) && !request.is(JSON_TYPES)) {
    throw new ApplicationError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send Content-Type: application/json' });
  }
  const [, charset = 'utf-8'] = CHARSET.exec(headers['content-type'] ?? '') ?? [];
  // RFC 8259, 8.1.
  if (!/^utf-?8$/i.test(charset)) {
    throw new ApplicationError('UNSUPPORTED_MEDIA_TYPE', { message: 'JSON is sent as UTF-8' });
  }
  return objectIn(await readBytes(request, maxBytes, arrivalMs), rulesFor(maxBytes));
}

/** @throws VALIDATION_ERROR */
async function objectIn(bytes: Buffer, rules: JsonRules): Promise<Record<string, unknown>> {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw validationError({ body: 'is not UTF-8' });
  const parsed = asObject(await parseLongJson(new TextDecoder().decode(bytes), rules));
  if ('problems' in parsed) throw validationError(fieldErrorsOf(parsed, 'body'));
  return parsed.value;
}

/** Where more bytes may come, so may more keys and values. */
function rulesFor(maxBytes: number): JsonRules {
  const mebibytes = Math.max(1, Math.ceil(maxBytes / MEBIBYTE));
  const { keys, values } = REQUEST_JSON;
  const most = (each: number) => Math.min(each * mebibytes, MAX_LONG_JSON);
  return { ...REQUEST_JSON, keys: most(keys), values: most(values) };
}

/** Reads a body of any type, byte for byte. @throws PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT */
export async function readBytes(
  request: HttpRequest,
  maxBytes = MAX_BYTES,
  arrivalMs = BODY_ARRIVAL_MS,
): Promise<Buffer> {
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
