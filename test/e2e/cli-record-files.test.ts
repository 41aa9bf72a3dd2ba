import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { list } from '../support/api.ts';
import { dataOf, ends, keelson, person } from '../support/cli.ts';
import { newModel, type TestModel } from '../support/models.ts';
import { newTenant, newUser } from '../support/world.ts';

let folder: string;
let model: TestModel;
let leads: string;

beforeAll(async () => {
  person.present = await newUser(['ADMIN'], await newTenant());
  folder = await mkdtemp(join(tmpdir(), 'keelson-files-'));
  model = await newModel({
    fields: [
      { code: 'name', name: 'Name', type: 'string', unique: true },
      { code: 'amount', name: 'Amount', type: 'decimal' },
    ],
  });
  leads = join(folder, 'leads.csv');
  await writeFile(leads, 'Company,a=b\nAcme,1200.50\nGlobex,x\n');
});
afterAll(() => rm(folder, { recursive: true }));

const MAP = ['--map', 'Company=name', '--map', 'a=b=amount'];
const names = async () =>
  (await list(person.present?.token ?? '', model.code)).body.data.records.map((one: { name: string }) => one.name);

describe('keelson records import', () => {
  it('says with --dry-run what would happen, and changes nothing', async () => {
    await ends(1, ['records', 'import', model.code, leads, ...MAP, '--dry-run'], {
      out: /^SUCCEEDED \(a dry run: nothing was changed\): 2 rows, 1 would be created, 0 would be updated, 1 would fail\nROW +COLUMN .*\n3 +a=b +VALIDATION_ERROR +must be a decimal number\n$/,
    });
    expect(await names()).toEqual([]);
  });

  it('makes records, shows what is wrong with which row, and writes that and these rows into files', async () => {
    const errors = join(folder, 'errors.csv');
    const failed = join(folder, 'failed.csv');
    const files = ['--errors', errors, '--failed-rows', failed];
    const ended = await dataOf(['records', 'import', model.code, leads, ...MAP, ...files], 1);
    expect(ended).toMatchObject({
      status: 'SUCCEEDED',
      created: 1,
      failed: 1,
      problems: [{ row: 3, column: 'a=b', code: 'VALIDATION_ERROR' }],
    });
    expect(await readFile(errors, 'utf8')).toContain('3,a=b,VALIDATION_ERROR,must be a decimal number');
    expect(await readFile(failed, 'utf8')).toContain('Globex,x,a=b: must be a decimal number');
    expect(await names()).toEqual(['Acme']);
  });

  it('updates what an export has given', async () => {
    const file = join(folder, 'again.ndjson');
    await ends(0, ['records', 'export', model.code, '--columns', 'pid,name,amount', '--out', file], {
      out: `Wrote ${file}\n`,
    });
    await writeFile(file, (await readFile(file, 'utf8')).replace('1200.50', '7.10'));
    await ends(0, ['records', 'import', model.code, file, '--mode', 'update', '--match-on', 'pid'], {
      out: /^SUCCEEDED: 1 rows, 0 created, 1 updated, 0 failed\n$/,
    });
    await ends(0, ['records', 'export', model.code, '--columns', 'name,amount'], { out: /^name,amount\r?\nAcme,7.10/ });
  });

  it.each([
    [['--map', 'Company'], 2, 'such as Company=name'],
    [['--format', 'pdf'], 2, '--format is csv, xlsx, ndjson'],
    [['--map', 'Company=nmae'], 1, /VALIDATION_ERROR: [^]*--map Company: /],
    [['--mode', 'replace'], 1, 'mode: '],
  ])('refuses %j in the words of the command line', (more, code, err) =>
    ends(code, ['records', 'import', model.code, leads, ...more], { err }),
  );

  it('names a file that cannot be read', () =>
    ends(1, ['records', 'import', model.code, join(folder, 'none.csv')], { err: 'none.csv cannot be read: ' }));
});

describe('keelson records export', () => {
  it('writes the records of a list, in its order, to standard output', async () => {
    await dataOf(['run', model.command, '--set', 'name=Zuse']);
    const given = ['--where', 'name starts_with Zu', '--columns', 'name'];
    await ends(0, ['records', 'export', model.code, ...given], { out: /^name\r?\nZuse\r?\n$/ });
    await ends(0, ['records', 'export', model.code, '--sort', '-name', '--format', 'ndjson'], {
      out: /^\{.*"name":"Zuse".*\}\n\{.*"name":"Acme"/,
    });
  });

  it('leaves no file where the service refuses', async () => {
    const file = join(folder, 'refused.csv');
    await ends(1, ['records', 'export', model.code, '--where', 'nmae eq a', '--out', file], {
      err: 'nmae: is not a field of ',
    });
    expect(existsSync(file)).toBe(false);
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('writes a workbook into a file', async () => {
    const file = join(folder, 'all.xlsx');
    expect((await keelson(['records', 'export', model.code, '--labels', '--out', file, '--json'])).code).toBe(0);
    expect((await readFile(file)).subarray(0, 2).toString()).toBe('PK');
  });
});
