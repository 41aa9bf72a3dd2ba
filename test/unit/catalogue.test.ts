import {
  ApplicationError,
  conflict,
  forbidden,
  notFound,
  unavailable,
  validationError,
} from '../../src/foundation/errors/application-error.ts';
import { ERROR_CATALOGUE, isErrorCode } from '../../src/foundation/errors/catalogue.ts';

describe('the error catalogue', () => {
  it.each([
    ['VALIDATION_ERROR', 400],
    ['UNAUTHORIZED', 401],
    ['FORBIDDEN', 403],
    ['TENANT_FORBIDDEN', 403],
    ['NOT_FOUND', 404],
    ['RATE_LIMITED', 429],
    ['INTERNAL_ERROR', 500],
  ])("has the spec's %s as HTTP %i", (code, status) => {
    expect(ERROR_CATALOGUE).toHaveProperty(`${code}.status`, status);
  });

  it.each([
    ['METHOD_NOT_ALLOWED', 405],
    ['NOT_ACCEPTABLE', 406],
    ['EXPRESSION_LIMIT', 400],
    ['REQUEST_TIMEOUT', 408],
    ['HEADERS_TOO_LARGE', 431],
    ['FOUR_EYES_REQUIRED', 403],
    ['CONFLICT', 409],
    ['ENVIRONMENT_LOCKED', 409],
    ['PROMOTION_CONFLICT', 409],
    ['PROMOTION_STATE', 409],
    ['STALE_PLAN', 409],
    ['PRECONDITION_FAILED', 412],
    ['PRECONDITION_REQUIRED', 428],
    ['PAYLOAD_TOO_LARGE', 413],
    ['RANGE_NOT_SATISFIABLE', 416],
    ['UNSUPPORTED_MEDIA_TYPE', 415],
    ['BAD_GATEWAY', 502],
    ['SERVICE_UNAVAILABLE', 503],
  ])('has %s of our own as HTTP %i', (code, status) => {
    expect(ERROR_CATALOGUE).toHaveProperty(`${code}.status`, status);
  });

  it('gives every code an error status, an i18n key of its own and a text', () => {
    const entries = Object.entries(ERROR_CATALOGUE);

    expect(new Set(entries.map(([, { message }]) => message)).size).toBe(entries.length);
    for (const [code, { status, message, text }] of entries) {
      expect(code).toMatch(/^[A-Z][A-Z_]*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(message).toMatch(/^error\.[a-z_]+$/);
      expect(text.en.trim()).not.toBe('');
    }
  });

  it('knows its own codes and nothing else', () => {
    expect(isErrorCode('NOT_FOUND')).toBe(true);
    for (const other of ['0', 'toString', '__proto__', 'not_found', '', null, undefined, 404])
      expect(isErrorCode(other)).toBe(false);
  });
});

describe('an application error', () => {
  it('has the status and the text of its code, and no data unless given', () => {
    expect(new ApplicationError('NOT_FOUND')).toMatchObject({
      code: 'NOT_FOUND',
      status: 404,
      message: 'Not found',
      data: null,
    });
  });

  it.each([
    [
      validationError({ name: 'is required' }),
      { code: 'VALIDATION_ERROR', data: { fieldErrors: { name: 'is required' } } },
    ],
    [forbidden('record:read:lead'), { code: 'FORBIDDEN', data: { permission: 'record:read:lead' } }],
    [notFound('There is no such page'), { code: 'NOT_FOUND', message: 'There is no such page', data: null }],
    [conflict('VERSION', undefined, { version: 2 }), { code: 'CONFLICT', data: { reason: 'VERSION', version: 2 } }],
    [unavailable('redis'), { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2, data: { dependency: 'redis' } }],
  ])('%s carries the data that its code promises', (error, expected) => {
    expect(error).toMatchObject(expected);
  });
});
