import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { EXPORT_FORMATS } from '../../src/features/records/export/export-format.ts';
import { columnsProblem, problemOf, rowsOf, valuesOf } from '../support/import-files.ts';
import { sheetParts, workbook, WORKBOOK_RELATIONS } from '../support/workbooks.ts';

describe('a CSV file', () => {
  it('has rows by the names in its first row; an empty cell is null, "" an empty text, an empty row none', async () => {
    const rows = await rowsOf('csv', 'name,amount\r\n"a ""b"", c\nd",1\r\n,\r\n"",2\r\nx\r\n');
    expect(valuesOf(rows)).toEqual([
      [2, { name: 'a "b", c\nd', amount: '1' }],
      [4, { name: '', amount: '2' }],
      [5, { name: 'x', amount: null }],
    ]);
  });

  it.each([
    ['semicolons', 'a;b\n1,5;2\n'],
    ['tabs', 'a\tb\n1,5\t2\n'],
    ['a byte order mark', '\ufeffa;b\n1,5;2\n'],
  ])('may have %s', async (_what, content) => {
    expect(valuesOf(await rowsOf('csv', content))).toEqual([[2, { a: '1,5', b: '2' }]]);
  });

  it('may be in UTF-16 with a byte order mark', async () => {
    const content = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('a\n你好\n', 'utf16le')]);
    expect(valuesOf(await rowsOf('csv', content))).toEqual([[2, { a: '你好' }]]);
  });

  it.each([
    ['CRLF in the first row, LF in the others', 'a,b\r\nA,1\nB,2\n'],
    ['LF in the first row, CRLF in the others', 'a,b\nA,1\r\nB,2\r\n'],
    ['LF at the end alone', 'a,b\r\nA,1\r\nB,2\n'],
    ['CR', 'a,b\rA,1\rB,2'],
    ['all of them', 'a,b\rA,1\nB,2\r\n'],
  ])('may end its rows with %s', async (_what, content) => {
    expect(valuesOf(await rowsOf('csv', content))).toEqual([
      [2, { a: 'A', b: '1' }],
      [3, { a: 'B', b: '2' }],
    ]);
    const oneColumn = content.replaceAll(/,./g, '');
    expect(valuesOf(await rowsOf('csv', oneColumn))).toEqual([
      [2, { a: 'A' }],
      [3, { a: 'B' }],
    ]);
  });

  it('may begin with blank lines, which count as rows', async () => {
    expect(valuesOf(await rowsOf('csv', '\n \r\na,b\nA,1\n'))).toEqual([[4, { a: 'A', b: '1' }]]);
  });

  it.each([
    ['most rows', 'Name, first;Zip\nA;1\nB;2\n', { 'Name, first': 'A', Zip: '1' }],
    ['rows behind quoted ones', '"a;b",c\n"x;y;z",1\n', { 'a;b': 'x;y;z', c: '1' }],
    ['a first row alone', 'a|b\n1,2|3\n', { a: '1,2', b: '3' }],
    ['a line of its own, in spite of the rows', 'sep=;\na,b;c\n1,2;3\n', { 'a,b': '1,2', c: '3' }],
    ['such a line with CRLF, quoted', '\ufeff"sep=\t"\r\na,b\tc\r\n1,2\t3\r\n', { 'a,b': '1,2', c: '3' }],
  ])('has the delimiter that %s show', async (_what, content, values) => {
    expect(valuesOf(await rowsOf('csv', content))[0]).toEqual([2, values]);
  });

  it('has the delimiter that is asked for', async () => {
    expect(valuesOf(await rowsOf('csv', 'a,b^c\n1,2^3\n', '^'))).toEqual([[2, { 'a,b': '1,2', c: '3' }]]);
  });

  it.each([
    ['UTF-8', Buffer.from('name\n\u4f60a\n\ufeffb\n')],
    ['UTF-16', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('name\n\u4f60a\n\ufeffb\n', 'utf16le')])],
  ])('in %s keeps its characters whole wherever pieces end', async (_what, content) => {
    expect(valuesOf(await rowsOf('csv', content))).toEqual([
      [2, { name: '\u4f60a' }],
      [3, { name: '\ufeffb' }],
    ]);
  });

  it.each([
    [Buffer.from('name\nAndr\xe9\n', 'latin1'), 9],
    [Buffer.concat([Buffer.from('name\n\u4f60\u4f60\u4f60\u4f60'), Buffer.from([0xe4, 0xbd])]), 17],
    [
      Buffer.concat([Buffer.from(`name\n${'\u4f60'.repeat(50_000)}`), Buffer.from([0xc0]), Buffer.from('x\n')]),
      150_005,
    ],
  ])('in another encoding is refused with its first wrong byte: %#', async (content, byte) => {
    const filePid = `is not a text in utf-8: see its byte ${byte}`;
    expect(await problemOf('csv', content)).toEqual({ filePid });
    expect(await problemOf('ndjson', content)).toEqual({ filePid });
  });

  it('gives back what an export has written, whatever the texts', async () => {
    const columns = [{ code: 'name', title: 'name', type: 'string' as const }];
    const texts = fc.array(
      fc.string({ unit: fc.constantFrom("'", '=', '+', '"', ',', ';', '\r', '\n', '\t', 'a', ' ', '你') }),
      { minLength: 1, maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(texts, async (given) => {
        const { begin, record } = EXPORT_FORMATS.csv.encoderOf(columns, { bom: true });
        const rows = await rowsOf('csv', begin + given.map((name) => record({ name })).join(''));
        expect(rows.map(({ values }) => values.name)).toEqual(given);
      }),
      { numRuns: 50 },
    );
  });

  it('says of a row that it has too many cells', async () => {
    expect(await rowsOf('csv', 'a\n1,2\n')).toMatchObject([
      { number: 2, problem: 'has more cells than the first row: 1' },
    ]);
  });

  it.each([
    ['', 'is empty'],
    ['\n \n', 'is empty'],
    ['a,,b\n', 'has no name for column 2 in its first row'],
    ['a,a\n', 'has two columns a'],
    ['a\n"b', 'row 2 is not valid CSV'],
    [Buffer.from([0x61, 0x0a, 0xff, 0xfe]), 'is not a text in utf-8: see its byte 2'],
    [`a\n${'x'.repeat(1_048_600)}\n`, 'row 2 has more than 1048576 characters'],
  ])('is refused where it cannot be read: %#', async (content, filePid) => {
    const problem =
      content.toString().trim() === '' ? await columnsProblem('csv', content) : await problemOf('csv', content);
    expect(problem).toEqual({ filePid });
  });
});

describe('a file with a JSON object per line', () => {
  it('has rows with their own columns and types', async () => {
    const rows = await rowsOf('ndjson', '{"a":1}\n\n{"b":[true,null]}\r\n');
    expect(valuesOf(rows)).toEqual([
      [1, { a: 1 }],
      [3, { b: [true, null] }],
    ]);
  });

  it('says which row is none', async () => {
    const deep = `{"a":${'['.repeat(40)}${']'.repeat(40)}}`;
    expect(await rowsOf('ndjson', `{\n[1]\n{"__proto__":1}\n${deep}\n`)).toMatchObject([
      { number: 1, problem: 'is not valid JSON' },
      { number: 2, problem: 'must be a JSON object' },
      { number: 3, problem: 'must not contain the key __proto__' },
      { number: 4, problem: 'is nested deeper than 32 levels' },
    ]);
  });

  it('is refused where a line has no end', async () => {
    const [problem] = [await problemOf('ndjson', `{"a":1}\n"${'x'.repeat(1_048_577)}`)];
    expect(problem).toEqual({ filePid: 'row 2 has more than 1048576 characters' });
  });
});

describe('a workbook', () => {
  it('has rows by the names in the first row of its first sheet, with shared texts and cells that are left out', async () => {
    const shared = '<sst><si><t>name</t></si><si><r><t>a</t></r><r><t>&amp;b</t></r><rPh><t>no</t></rPh></si></sst>';
    const rows = [
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>day</t></is></c><c r="C1" t="str"><v>ok</v></c></row>',
      '<row r="4"><c r="A4" t="s"><v>1</v></c><c r="C4" t="b"><v>1</v></c></row>',
      '<row r="5"><c r="B5" s="3"><f>1+1</f><v>46053.5</v></c><c r="C5" s="1"/></row>',
    ];
    const file = await workbook(
      sheetParts(rows.join('').replace(/<(\/?)(row|c|v|is|t|f)\b/g, '<$1$2'), { 'xl/sharedStrings.xml': shared }),
    );
    expect(valuesOf(await rowsOf('xlsx', file))).toEqual([
      [4, { name: 'a&b', day: null, ok: true }],
      [5, { name: null, day: 46053.5, ok: null }],
    ]);
  });

  it('gives back what an export has written', async () => {
    const columns = [
      { code: 'name', title: 'name', type: 'string' as const },
      { code: 'amount', title: 'amount', type: 'decimal' as const },
    ];
    const { begin, record, end } = EXPORT_FORMATS.xlsx.encoderOf(columns, { bom: false });
    const text = 'a\u0001_x0041_<&>"\u0007 =1';
    const sheet = begin + record({ name: text, amount: '-1.5' }) + record({ name: '', amount: null }) + end;
    const file = await buffer(EXPORT_FORMATS.xlsx.pack?.(Readable.from([sheet])) ?? Readable.from([]));
    expect(valuesOf(await rowsOf('xlsx', file))).toEqual([
      [2, { name: text, amount: -1.5 }],
      [3, { name: '', amount: null }],
    ]);
  });

  it.each([
    ['what is no zip file', 'hello'],
    ['an empty file', ''],
  ])('is not %s', async (_what, content) => {
    expect(await problemOf('xlsx', content)).toEqual({ filePid: 'is not a workbook that can be read' });
  });

  it('is refused where its XML declares entities, or is broken', async () => {
    const bomb =
      '<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet><sheetData><row><c t="str"><v>&a;</v></c></row></sheetData></worksheet>';
    for (const xml of [bomb, '<worksheet><row>', '<worksheet><row><c t="str"><v>&a;</v></c></row></worksheet>']) {
      const file = await workbook(sheetParts('', { 'xl/worksheets/one.xml': xml }));
      expect(await problemOf('xlsx', file)).toEqual({ filePid: 'is not a workbook that can be read' });
    }
  });

  it('is refused where a part says that it unpacks to too much, or to less than it does', async () => {
    const file = await workbook(sheetParts(`<row><c t="str"><v>${'a'.repeat(100_000)}</v></c></row>`));
    const declare = (size: number): Buffer => {
      const changed = Buffer.from(file);
      for (let at = changed.indexOf('PK\u0001\u0002'); at !== -1; at = changed.indexOf('PK\u0001\u0002', at + 4)) {
        changed.writeUInt32LE(size, at + 24);
      }
      return changed;
    };
    expect(await problemOf('xlsx', declare(2 ** 31))).toEqual({
      filePid: 'unpacks to more than 64 MB: import it as CSV',
    });
    expect(await problemOf('xlsx', declare(10))).toEqual({ filePid: 'is not a workbook that can be read' });
  });

  it('is refused where it counts days from 1904', async () => {
    const xml = `<workbook xmlns:r="${WORKBOOK_RELATIONS}"><workbookPr date1904="1"/><sheets><sheet r:id="r7"/></sheets></workbook>`;
    const file = await workbook(sheetParts('', { 'xl/workbook.xml': xml }));
    expect(await problemOf('xlsx', file)).toEqual({
      filePid: 'counts days from 1904: save it with the usual date system',
    });
  });
});

describe('a file with very many short rows', () => {
  it.each([
    ['csv', 'name\n', 'a\n'],
    ['ndjson', '', '{"name":"a"}\n'],
  ] as const)('as %s lets others have the event loop in between', async (format, head, row) => {
    let turns = 0;
    const watch = setInterval(() => (turns += 1), 1);
    try {
      expect(await rowsOf(format, head + row.repeat(100_000))).toHaveLength(100_000);
    } finally {
      clearInterval(watch);
    }
    expect(turns).toBeGreaterThan(2);
  });

  it('keeps its characters whole', async () => {
    const text = `x${'\u{1f680}'.repeat(5_000)}`;
    expect(valuesOf(await rowsOf('csv', `name\n${text}\n`))).toEqual([[2, { name: text }]]);
  });
});
