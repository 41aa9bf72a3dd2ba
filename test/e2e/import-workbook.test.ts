import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { list } from '../support/api.ts';
import { download } from '../support/files.ts';
import { askForImport, endedImport } from '../support/imports.ts';
import { newModel, newRole, type TestModel } from '../support/models.ts';
import { sheetParts, workbook } from '../support/workbooks.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

const fields: FieldContent[] = [
  { code: 'name', name: 'Name', type: 'string', required: true },
  { code: 'due', name: 'Due', type: 'date' },
  { code: 'amount', name: 'Amount', type: 'decimal', min: 0 },
  { code: 'paid', name: 'Paid', type: 'boolean' },
  { code: 'seen', name: 'Seen', type: 'datetime' },
];
const mapping = { Company: 'name', 'Due on': 'due', Sum: 'amount', 'Paid?': 'paid', Seen: 'seen' };

let model: TestModel;
let user: TestUser;
let file: Buffer;

const text = (value: string): string => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
const number = (value: number): string => `<c><v>${value}</v></c>`;
const row = (...cells: string[]): string => `<row>${cells.join('')}</row>`;

beforeEach(async () => {
  model = await newModel({ fields });
  user = await newUser([await newRole(model.permissions)], await newTenant());
  const rows = [
    row(...Object.keys(mapping).map(text), text('Not mapped')),
    row(
      text('Acme'),
      number(46_053),
      number(1200.5),
      '<c t="b"><v>1</v></c>',
      number(46_053.75 + 0.123 / 86_400),
      text('x'),
    ),
    row(text('Globex'), text('soon'), number(-1), text('perhaps'), '<c/>'),
    row('<c/>', number(46_053)),
    row(text('Initech'), text('2026-02-01'), text('7'), text('Yes'), text('2026-02-01T08:00:00Z')),
  ];
  file = await workbook(sheetParts(rows.join('')));
});

async function imported(body: object) {
  const asked = await askForImport(user, { pageKey: model.code, content: file, format: 'xlsx', body });
  expect(asked.status).toBe(202);
  return endedImport(user, asked.body.data.importPid);
}

async function records(): Promise<Record<string, unknown>[]> {
  return (await list(user.token, model.code, { sortField: 'name', sortOrder: 'asc' })).body.data.records;
}

const OUTCOME = { status: 'SUCCEEDED', total: 4, done: 4, created: 2, updated: 0, failed: 2 };

describe('an import of a workbook with what is no plain value', () => {
  const styles = '<styleSheet><cellXfs><xf/><xf numFmtId="14"/></cellXfs></styleSheet>';
  const relations =
    '<Relationships><Relationship Id="r7" Type="x/worksheet" Target="worksheets/one.xml"/><Relationship Id="r8" Type="x/styles" Target="styles.xml"/></Relationships>';

  it('keeps days in texts as ISO 8601, refuses rows with errors, formulas without results and numbers that would be rounded', async () => {
    const day = '<c s="1"><v>46053</v></c>';
    const iso = (value: string) => `<c t="d"><v>${value}</v></c>`;
    const table = [
      row(text('Company'), text('Due on'), text('Sum'), text('Seen'), text('Other')),
      row(day, day, number(1), number(59), '<c t="e"><v>#N/A</v></c>'),
      row(text('iso'), iso('2026-01-31T00:00:00'), number(2), iso('2026-01-31T09:30:00')),
      row(text('error'), '<c t="e"><v>#N/A</v></c>', number(3)),
      row(text('formula'), day, '<c><f>A1</f></c>'),
      row(text('digits'), day, '<c><v>9007199254740993</v></c>'),
      row(text('never'), number(60), number(4)),
    ];
    const content = await workbook(
      sheetParts(table.join(''), { 'xl/styles.xml': styles, 'xl/_rels/workbook.xml.rels': relations }),
    );
    const own = { Company: 'name', 'Due on': 'due', Sum: 'amount', Seen: 'seen' };
    const asked = { pageKey: model.code, content, format: 'xlsx', body: { mapping: own } };
    const state = await endedImport(user, (await askForImport(user, asked)).body.data.importPid);

    expect(state).toMatchObject({ status: 'SUCCEEDED', created: 2, failed: 4 });
    const report = (await download(user, state.errorFilePid)).bytes.toString();
    expect(report.split('\r\n').slice(1)).toEqual([
      '4,Due on,VALIDATION_ERROR,has the error #N/A',
      '5,Sum,VALIDATION_ERROR,"is a formula whose result is not in the file: open it, and save it again"',
      '6,Sum,VALIDATION_ERROR,is no number that can be kept exactly: 9007199254740993',
      '7,Due on,VALIDATION_ERROR,must be a date such as 2026-01-31',
      '',
    ]);
    expect(await records()).toMatchObject([
      { name: '2026-01-31', due: '2026-01-31', amount: '1', seen: '1900-02-28T00:00:00.000Z' },
      { name: 'iso', due: '2026-01-31', amount: '2', seen: '2026-01-31T09:30:00.000Z' },
    ]);
  });
});

describe('an import of a workbook', () => {
  it('is refused where a mapping names a column that the workbook does not have', async () => {
    const body = { mapping: { Customer: 'name' } };
    const refused = await askForImport(user, { pageKey: model.code, content: file, format: 'xlsx', body });
    expect(refused).toMatchObject({
      status: 400,
      body: { data: { fieldErrors: { 'mapping.Customer': 'is not a column of the file' } } },
    });
  });

  it('says in a dry run what would happen, and changes nothing', async () => {
    expect(await imported({ mapping, dryRun: true })).toMatchObject({ ...OUTCOME, dryRun: true });
    expect(await records()).toEqual([]);
  });

  it('creates records of the days, numbers and truths of its cells, and reports the other rows', async () => {
    const state = await imported({ mapping });

    expect(state).toMatchObject(OUTCOME);
    expect(await records()).toMatchObject([
      { name: 'Acme', due: '2026-01-31', amount: '1200.5', paid: true, seen: '2026-01-31T18:00:00.123Z' },
      { name: 'Initech', due: '2026-02-01', amount: '7', paid: true, seen: '2026-02-01T08:00:00.000Z' },
    ]);
    const report = (await download(user, state.errorFilePid)).bytes.toString();
    expect(report.split('\r\n')).toEqual([
      'row,column,code,message',
      expect.stringMatching(/^3,Due on,VALIDATION_ERROR,/),
      expect.stringMatching(/^3,Sum,VALIDATION_ERROR,/),
      '3,Paid?,VALIDATION_ERROR,must be true or false',
      '4,Company,VALIDATION_ERROR,is required',
      '',
    ]);
    const failed = (await download(user, state.failedRowsFilePid)).bytes.toString();
    expect(failed.split('\r\n')).toHaveLength(4);
  });
});
