import { differencesOf } from '../../src/features/examples/run-examples.ts';

describe('what an example expects', () => {
  it.each([
    ['an object with more keys', { a: 1 }, { a: 1, b: 2 }],
    ['a null where nothing is', { a: null }, {}],
    ['a number of a decimal', { a: 1200.5 }, { a: '1200.50' }],
    ['a list of such objects', [{ a: 1 }, {}], [{ a: 1, b: 2 }, { c: 3 }]],
  ])('is met by %s', (_what, expected, actual) => {
    expect(differencesOf(expected, actual, 'result')).toEqual([]);
  });

  it.each([
    ['another value', { a: 1 }, { a: 2 }, { path: 'result.a', expected: 1, actual: 2 }],
    ['a text that is no number', { a: 0 }, { a: '' }, { path: 'result.a', expected: 0, actual: '' }],
    ['a missing key', { a: { b: 1 } }, { a: {} }, { path: 'result.a.b', expected: 1, actual: undefined }],
    ['a key of the prototype', { constructor: 1 }, {}, { path: 'result.constructor', expected: 1, actual: undefined }],
    ['no object', { a: 1 }, null, { path: 'result', expected: { a: 1 }, actual: null }],
    ['a list of another length', [1], [1, 2], { path: 'result.length', expected: 1, actual: 2 }],
    ['another item', [{ a: 1 }], [{ a: 2 }], { path: 'result[0].a', expected: 1, actual: 2 }],
  ])('is not met by %s, which is told with its place', (_what, expected, actual, difference) => {
    expect(differencesOf(expected, actual, 'result')).toEqual([difference]);
  });
});
