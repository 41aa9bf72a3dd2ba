import { storable, textOf, writtenUpTo } from '../../src/foundation/validation/formats.ts';
import { validate } from '../../src/foundation/validation/validate.ts';
import {
  BOOLEAN,
  integer,
  list,
  MAP,
  mapOf,
  nullable,
  object,
  oneOf,
  PID,
  withMessage,
  text,
  textUpTo,
  type Schema,
} from '../../src/foundation/validation/schema.ts';
import { Languages } from '../../src/foundation/i18n/languages.ts';
import { TEXTS } from '../support/texts.ts';
import { inEnglish } from '../support/in-english.ts';
import { quoted } from '../../src/foundation/i18n/text.ts';

const PLACES = withMessage(
  'must be an array of {tenantId, roles}',
  list(object({ tenantId: text({ pattern: '^\\d+$' }) })),
);
const UNITS = withMessage('must be an array of resource pids', {
  anyOf: [list(object({ code: text() }), { minItems: 1, maxItems: 2 }), { const: '*' }],
});
const EVEN = textOf('even', (digits) => (Number(digits) % 2 === 0 ? null : quoted(`${digits} is odd`)));
const SCHEMA = object(
  { name: textUpTo(5), kind: oneOf(['a', 'b']) },
  {
    count: { ...integer(1, 9), default: 3 },
    on: BOOLEAN,
    note: nullable(text()),
    items: list(object({ code: text({ pattern: '^[a-z]+$' }) }), { maxItems: 2 }),
    places: PLACES,
    units: UNITS,
    even: EVEN,
    said: nullable(writtenUpTo(9)),
    secret: text({ minLength: 8, maxLength: 10 }),
    change: { ...object({}, { to: MAP }), minProperties: 1 },
  },
);
const GOOD = { name: 'Ada', kind: 'a' };
const problemsOf = (schema: Schema, value: unknown) => inEnglish(validate(schema, value));
const problems = (body: unknown) => problemsOf(SCHEMA, body);

describe('a value that is held against a schema', () => {
  it('has no problems when it keeps it', () => {
    expect(problems({ ...GOOD })).toEqual({});
    expect(problems({ ...GOOD, count: 9, on: false, note: null, items: [{ code: 'x' }], units: '*' })).toEqual({});
    expect(problems({ ...GOOD, units: [{ code: 'x' }], places: [{ tenantId: '1' }], said: 'so', even: '2' })).toEqual(
      {},
    );
    expect(problemsOf(MAP, { anything: 1 })).toEqual({});
  });

  it('gets the defaults of the schema for what it leaves out', () => {
    const value = { ...GOOD };

    problems(value);

    expect(value).toEqual({ ...GOOD, count: 3 });
  });

  it('is told everything that is wrong with it at once, by path', () => {
    expect(problems({ count: 10, on: 'yes', note: 1, items: [{ code: 'X' }, { more: 1 }], change: { a: 1 } })).toEqual({
      name: 'is required',
      kind: 'is required',
      count: 'must be a whole number from 1 to 9',
      on: 'must be true or false',
      note: 'must be a text',
      'items.0.code': 'is not valid',
      'items.1.code': 'is required',
      'items.1.more': 'is not known here; known are code',
      'change.a': 'is not known here; known are to',
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
      { ...GOOD, count: 1.5, items: {} },
      { count: 'must be a whole number from 1 to 9', items: 'must be an array' },
    ],
    [{ ...GOOD, items: [{}, {}, {}] }, expect.objectContaining({ items: 'must have 0 to 2 entries' })],
    [{ ...GOOD, secret: 'short' }, { secret: 'must be a text of 8 to 10 characters' }],
    [{ ...GOOD, secret: 'x'.repeat(11) }, { secret: 'must be a text of 8 to 10 characters' }],
    [{ ...GOOD, change: {} }, { change: 'must not be empty' }],
    [null, { body: 'must be an object' }],
  ])('%j: %j', (body, expected) => {
    expect(problems(body)).toEqual(expected);
  });

  it.each(['toString', 'valueOf', 'hasOwnProperty'])('has no key %s by nature', (key) => {
    expect(problems({ ...GOOD, [key]: 1 })).toEqual({ [key]: expect.stringMatching(/^is not known here/) as string });
  });

  it('is told in the words of its schema, at its own place, whatever is wrong deeper in it', () => {
    const words = { places: 'must be an array of {tenantId, roles}' };

    for (const places of ['x', [1], [{}], [{ tenantId: 'a' }], [{ tenantId: '1', other: 1 }], null]) {
      expect(problems({ ...GOOD, places })).toEqual(words);
    }
    expect(problemsOf(object({ places: PLACES }), {})).toEqual(words);
  });

  it('is told what is wrong with the alternative that was meant', () => {
    const words = { units: 'must be an array of resource pids' };

    expect(problems({ ...GOOD, units: 'all' })).toEqual(words);
    expect(problems({ ...GOOD, units: null })).toEqual(words);
    expect(problems({ ...GOOD, units: [] })).toEqual({ units: 'must have 1 to 2 entries' });
    expect(problems({ ...GOOD, units: [{ code: 1 }, {}] })).toEqual({
      'units.0.code': 'must be a text',
      'units.1.code': 'is required',
    });
    expect(problems({ ...GOOD, said: ' ' })).toEqual({ said: 'must be a text that is not empty' });
    expect(problems({ ...GOOD, said: 'x'.repeat(10) })).toEqual({ said: 'must not be longer than 9 characters' });
  });

  it('is told what the format of a text has to say', () => {
    expect(problems({ ...GOOD, even: '7', said: 'a\0' })).toEqual({
      even: '7 is odd',
      said: 'must not contain NUL or ill-formed Unicode',
    });
    expect(problemsOf(object({ a: storable(), b: storable() }), { a: '\ud800', b: ' ' })).toEqual({
      a: 'must not contain NUL or ill-formed Unicode',
    });
  });

  it('of nothing but mistakes is not told each of a million', () => {
    const wrong = problemsOf(object({ ids: list(text()) }), { ids: Array.from({ length: 100_000 }, () => 1) });

    expect(Object.keys(wrong).length).toBeLessThan(2_000);
    const late = [...Array.from({ length: 5_000 }, () => 'x'), 1];
    expect(problemsOf(object({ ids: list(text()) }), { ids: late })).toEqual({ 'ids.5000': 'must be a text' });
  });

  it('is told so in words that every language has', () => {
    const told = [
      validate(SCHEMA, {
        name: 'Augusta',
        kind: 'c',
        count: 0,
        on: 1,
        items: 1,
        else: 1,
        said: ' ',
        secret: '',
        change: 1,
      }),
      validate(SCHEMA, { ...GOOD, items: [{}, {}, {}], said: '\0', change: {}, units: [{ code: '', no: 1 }] }),
      validate(object({ a: integer(), b: integer(1), c: { type: 'number', minimum: 0, maximum: 1 } }), {
        a: 'x',
        b: 0,
        c: 2,
      }),
      validate(object({ a: { type: 'number' }, b: list(text(), { minItems: 1 }), c: object({}) }), {
        a: 'x',
        b: [],
        c: { d: 1 },
      }),
    ].flatMap((all) => Object.values(all));

    expect(told.length).toBeGreaterThan(18);
    const { translate } = new Languages(TEXTS, () => new Map()).languageFor(['zh-CN'], undefined);
    for (const problem of told) expect(translate(problem)).not.toBe(String(problem));
  });
});

describe('a text that Postgres cannot store', () => {
  it('is refused at its place, whatever else its schema says of it', () => {
    const schema = object(
      { pid: PID, name: textUpTo(5) },
      { of: nullable(text()), all: list(object({ a: text() })), by: mapOf(text()), free: MAP },
    );
    const problem = 'must not contain NUL or ill-formed Unicode';
    const value = {
      pid: '\0',
      name: '\ud800',
      of: 'a\0',
      all: [{ a: 'a' }, { a: '\0' }],
      by: { x: '\0' },
      free: { x: '\0' },
    };
    expect(validate(schema, value)).toEqual({
      pid: problem,
      name: problem,
      of: problem,
      'all.1.a': problem,
      'by.x': problem,
    });
  });
});
