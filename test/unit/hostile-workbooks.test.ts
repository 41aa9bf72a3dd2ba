import { columnsProblem, problemOf, rowsOf } from '../support/import-files.ts';
import { HOSTILE_WORKBOOKS, manyOf, sheetParts, workbook } from '../support/workbooks.ts';

/** The longest part of the time of some work in which nothing else could run: 1 for all of it. */
async function longestPause(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  let longest = 0;
  let last = performance.now();
  const watch = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  const end = performance.now();
  return Math.max(longest, end - last) / (end - begun);
}

describe('a small workbook that unpacks to very much', () => {
  it.each(HOSTILE_WORKBOOKS)('is refused with the name of the limit: %s', async (_what, filePid, parts) => {
    const file = await workbook(parts());
    expect(file.length).toBeLessThan(3_000_000);
    expect(await problemOf('xlsx', file)).toEqual({ filePid });
  });

  it('is refused before it is accepted where its first row cannot be read', async () => {
    const file = await workbook(sheetParts(`<row>${'<a>'.repeat(100)}${'</a>'.repeat(100)}</row>`));
    expect(await columnsProblem('xlsx', file)).toEqual({ filePid: 'nests its XML deeper than 64 levels' });
  });
});

describe('a large workbook', () => {
  it('is read beside other work', async () => {
    const row = '<row><c t="inlineStr"><is><t>a</t></is></c><c><v>1</v></c></row>';
    const sheet = manyOf(row, 40_000, '<worksheet><sheetData>', '</sheetData></worksheet>');
    const file = await workbook(sheetParts('', { 'xl/worksheets/one.xml': sheet }));
    let count = 0;
    const pause = await longestPause(async () => {
      count = (await rowsOf('xlsx', file)).length;
    });
    expect(count).toBe(39_999);
    expect(pause).toBeLessThan(0.5);
  });
});
