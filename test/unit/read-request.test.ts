import { ApplicationError, type FieldErrors } from '../../src/foundation/errors/application-error.ts';
import { ISO_DATETIME, storable } from '../../src/foundation/validation/formats.ts';
import { PAGING_QUERY } from '../../src/foundation/http/paging.ts';
import { parseQuery } from '../../src/foundation/http/read-request.ts';
import { BOOLEAN, integer, oneOf, text, type Static, parameters } from '../../src/foundation/validation/schema.ts';
import { inEnglish } from '../support/in-english.ts';

const QUERY = parameters(
  {
    ...PAGING_QUERY,
    kind: oneOf(['a', 'b']),
    on: BOOLEAN,
    code: storable({ maxLength: 5 }),
    since: ISO_DATETIME,
    cursor: text({ minLength: 0 }),
    big: integer(0),
  },
  { id: text() },
);
type Query = Static<typeof QUERY>;
type Rules = (fields: Partial<Query>, errors: FieldErrors) => void;

const read = (query: Record<string, unknown>, rules?: Rules): Query =>
  parseQuery({ id: 'x', ...query }, QUERY, (given, errors) => {
    rules?.(given, errors);
    return given as Query;
  });

function errorsOf(query: Record<string, unknown>, rules?: Rules): unknown {
  try {
    read(query, rules);
  } catch (error) {
    if (error instanceof ApplicationError) return inEnglish({ code: error.code, ...error.data });
    throw error;
  }
  throw new Error('the query was accepted');
}

const refused = (fieldErrors: object) => ({ code: 'VALIDATION_ERROR', fieldErrors });

describe('a query string that is read by its contract', () => {
  it('is made of texts that stand for what their schemas say, with its defaults', () => {
    expect(read({})).toEqual({ pageNum: 1, pageSize: 10, id: 'x' });
    expect(read({ pageNum: '7', kind: 'b', on: 'false', code: '12', big: '999999999999999' })).toEqual({
      pageNum: 7,
      pageSize: 10,
      kind: 'b',
      on: false,
      code: '12',
      id: 'x',
      big: 999_999_999_999_999,
    });
  });

  it('has what has no text as not given, unless nothing is a text there', () => {
    expect(read({ pageNum: '', kind: '', on: '', code: '', cursor: '' })).toEqual({
      pageNum: 1,
      pageSize: 10,
      id: 'x',
      cursor: '',
    });
    expect(errorsOf({ id: '' })).toEqual(refused({ id: 'is required' }));
  });

  it.each(['1e3', '0x10', ' 5', '+5', '-1', '1.0', '9'.repeat(16), '٣', 'NaN', 'true'])(
    'takes %j for no whole number',
    (pageNum) => {
      expect(errorsOf({ pageNum, big: pageNum })).toEqual(
        refused({ pageNum: 'must be a whole number from 1 to 1000000', big: 'must be a whole number from 0' }),
      );
    },
  );

  it.each(['1', 'TRUE', 'yes', 'null'])('takes %j for neither true nor false', (on) => {
    expect(errorsOf({ on })).toEqual(refused({ on: 'must be true or false' }));
  });

  it('names all that is wrong at once', () => {
    const query = { pageNum: '0', pageSize: '501', kind: 'c', on: 'x', code: 'a\0', since: 'soon', id: ['1', '2'] };

    expect(errorsOf(query)).toEqual(
      refused({
        pageNum: 'must be a whole number from 1 to 1000000',
        pageSize: 'must be a whole number from 1 to 500',
        kind: 'must be one of a, b',
        on: 'must be true or false',
        code: 'must not contain NUL or ill-formed Unicode',
        since: 'must be a date or an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z',
        id: 'is given more than once',
      }),
    );
  });

  it('ignores names that the contract does not have, whatever they are called', () => {
    const query = Object.assign(Object.create(null) as object, { id: 'x', ['__proto__']: '1', page: ['1', '2'] });

    expect(parseQuery(query, QUERY, (given) => given)).toEqual({ pageNum: 1, pageSize: 10, id: 'x' });
  });

  it('is asked about by rules, which see what is good alone and add to what is wrong', () => {
    const seen: Partial<Query>[] = [];
    const rules: Rules = (good, errors) => {
      seen.push(good);
      if (good.kind !== undefined) errors.kind = 'is not possible here';
    };

    expect(errorsOf({ pageNum: '0', kind: 'a', code: 'too long', id: ['1', '2'] }, rules)).toEqual(
      refused({
        pageNum: 'must be a whole number from 1 to 1000000',
        kind: 'is not possible here',
        code: 'must not be longer than 5 characters',
        id: 'is given more than once',
      }),
    );
    expect(seen).toEqual([{ pageSize: 10, kind: 'a' }]);
  });
});
