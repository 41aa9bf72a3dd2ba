import { canonicalJson } from '../../src/foundation/validation/canonical-json.ts';

describe('canonical JSON', () => {
  it('is the same for equal content, whatever the order of its keys, at every depth', () => {
    const one = { b: [{ y: 1, x: { d: 1, c: 2 } }], a: 'ä', ab: null };
    const other = { ab: null, a: 'ä', b: [{ x: { c: 2, d: 1 }, y: 1 }] };

    expect(canonicalJson(one)).toBe('{"a":"ä","ab":null,"b":[{"x":{"c":2,"d":1},"y":1}]}');
    expect(canonicalJson(other)).toBe(canonicalJson(one));
  });

  it('differs for arrays in another order, and for equal-looking values of other types', () => {
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
    expect(canonicalJson({ a: 1 })).not.toBe(canonicalJson({ a: '1' }));
    expect(canonicalJson({ a: null })).not.toBe(canonicalJson({}));
  });

  it('takes keys with a meaning of their own for plain ones', () => {
    const content = JSON.parse('{"toJSON":"b","__proto__":{"z":1,"y":2},"2":0}') as object;

    expect(canonicalJson(content)).toBe('{"2":0,"__proto__":{"y":2,"z":1},"toJSON":"b"}');
  });

  it('leaves out what is undefined and writes times as JSON does', () => {
    expect(canonicalJson({ b: undefined, a: new Date(0) })).toBe('{"a":"1970-01-01T00:00:00.000Z"}');
  });
});
