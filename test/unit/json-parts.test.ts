import { boundedJson, isSmallJson, jsonParts } from '../../src/foundation/validation/json-parts.ts';

const LONG = 'é"\n'.repeat(100_000);

describe('JSON in parts', () => {
  it('is what JSON.stringify writes', () => {
    const values = [
      { a: [LONG, undefined, null, 1, true, { b: LONG, c: undefined }], d: {}, e: [], f: new Date(0) },
      [[LONG], [[]], [{}]],
      { big: Array.from({ length: 20_000 }, (_, index) => ({ index })) },
      LONG,
      null,
    ];
    for (const value of values) expect([...jsonParts(value)].join('')).toBe(JSON.stringify(value));
  });

  it('ends where a value that is named often becomes larger than it may be', () => {
    const shared = { notes: LONG };
    const records = Array.from({ length: 100 }, () => ({ shared }));
    expect(() => boundedJson(records, 1024 * 1024)).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
    expect(boundedJson(records.slice(0, 1), 1024 * 1024)).toBe(JSON.stringify(records.slice(0, 1)));
  });

  it('is only for what is large', () => {
    expect([isSmallJson({ a: 'b' }), isSmallJson({ a: [LONG] })]).toEqual([true, false]);
  });
});
