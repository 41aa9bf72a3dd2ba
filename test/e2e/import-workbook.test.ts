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

beforeAll(async () => {
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
    row(text('Globex'), text('soon'), number(-1), text('no'), '<c/>'),
    row('<c/>', number(46_053)),
    row(text('Initech'), text('2026-02-01'), text('7'), text('true'), text('2026-02-01T08:00:00Z')),
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
  });
});
