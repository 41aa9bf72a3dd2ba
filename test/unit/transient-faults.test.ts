import { isTransient } from '../../src/foundation/database/failures.ts';
import { unavailable, validationError } from '../../src/foundation/errors/application-error.ts';

const withCode = (code: string, cause?: unknown): Error => Object.assign(new Error('x', { cause }), { code });

describe('a transient fault', () => {
  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ENETUNREACH',
    '08006',
    '57P01',
    '57P03',
    '53300',
    '53100',
    '25006',
    '40001',
    '40P01',
    '55P03',
    '57014',
  ])('has the code %s', (code) => {
    expect(isTransient(withCode(code))).toBe(true);
  });

  it('may be the cause of what is thrown', () => {
    expect(isTransient(new Error('begin', { cause: withCode('ECONNRESET') }))).toBe(true);
    expect(isTransient(new Error('timeout exceeded when trying to connect'))).toBe(true);
    expect(isTransient(unavailable('redis', new Error('Connection is closed.')))).toBe(true);
  });

  it.each(['23505', '22P02', '42P01', '54000', '53200'])('is none with the code %s', (code) => {
    expect(isTransient(withCode(code))).toBe(false);
  });

  it('is no error that has a code of its own, whatever caused it', () => {
    expect(isTransient(Object.assign(validationError({ a: 'is required' }), { cause: withCode('ECONNRESET') }))).toBe(
      false,
    );
    expect(isTransient(new TypeError('a bug'))).toBe(false);
  });
});
