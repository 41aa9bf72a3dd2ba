import { compare, differenceOf, patchOf } from '../../src/features/environments/environment-diff.ts';
import { applyPatch } from 'rfc6902';
import type { ExportEntry } from '../../src/features/environments/environment-export.ts';

const page = (pid: string, rest: Partial<ExportEntry> = {}): ExportEntry => ({
  resourceType: 'PAGE_SCHEMA',
  pid,
  code: `page_${pid}`,
  version: 1,
  content: { name: 'Page', modelCode: 'm', columns: ['a', 'b'] },
  ...rest,
});

describe('the difference of two environments', () => {
  it('is what the source has beside (added), has otherwise (updated) and lacks (removed), with versions', async () => {
    const changed = page('B', { version: 3, content: { name: 'New', modelCode: 'm', columns: ['b'] } });

    const { added, updated, removed } = await differenceOf(
      [page('A'), changed, page('D')],
      [page('B'), page('C'), page('D')],
    );

    expect(added).toMatchObject([{ pid: 'A', sourceVersion: 1, targetVersion: null }]);
    expect(updated).toMatchObject([{ pid: 'B', sourceVersion: 3, targetVersion: 1 }]);
    expect(removed).toMatchObject([{ pid: 'C', sourceVersion: null, targetVersion: 1 }]);
  });

  it('is ordered by type and code, whatever order the resources came in', async () => {
    const entries = [page('B'), page('A'), page('C', { resourceType: 'COMMAND', code: 'x:y' })];

    const codes = (await differenceOf(entries, [])).added.map(({ code }) => code);

    expect(codes).toEqual(['x:y', 'page_A', 'page_B']);
    expect((await differenceOf([...entries].reverse(), [])).added.map(({ code }) => code)).toEqual(codes);
  });

  it('is null where version, code and content are the same, whatever the order of keys', () => {
    const other = page('A', { content: { columns: ['a', 'b'], modelCode: 'm', name: 'Page' } });

    expect(compare(page('A'), other)).toBeNull();
    expect(compare(undefined, undefined)).toBeNull();
  });

  it.each([
    ['version', { version: 2 }],
    ['code', { code: 'other' }],
    ['content', { content: { name: 'Page', modelCode: 'm', columns: ['b', 'a'] } }],
  ])('is one where only the %s differs', (_what, rest) => {
    expect(compare(page('A', rest), page('A'))).toMatchObject({ pid: 'A' });
  });
});

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ code: `f${index}`, values: [index, 'x'] }));

describe("a difference's patch", () => {
  it.each<[what: string, source: unknown, target: unknown]>([
    ['a changed value', { name: 'New', columns: ['a'] }, { name: 'Old', columns: ['a'] }],
    ['an added and a removed key', { name: 'P', rules: [] }, { name: 'P', extra: { x: 1 } }],
    ['array elements', { columns: ['c', 'a', 'x'] }, { columns: ['a', 'b', 'c', 'd'] }],
    ['keys with slashes and tildes', { 'a/b': 1, 'c~d': { '': 2 } }, { 'a/b': 2 }],
    ['many items, added', { fields: many(40) }, { fields: many(30) }],
    ['many items, removed in the middle', { fields: [...many(10), ...many(40).slice(25)] }, { fields: many(40) }],
    ['many items, turned round', { fields: many(40).reverse() }, { fields: many(35) }],
    ['everything', { a: [1, { b: null }] }, 'text'],
  ])("turns the target's content into the source's: %s", (_what, source, target) => {
    const document = { content: structuredClone(target) };
    const patch = patchOf(page('A', { content: source as never }), page('A', { content: target as never })).map(
      (one) => ({ ...one, path: `/content${one.path}` }),
    );

    const errors = applyPatch(document, patch);

    expect(errors.filter(Boolean)).toEqual([]);
    expect(document.content).toEqual(source);
  });

  it('names what has changed and nothing else, of long lists, too', () => {
    const [first, ...rest] = many(30);
    const content = (fields: object[]) => page('A', { content: { fields } });

    expect(patchOf(content(many(31)), content(many(30)))).toEqual([
      { op: 'add', path: '/fields/30', value: many(31)[30] },
    ]);
    expect(patchOf(content([{ ...first, code: 'x' }, ...rest]), content(many(30)))).toEqual([
      { op: 'replace', path: '/fields/0/code', value: 'x' },
    ]);
  });

  it('of many fields in another order is made item by item, not by comparing each with each', () => {
    const [given, wanted] = [many(500), many(500).reverse()];
    const patch = patchOf(page('A', { content: { fields: wanted } }), page('A', { content: { fields: given } }));
    expect(new Set(patch.map(({ op }) => op))).toEqual(new Set(['replace']));
  });
});
