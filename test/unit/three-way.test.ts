import { mergeThreeWay } from '../../cli/app/three-way.ts';

const field = (code: string, more: object = {}) => ({ code, type: 'string', ...more });

describe('a merge of two changes', () => {
  it.each<[string, unknown, unknown, unknown, unknown]>([
    ['of different keys', { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 2 }],
    ['that are the same', { a: 1 }, { a: 2 }, { a: 2 }, { a: 2 }],
    ['that add and remove keys', { a: 1, b: 1 }, { a: 1, b: 1, c: 1 }, { b: 1 }, { b: 1, c: 1 }],
    [
      'of different items of a list',
      [field('a'), field('b')],
      [field('a', { max: 1 }), field('b')],
      [field('a'), field('b'), field('c')],
      [field('a', { max: 1 }), field('b'), field('c')],
    ],
    [
      'of different keys of an item',
      [field('a')],
      [field('a', { max: 1 })],
      [field('a', { min: 1 })],
      [field('a', { max: 1, min: 1 })],
    ],
    ['that remove and add texts', ['a', 'b', 'c'], ['b', 'c'], ['a', 'b', 'x', 'c'], ['b', 'x', 'c']],
    ['that both add at the front', ['a'], ['m', 'a'], ['t', 'a'], ['t', 'm', 'a']],
  ])('%s keeps both', (_what, base, mine, theirs, merged) => {
    expect(mergeThreeWay(base, mine, theirs)).toEqual({ content: merged, conflicts: [] });
  });

  it.each<[string, unknown, unknown, unknown, string]>([
    ['the same key', { a: { b: 1 } }, { a: { b: 2 } }, { a: { b: 3 } }, 'a.b'],
    ['a key that one side removes', { a: { b: 1 } }, {}, { a: { b: 2 } }, 'a'],
    [
      'the same key of an item',
      { l: [field('a')] },
      { l: [field('a', { max: 1 })] },
      { l: [field('a', { max: 2 })] },
      'l.a.max',
    ],
    ['an item that one side removes', { l: [field('a')] }, { l: [] }, { l: [field('a', { max: 2 })] }, 'l.a'],
    ['lists whose items have no names', [[1]], [[2]], [[3]], 'content'],
    ['what both add', {}, { a: 1 }, { a: 2 }, 'a'],
  ])('names %s that both have changed', (_what, base, mine, theirs, path) => {
    expect(mergeThreeWay(base, mine, theirs).conflicts).toEqual([path]);
  });
});
