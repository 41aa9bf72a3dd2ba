import { call, list } from '../support/api.ts';
import { download } from '../support/files.ts';
import { askForImport, endedImport } from '../support/imports.ts';
import { insert, newModel, newRole, type TestModel } from '../support/models.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

let tenant: TestTenant;
let model: TestModel;
let user: TestUser;

beforeEach(async () => {
  tenant = await newTenant();
  model = await newModel({
    fields: [
      { code: 'name', name: 'Name', type: 'string', required: true },
      { code: 'code', name: 'Code', type: 'string', unique: true },
      { code: 'amount', name: 'Amount', type: 'decimal' },
    ],
  });
  user = await newUser([await newRole(model.permissions)], tenant);
});

async function imported(content: string, { format = 'csv', ...body }: { format?: string; mapping?: object } = {}) {
  const { body: answer } = await askForImport(user, { pageKey: model.code, content, format, body });
  return endedImport(user, answer.data.importPid);
}

async function names(): Promise<unknown[]> {
  const { body } = await list(user.token, model.code, { sortField: 'name', sortOrder: 'asc' });
  return body.data.records.map(({ name }: { name: string }) => name);
}

describe('GET /api/imports/{pid}/problems', () => {
  it.each([
    ['csv', 'name,code,amount\na,A,1\n,B,x\n'],
    ['ndjson', '{"name":"a","code":"A","amount":1}\n{"name":null,"code":"B","amount":"x"}\n'],
  ])(
    'tells what is wrong with the rows of %s with the rows as the file has them, to their user alone',
    async (format, content) => {
      const { pid } = await imported(content, { format });
      const path = `/api/imports/${pid}/problems`;
      const row = format === 'csv' ? 3 : 2;

      const { records: problems, nextCursor } = (await call(`${path}?pageSize=1`, { token: user.token })).body.data;
      const rest = (await call(`${path}?cursor=${nextCursor}`, { token: user.token })).body.data;
      expect(problems).toMatchObject([{ row, code: 'VALIDATION_ERROR', given: { name: '', code: 'B', amount: 'x' } }]);
      expect(rest).toMatchObject({ records: [{ row, given: null }], nextCursor: null });
      expect([problems[0].column, rest.records[0].column].sort()).toEqual(['amount', 'name']);
      const other = await newUser([await newRole(model.permissions)], tenant);
      expect(await call(path, { token: other.token })).toMatchObject({ status: 404 });
    },
  );
});

describe('failedRowsFilePid of an import', () => {
  it('is a file of the rows that failed, which can be corrected and imported', async () => {
    await insert(tenant, model.code, [{ name: 'there', code: 'T' }]);
    const content = 'Name;Code;Amount;Left out\n=1+2;A;1;a\n;B;x;"b;b"\nc;T;3;\n"d|e";D;y;""\nf;F;5;f\n';
    const mapping = { Name: 'name', Code: 'code', Amount: 'amount' };
    const state = await imported(content, { mapping });
    expect(state).toMatchObject({ created: 2, failed: 3 });
    const file = (await download(user, state.failedRowsFilePid)).bytes.toString();
    expect(file.split('\r\n')).toEqual([
      '\ufeffName;Code;Amount;Left out;import error',
      ';B;x;"b;b";"Name: is required; Amount: must be a decimal number"',
      'c;T;3;;Code: is taken',
      'd|e;D;y;"";Amount: must be a decimal number',
      '',
    ]);

    const corrected = file.replace(';B;x', 'b;B;2').replace('c;T;3', 'c;C;3');
    const again = await imported(corrected, { mapping });
    expect(again).toMatchObject({ total: 3, created: 2, failed: 1 });
    const rest = (await download(user, again.failedRowsFilePid)).bytes.toString();
    expect(rest.split('\r\n').slice(1)).toEqual(['d|e;D;y;"";Amount: must be a decimal number', '']);
    expect(await names()).toEqual(['=1+2', 'b', 'c', 'f', 'there']);
  });

  it('has a column that is for no field, also where columns are named by codes', async () => {
    const state = await imported('name,import error\na,name: is required\n');
    expect(state).toMatchObject({ created: 1, failed: 0, failedRowsFilePid: null });
  });

  it('is null where the file is no table', async () => {
    const state = await imported('{"name":null}\n', { format: 'ndjson' });
    expect(state).toMatchObject({ errorFilePid: expect.any(String), failedRowsFilePid: null });
  });
});
