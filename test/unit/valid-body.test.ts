import { BOOLEAN, integer, list, MAP, nullable, object, oneOf, text, textUpTo } from '../../src/http/schema.ts';
import { problemsOfBody } from '../../src/http/valid-body.ts';
import { recognise } from '../../src/i18n/recognise.ts';

const SCHEMA = object(
  { name: textUpTo(5), kind: oneOf(['a', 'b']) },
  {
    count: integer(1, 9),
    on: BOOLEAN,
    note: nullable(text()),
    items: list(object({ code: text({ pattern: '^[a-z]+$' }) }), { maxItems: 2 }),
  },
);
const problems = (body: unknown) => problemsOfBody(SCHEMA, body);

describe('a body that is held against the schema of its contract', () => {
  it('has no problems when it keeps it', () => {
    expect(problems({ name: 'Ada', kind: 'a' })).toEqual({});
    expect(problems({ name: 'Ada', kind: 'b', count: 9, on: false, note: null, items: [{ code: 'x' }] })).toEqual({});
    expect(problemsOfBody(MAP, { anything: 1 })).toEqual({});
  });

  it('is told everything that is wrong with it at once, by path', () => {
    expect(problems({ count: 10, on: 'yes', note: 1, items: [{ code: 'X' }, { more: 1 }], else: 1 })).toEqual({
      name: 'is required',
      kind: 'is required',
      count: 'must be a whole number from 1 to 9',
      on: 'must be true or false',
      note: 'is not valid',
      'items.0.code': 'is not valid',
      'items.1.code': 'is required',
      'items.1.more': 'is not known here',
      else: 'is not known here',
    });
  });

  it.each([
    [
      { name: null, kind: '' },
      { name: 'is required', kind: 'is required' },
    ],
    [
      { name: 7, kind: 'c' },
      { name: 'must be a text', kind: 'must be one of a, b' },
    ],
    [
      { name: 'Augusta', kind: [] },
      { name: 'must not be longer than 5 characters', kind: 'must be a text' },
    ],
    [
      { name: 'Ada', kind: 'a', count: 1.5, items: {} },
      { count: 'must be a whole number from 1 to 9', items: 'must be an array' },
    ],
  ])('%j: %j', (body, expected) => {
    expect(problems(body)).toEqual(expected);
  });

  it('is told so in words that every language has', () => {
    const told = problems({ name: 'Augusta', kind: 'c', count: 0, on: 1, items: 1, else: 1 });

    for (const problem of Object.values(told)) expect([problem, recognise(problem)]).not.toEqual([problem, null]);
  });
});
