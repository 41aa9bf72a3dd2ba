import { ApplicationFailure } from '@temporalio/common';
import { ApplicationError, conflict, validationError } from '../../src/foundation/errors/application-error.ts';
import { ERROR_CATALOGUE, type ErrorCode } from '../../src/foundation/errors/catalogue.ts';
import { quoted, text } from '../../src/foundation/i18n/text.ts';
import { fromStoredError, toStoredError } from '../../src/foundation/errors/failure.ts';
import { codeOfFailure, toApplicationFailure } from '../../src/foundation/errors/temporal-failure.ts';

const CODES = Object.keys(ERROR_CATALOGUE) as ErrorCode[];

describe('an error stored with its execution', () => {
  it.each(CODES)('%s comes back as it was', (code) => {
    const error = new ApplicationError(code, { message: quoted('why'), data: { reason: 'STATE' } });

    const back = fromStoredError(JSON.parse(JSON.stringify(toStoredError(error))));

    expect(back).toMatchObject({ code, message: 'why', data: { reason: 'STATE' }, status: error.status });
  });

  it('keeps its texts apart from their values, in all that it says', () => {
    const problem = text('must be one of {values}', { values: 'a, b' });
    const message = text('The changes could not be applied: {problem}', { problem });
    const data = { fieldErrors: { kind: problem }, conflicts: [{ message: problem, code: 'x' }], rows: 1 };

    const stored = toStoredError(new ApplicationError('CONFLICT', { message, data }));
    const inJson = { template: 'must be one of {values}', values: { values: 'a, b' } };
    expect(JSON.parse(JSON.stringify(stored))).toEqual({
      code: 'CONFLICT',
      message: { template: 'The changes could not be applied: {problem}', values: { problem: inJson } },
      data: { fieldErrors: { kind: inJson }, conflicts: [{ message: inJson, code: 'x' }], rows: 1 },
    });
    const back = fromStoredError(JSON.parse(JSON.stringify(stored)));
    expect(back.message).toBe('The changes could not be applied: must be one of a, b');
    expect(String((back.data as typeof data).fieldErrors.kind)).toBe('must be one of a, b');
  });

  it('holds neither stack nor cause', () => {
    const error = new ApplicationError('INTERNAL_ERROR', { cause: new Error('a secret') });

    expect(toStoredError(error)).toEqual({ code: 'INTERNAL_ERROR', message: 'Internal error', data: null });
  });
});

describe('an error as a Temporal failure', () => {
  it.each(CODES)('%s travels as the type of a final failure', (code) => {
    const failure = toApplicationFailure(new ApplicationError(code));

    expect(failure).toMatchObject({ type: code, nonRetryable: true });
    expect(codeOfFailure(failure)).toBe(code);
  });

  it('takes no data and no cause along: histories are plain text', () => {
    const failure = toApplicationFailure(validationError({ email: quoted('mary@example.com is taken') }));

    expect(failure.details ?? []).toEqual([]);
    expect(failure.cause).toBeUndefined();
    expect(failure.message).not.toContain('mary');
  });

  it('is found however deep it is wrapped', () => {
    const wrapped = new Error('outer', {
      cause: new Error('inner', { cause: toApplicationFailure(conflict('STATE')) }),
    });

    expect(codeOfFailure(wrapped)).toBe('CONFLICT');
  });

  it.each([
    ['an error of another kind', new Error('CONFLICT')],
    ['a failure with a type of its own', ApplicationFailure.create({ type: 'TypeError' })],
    ['a failure whose type is a property of every object', ApplicationFailure.create({ type: 'constructor' })],
    ['nothing', undefined],
  ])('is not seen in %s', (_what, failure) => {
    expect(codeOfFailure(failure)).toBeNull();
  });
});
