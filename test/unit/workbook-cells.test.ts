import { problemOf, rowsOf, valuesOf } from '../support/import-files.ts';
import { sheetParts, workbook, WORKBOOK_RELATIONS } from '../support/workbooks.ts';

const title = (name: string) => `<c t="inlineStr"><is><t>${name}</t></is></c>`;
const TITLES = `<row>${title('a')}</row>`;

/** The values of a column whose cells are these. */
async function cellsOf(cells: readonly string[], more: Record<string, string> = {}): Promise<unknown[]> {
  const rows = cells.map((cell) => `<row>${cell}</row>`).join('');
  const found = await rowsOf('xlsx', await workbook(sheetParts(TITLES + rows, more)));
  return found.map(({ values }) => values.a);
}

/** Styles with one format for each code, from 1 on. */
function styles(codes: readonly string[]): Record<string, string> {
  const formats = codes.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code}"/>`).join('');
  const cells = codes.map((_, index) => `<xf numFmtId="${164 + index}"/>`).join('');
  const xml = `<styleSheet><numFmts>${formats}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf/>${cells}<xf numFmtId="14"/><xf numFmtId="9"/></cellXfs></styleSheet>`;
  const relations = `<Relationships><Relationship Id="r7" Type="x/worksheet" Target="worksheets/one.xml"/><Relationship Id="r8" Type="x/styles" Target="styles.xml"/></Relationships>`;
  return { 'xl/styles.xml': xml, 'xl/_rels/workbook.xml.rels': relations };
}

describe('a number in a cell', () => {
  it.each([
    ['yyyy-mm-dd', '46053', '2026-01-31'],
    ['[$-409]d-mmm-yy;@', '46053', '2026-01-31'],
    ['yyyy&quot;年&quot;m&quot;月&quot;d&quot;日&quot;', '46053', '2026-01-31'],
    ['[DBNum1][$-804]yyyy&quot;年&quot;m&quot;月&quot;d&quot;日&quot;', '46053', '2026-01-31'],
    ['[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', '46053', '2026-01-31'],
    ['yyyymmdd', '46053', '2026-01-31'],
    ['e-m-d', '46053', '2026-01-31'],
    ['mmm', '46053', '2026-01-31'],
    ['yyyy-mm-dd', '46053.75', '2026-01-31T18:00:00'],
    ['m/d/yyyy h:mm', '46053', '2026-01-31T00:00:00'],
    ['[$-409]h:mm AM/PM', '46053.5', '2026-01-31T12:00:00'],
    ['[$-409]h:mm AM/PM', '0.5', '12:00:00'],
    ['mm:ss.00', '0.000011574', '00:00:01'],
    ['yyyy-mm-dd', '1', '1900-01-01'],
    ['yyyy-mm-dd', '59', '1900-02-28'],
    ['yyyy-mm-dd', '61', '1900-03-01'],
    ['yyyy-mm-dd', '2958465', '9999-12-31'],
  ])('is a day or a time with the format %s: %s', async (code, number, date) => {
    const [cell] = await cellsOf([`<c s="1"><v>${number}</v></c>`], styles([code]));
    expect(cell).toEqual({ date, serial: Number(number) });
  });

  it.each([
    '[h]:mm',
    '0 &quot;days&quot;',
    '[Red]0.00',
    '#,##0 &quot;USD&quot;',
    '\\d0',
    '0;[Red]-0',
    'General &quot;my&quot;',
    '[Color10]#,##0.00 [$€-407]',
    '0.00E+00',
    '_(* #,##0.00_);_(* \\(#,##0.00\\)',
    '@',
    'General',
  ])('stays one with the format %s', async (code) => {
    expect(await cellsOf(['<c s="1"><v>46053</v></c>'], styles([code]))).toEqual([46_053]);
  });

  it('has formats that files name by their number alone, and no day beyond those of spreadsheets', async () => {
    const cells = [
      '<c s="2"><v>46053</v></c>',
      '<c s="3"><v>46053</v></c>',
      '<c s="2"><v>60</v></c>',
      '<c s="2"><v>-1</v></c>',
    ];
    const found = await cellsOf(cells, styles(['0']));
    expect(found).toEqual([{ date: '2026-01-31', serial: 46_053 }, 46_053, 60, -1]);
  });

  it('is kept as a spreadsheet has it, or is a fault', async () => {
    const cells = [
      '1.1000000000000001',
      '0.30000000000000004',
      '1E+21',
      '-0.5',
      '9007199254740993',
      '0.12345678901234567890',
      '1e400',
      'abc',
    ];
    expect(await cellsOf(cells.map((number) => `<c><v>${number}</v></c>`))).toEqual([
      1.1,
      0.30000000000000004,
      1e21,
      -0.5,
      { fault: 'number', written: '9007199254740993' },
      { fault: 'number', written: '0.12345678901234567890' },
      { fault: 'number', written: '1e400' },
      { fault: 'number', written: 'abc' },
    ]);
  });
});

describe('a cell of a workbook', () => {
  it('may be a day in ISO 8601', async () => {
    expect(await cellsOf(['<c t="d"><v>2026-01-31</v></c>', '<c t="d"><v>2026-01-31T09:30:00</v></c>'])).toEqual([
      { date: '2026-01-31', serial: null },
      { date: '2026-01-31T09:30:00', serial: null },
    ]);
  });

  it('is a fault where it has an error, or a formula without a result', async () => {
    const cells = [
      '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>',
      '<c><f>A1</f></c>',
      '<c><f>A1</f><v/></c>',
      '<c t="str"><f>A1</f><v/></c>',
      '<c><f>A1</f><v>2</v></c>',
    ];
    expect(await cellsOf(cells)).toEqual([
      { fault: 'error', written: '#DIV/0!' },
      { fault: 'formula', written: '' },
      { fault: 'formula', written: '' },
      '',
      2,
    ]);
  });

  it.each([
    ['refers to a text that is not there', '<c t="s"><v>7</v></c>', 'is not a workbook that can be read'],
    ['has an unknown type', '<c t="x"><v>7</v></c>', 'is not a workbook that can be read'],
    ['comes twice', '<c r="A2"><v>1</v></c><c r="A2"><v>2</v></c>', 'has a cell A2 out of its order in row 2'],
    ['comes too late', '<c r="B2"><v>1</v></c><c r="A2"><v>2</v></c>', 'has a cell A2 out of its order in row 2'],
    ['names another row', '<c r="A7"><v>1</v></c>', 'has a cell A7 out of its order in row 2'],
    ['has a name that is none', '<c r="a2"><v>1</v></c>', 'has a cell a2 out of its order in row 2'],
  ])('is not read where it %s', async (_what, cell, filePid) => {
    expect(await problemOf('xlsx', await workbook(sheetParts(`${TITLES}<row>${cell}</row>`)))).toEqual({ filePid });
  });
});

describe('a row of a workbook', () => {
  const numbered = async (...numbers: readonly string[]) => {
    const rows = numbers.map((number) => `<row r="${number}"><c><v>1</v></c></row>`).join('');
    return problemOf('xlsx', await workbook(sheetParts(TITLES + rows)));
  };

  it.each([
    [['2', '2'], 'has a row numbered 2 behind row 2'],
    [['3', '2'], 'has a row numbered 2 behind row 3'],
    [['x'], 'has a row numbered x behind row 1'],
    [['-5'], 'has a row numbered -5 behind row 1'],
    [['2.5'], 'has a row numbered 2.5 behind row 1'],
    [['1000002'], 'has more than 1000000 rows'],
    [['1e400'], 'has a row numbered 1e400 behind row 1'],
    [['99999999999999999999'], 'has more than 1000000 rows'],
  ])('is not left out where rows have the numbers %j', async (numbers, filePid) => {
    expect(await numbered(...numbers)).toEqual({ filePid });
  });
});

describe('the sheet that is read', () => {
  const sheets = (...shown: readonly string[]) => ({
    'xl/workbook.xml': `<workbook xmlns:r="${WORKBOOK_RELATIONS}"><sheets>${shown.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="r7" Type="x/worksheet" Target="worksheets/one.xml"/><Relationship Id="r8" Type="x/chartsheet" Target="chartsheets/one.xml"/><Relationship Id="r9" Type="x/worksheet" Target="worksheets/two.xml"/></Relationships>',
    'xl/chartsheets/one.xml': '<chartsheet/>',
    'xl/worksheets/two.xml': '<worksheet><sheetData/></worksheet>',
  });
  const rows = `${TITLES}<row><c><v>1</v></c></row>`;

  it('is the first one with cells that is shown', async () => {
    const parts = sheets(
      '<sheet r:id="r8"/>',
      '<sheet r:id="r9" state="hidden"/>',
      '<sheet r:id="r9" state="veryHidden"/>',
      '<sheet r:id="r7"/>',
    );
    expect(valuesOf(await rowsOf('xlsx', await workbook(sheetParts(rows, parts))))).toEqual([[2, { a: 1 }]]);
  });

  it('has to be there', async () => {
    const parts = sheets('<sheet r:id="r8"/>', '<sheet r:id="r7" state="hidden"/>');
    const filePid = 'has no sheet that is shown';
    expect(await problemOf('xlsx', await workbook(sheetParts(rows, parts)))).toEqual({ filePid });
  });
});
