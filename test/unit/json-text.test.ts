import { isDeepStrictEqual } from 'node:util';
import { JSON_SLICE } from '../../src/foundation/foundation.limits.ts';
import { parseLongJson } from '../../src/foundation/http/long-json.ts';
import { ANSWER_JSON, parseJson, REQUEST_JSON } from '../../src/foundation/validation/json-text.ts';
import { inEnglish } from '../support/in-english.ts';

const problemsOf = (text: string, rules = REQUEST_JSON) => {
  const parsed = parseJson(text, rules);
  return 'problems' in parsed ? inEnglish(parsed.problems) : null;
};
/** How often `JSON.parse` is called. */
const parsings = (work: () => unknown): number => {
  const { parse } = JSON;
  let calls = 0;
  JSON.parse = (...args) => {
    calls += 1;
    return parse(...args) as unknown;
  };
  try {
    work();
  } finally {
    JSON.parse = parse;
  }
  return calls;
};

describe('JSON that others have written', () => {
  it.each(['{"a":[1,{"b":"c"}],"d":null}', '"x"', ' [ ] ', '{"a":"\\"[{:,","b\\\\":"\\\\"}', '-12.5', '{"":{"":[]}}'])(
    '%s is what JSON.parse makes of it',
    (text) => {
      expect(parseJson(text)).toEqual({ value: JSON.parse(text) });
    },
  );

  it.each(['', '{', '[1,]', '{"a"}', '"', '{"a":1}x', '[1}', ']', "{'a':1}", '01', '"\\', '[,]', '\u0000'])(
    '%j is not valid JSON',
    (text) => {
      expect(problemsOf(text)).toEqual({ '': 'is not valid JSON' });
    },
  );

  it('is at most 32 levels deep, and never parsed where it is more', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(problemsOf(nested(32))).toBeNull();
    for (const text of [nested(33), nested(500_000), '['.repeat(32 * 1024 * 1024), '{"a":'.repeat(100_000)]) {
      expect(problemsOf(text)).toEqual({ '': 'is nested deeper than 32 levels' });
      expect(parsings(() => parseJson(text))).toBe(0);
    }
  });

  it('has at most 30,000 keys and 100,000 values', () => {
    const keys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;
    expect(problemsOf(keys(30_000))).toBeNull();
    expect(problemsOf(keys(30_001))).toEqual({ '': 'has more than 30000 keys' });
    const more = { ...REQUEST_JSON, keys: 200_000, values: 200_000 };
    expect(problemsOf(`[${keys(30_000)},${keys(20_000)}]`, more)).toBeNull();
    expect(problemsOf(`[1,${keys(30_001)}]`, more)).toEqual({ '': 'has more than 30000 keys in an object' });
    expect(problemsOf(`[${'1,'.repeat(100_001)}1]`)).toEqual({ '': 'has more than 100000 values' });
  });

  it('has no key that reaches a prototype, however it is written', () => {
    for (const key of ['__proto__', 'constructor', 'prototype', '\\u0063onstructor', '__pro\\u0074o__']) {
      const name = JSON.parse(`"${key}"`) as string;
      expect(problemsOf(`{"a":[{"${key}":1}]}`)).toEqual({ '': `must not contain the key ${name}` });
    }
    expect(problemsOf('{"a":"__proto__","b":["constructor"]}')).toBeNull();
  });

  it.each([
    ['9007199254740993', false],
    ['12345678901234567890', false],
    ['0.12345678901234567', false],
    ['1e400', false],
    ['-1e400', false],
    ['1e-400', false],
    ['9007199254740992', true],
    ['0.30000000000000004', true],
    ['0.1', true],
    ['1E+2', true],
    ['100000000000000000000', true],
    ['0.000000000000000000000', true],
    ['1.7976931348623157e308', true],
    ['5e-324', true],
    ['-0', true],
    ['1.50', true],
    ['-2147483648', true],
  ])('has no number that would be rounded: %s', (number, isKept) => {
    const told = `holds the number ${number}, which would be rounded: send at most 15 digits, or a text where the field takes one`;
    expect(problemsOf(`{"a":[0,{"b\\n":${number}}]}`)).toEqual(isKept ? null : { 'a.1.b\n': told });
  });

  it('tells of all such numbers where they are', () => {
    expect(Object.keys(problemsOf('{"a":1e999,"b":[1,1e999,"1e999"],"c":{"d":-1e999}}') ?? {})).toEqual([
      'a',
      'b.1',
      'c.d',
    ]);
  });

  it('of another service may have any keys and 100 levels, and keeps digits as texts', () => {
    expect(parseJson('{"constructor":{"id":9007199254740993,"n":1.5}}', ANSWER_JSON)).toEqual({
      value: { constructor: { id: '9007199254740993', n: 1.5 } },
    });
    expect(problemsOf('['.repeat(101) + ']'.repeat(101), ANSWER_JSON)).toEqual({
      '': 'is nested deeper than 100 levels',
    });
  });

  it('of many bytes is parsed in turns, into what JSON.parse makes of it', async () => {
    const long = 'x'.repeat(JSON_SLICE / 3);
    const longer = 'y"],['.repeat(JSON_SLICE / 4);
    for (const value of [
      Array.from({ length: 400 }, (_, index) => ({ index, text: 'x'.repeat(10_000) })),
      { a: 1, list: [long, [], [long, long, long, { longer, b: {} }]], 'k"ey:': { longer, ü: [longer] }, z: null },
      { only: longer },
      [longer],
      longer,
    ]) {
      for (const text of [JSON.stringify(value), ` ${JSON.stringify(value, null, 2)}\n`]) {
        expect(isDeepStrictEqual(await parseLongJson(text, REQUEST_JSON), { value })).toBe(true);
      }
    }
  });

  it('of many bytes from another service keeps digits and any key', async () => {
    const long = 'x'.repeat(JSON_SLICE / 2);
    const text = `{"a":"${long}","__proto__":{"n":9007199254740993},"rows":[{"id":1e400,"b":"${long}"},"${long}"]}`;

    const parsed = await parseLongJson(text, ANSWER_JSON);

    const value = JSON.parse(
      text.replace('9007199254740993', '"9007199254740993"').replace('1e400', '"1e400"'),
    ) as object;
    expect(isDeepStrictEqual(parsed, { value })).toBe(true);
  });

  it('of many bytes is refused as JSON.parse refuses it', async () => {
    const long = JSON.stringify('x'.repeat(JSON_SLICE));
    for (const text of [
      `[${long},,${long}]`,
      `[${long},]`,
      `[,${long}]`,
      `{${long}}`,
      `{${long},"a":1}`,
      `{"a"${long}}`,
      `{"a":1,"b":${long}]`,
      `[${long}}`,
      `[${long}`,
      `[${long}]x`,
      `[${long}]]`,
      `{1:${long}}`,
      `{:${long}}`,
      `[[${long}},{${long}]]`,
      long.slice(0, -1),
    ]) {
      expect(() => JSON.parse(text)).toThrow(SyntaxError);
      expect(await parseLongJson(text, REQUEST_JSON)).toEqual({ problems: { '': 'is not valid JSON' } });
    }
  });
});
