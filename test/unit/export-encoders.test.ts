import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { parse } from 'csv-parse/sync';
import { disarm, rearm } from '../../src/features/records/export/csv.ts';
import type { ExportColumn } from '../../src/features/records/export/export-column.ts';
import { EXPORT_FORMATS } from '../../src/features/records/export/export-format.ts';
import { zipWorkbook } from '../../src/features/records/export/xlsx.ts';

const COLUMNS: ExportColumn[] = [
  { code: 'name', title: 'name', type: 'string' },
  { code: 'amount', title: 'amount', type: 'decimal' },
  { code: 'extra', title: 'extra', type: 'json' },
  { code: 'day', title: 'day', type: 'date' },
  { code: 'at', title: 'at', type: 'datetime' },
  { code: 'done', title: 'done', type: 'boolean' },
];
const rowOf = (format: 'csv' | 'xlsx' | 'ndjson', record: object): string =>
  EXPORT_FORMATS[format].encoderOf(COLUMNS, { bom: false }).record(record as Record<string, unknown>);
const none = { name: null, amount: null, extra: null, day: null, at: null, done: null };

describe('a text that a spreadsheet would take for a formula', () => {
  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '\nx',
    "'=1",
    "''-",
    '\uff1d1',
    '\uff0b1',
    '\uff0d1',
    '\uff20x',
  ])('gets an apostrophe: %j', (given) => {
    expect(disarm(given)).toBe(`'${given}`);
  });

  it.each([
    ['a;=1+1', "a;'=1+1"],
    ['a\t@SUM(A1)', "a\t'@SUM(A1)"],
    ['a\n-1;+1', "a\n'-1;'+1"],
    ['a;"=1', `a;'"=1`],
    ["a;'=1", "a;''=1"],
    ['a;\uff1d1', "a;'\uff1d1"],
    ['\t=1', "'\t'=1"],
  ])('gets one wherever a spreadsheet of another region begins a cell: %j', (given, expected) => {
    expect(disarm(given)).toBe(expected);
  });

  it.each(['a=1', "'quoted'", "it's", '', ' =1', '1-1', 'a;b', 'a,=1'])('and any other none: %j', (given) => {
    expect(disarm(given)).toBe(given);
  });

  it('is what it was once the apostrophe is taken away', () => {
    const hostile = fc.string({
      unit: fc.constantFrom("'", '"', '=', '\uff1d', '-', '@', ';', '\t', '\r', '\n', 'a', ' '),
    });
    fc.assert(fc.property(fc.oneof(hostile, fc.string()), (given) => rearm(disarm(given)) === given));
  });
});

describe('a row of CSV', () => {
  it('is RFC 4180: quotes are doubled, separators and line ends quoted, no value is empty, an empty text ""', () => {
    expect(rowOf('csv', { ...none, name: 'a "b", c\nd', extra: { x: [1] } })).toBe(
      '"a ""b"", c\nd",,"{""x"":[1]}",,,\r\n',
    );
    expect(rowOf('csv', { ...none, name: '', done: false })).toBe('"",,,,,false\r\n');
  });

  it('disarms texts, and leaves numbers alone', () => {
    expect(rowOf('csv', { ...none, name: '=cmd()', amount: '-1.5', extra: '=x' })).toBe(
      '\'=cmd(),-1.5,"""=x""",,,\r\n',
    );
  });

  it('is read by a CSV parser as it was written, whatever the texts', () => {
    const texts = fc.array(
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(texts, (given) => {
        const { begin, record } = EXPORT_FORMATS.csv.encoderOf(COLUMNS, { bom: true });
        const rows: string[][] = parse(begin + given.map((name) => record({ ...none, name })).join(''), { bom: true });
        expect(rows.slice(1).map(([name = '']) => rearm(name))).toEqual(given);
      }),
    );
  });
});

describe('a row of a workbook', () => {
  it('has numbers, days, moments and truth values as such, and texts without formulas', () => {
    const record = {
      name: '=1+1',
      amount: '12.50',
      extra: null,
      day: '2026-01-31',
      at: '2026-01-31T12:00:00.000Z',
      done: true,
    };
    expect(rowOf('xlsx', record)).toBe(
      '<row><c t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c><c><v>12.50</v></c><c/><c s="1"><v>46053</v></c><c s="2"><v>46053.5</v></c><c t="b"><v>1</v></c></row>',
    );
  });

  it('keeps as texts what a spreadsheet would change: many digits, days before March 1900, control characters', () => {
    const row = rowOf('xlsx', { ...none, name: 'a\u0001_x0041_<&', amount: '12345678901234567.89', day: '1900-01-01' });
    expect(row).toContain('>a_x0001__x005F_x0041_&lt;&amp;<');
    expect(row).toContain('>12345678901234567.89</t>');
    expect(row).toContain('>1900-01-01</t>');
  });

  it('cuts a text that is longer than a cell may be', () => {
    const [, text = ''] = />([a\u2026]+)<\/t>/.exec(rowOf('xlsx', { ...none, name: 'a'.repeat(40_000) })) ?? [];
    expect(text).toHaveLength(32_767);
    expect(text.endsWith('\u2026')).toBe(true);
  });

  it('is a whole file, however few rows there are', async () => {
    const file = await buffer(zipWorkbook(Readable.from(['<worksheet/>'])));
    expect(file.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004');
    expect(file.lastIndexOf('PK\u0005\u0006')).toBe(file.length - 22);
  });

  it('fails as a file when its rows fail', async () => {
    const failing = Readable.from(
      (async function* () {
        yield '<worksheet>';
        throw new Error('the database is away');
      })(),
    );
    await expect(buffer(zipWorkbook(failing))).rejects.toThrow('the database is away');
  });

  it('stands in a file that does not say when it was made: the same records are the same bytes', async () => {
    const file = await buffer(zipWorkbook(Readable.from(['<worksheet/>'])));

    // APPNOTE.TXT, 4.3.7: date and time of an entry, here 1980-01-01 00:00.
    expect(file.readUInt32LE(10)).toBe(0x0021_0000);
    expect(file.includes('UT')).toBe(false);
  });
});

describe('a line of NDJSON', () => {
  it('is the record, with what was expanded, and nothing that was not asked for', () => {
    expect(JSON.parse(rowOf('ndjson', { ...none, id: '1', expanded: { account: null } }))).toEqual({
      ...none,
      expanded: { account: null },
    });
  });
});
