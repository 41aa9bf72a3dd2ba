import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, dataOf, execute, expectRefusal } from '../support/api.ts';
import { askForImport, endedImport } from '../support/imports.ts';
import { until } from '../support/faults.ts';
import { changeModel, insert, newModel, type TestModel } from '../support/models.ts';
import { anotherNode } from '../support/nodes.ts';
import { failureOf, runSql } from '../support/platform.ts';
import { newTenant, newUser, signedIn, type TestUser } from '../support/world.ts';

const label: FieldContent = { code: 'label', name: 'Label', type: 'string' };
const size: FieldContent = { code: 'size', name: 'Size', type: 'integer', min: 0 };
const numbered = (sequence: FieldContent['sequence']): FieldContent => ({
  code: 'number',
  name: 'Number',
  type: 'string',
  sequence,
});
const YEAR = new Date().getUTCFullYear();
const fields = [label, size, numbered({ prefix: 'INV-{yyyy}-', digits: 4, per: 'year' })];

const { tenant, user } = signedIn('ADMIN');
const write = (model: TestModel, body: object, who: TestUser = user, baseUrl?: string) =>
  execute(who.token, model.command, body, baseUrl === undefined ? {} : { baseUrl });
const create = async (model: TestModel, payload: object = {}, who: TestUser = user, baseUrl?: string) =>
  dataOf(await write(model, { payload }, who, baseUrl));
const numbersIn = async ({ code }: TestModel) =>
  (await runSql<{ number: string | null }>(`select number from dev.mt_${code} order by number`)).map(
    (row) => row.number,
  );
const upTo = (count: number, prefix: string, digits: number) =>
  Array.from({ length: count }, (_, index) => prefix + String(index + 1).padStart(digits, '0'));

describe('a sequence', () => {
  it('numbers the records of each tenant from one, with the year before the number', async () => {
    const model = await newModel({ fields });
    expect((await create(model)).number).toBe(`INV-${YEAR}-0001`);
    expect((await create(model)).number).toBe(`INV-${YEAR}-0002`);
    const other = await newUser(['ADMIN'], await newTenant());
    expect((await create(model, {}, other)).number).toBe(`INV-${YEAR}-0001`);
    const list = await call(`/api/dynamic/${model.code}/list?fields=number&sortField=number&sortOrder=desc`, {
      token: user.token,
    });
    expect(dataOf(list).records[0].number).toBe(`INV-${YEAR}-0002`);
  });

  it('is in no payload, and stays as it is', async () => {
    const model = await newModel({ fields });
    const problem = { fieldErrors: { number: 'is set by the platform' } };
    expectRefusal(await write(model, { payload: { number: 'X' } }), 'VALIDATION_ERROR', problem);
    const { pid } = await create(model);
    const update = (payload: object) => write(model, { operationType: 'UPDATE', targetRecordId: pid, payload });
    expectRefusal(await update({ number: 'X' }), 'VALIDATION_ERROR', problem);
    expect(dataOf(await update({ label: 'new' }))).toMatchObject({ number: `INV-${YEAR}-0001`, label: 'new' });
    const payload = { modelCode: model.code, pid, version: 1 };
    expect(dataOf(await execute(user.token, 'record:revert', { payload })).record.number).toBe(`INV-${YEAR}-0001`);
  });

  it('gives none to dry runs, of commands, batches and imports', async () => {
    const model = await newModel({ fields });
    const dry = async () => dataOf(await write(model, { payload: {}, dryRun: true })).result.number;
    expect([await dry(), await dry()]).toEqual([`INV-${YEAR}-0001`, `INV-${YEAR}-0001`]);
    const items = [{ payload: {} }, { payload: {} }];
    const batch = await call(`/api/meta/commands/execute/${model.command}/batch`, {
      token: user.token,
      body: { items, dryRun: true },
    });
    expect(batch.body.data).toMatchObject({ succeeded: 2 });
    const content = 'label\na\nb\n';
    const asked = await askForImport(user, { pageKey: model.code, content, body: { mode: 'create', dryRun: true } });
    expect(await endedImport(user, dataOf(asked).importPid)).toMatchObject({ created: 2, failed: 0 });
    expect((await create(model)).number).toBe(`INV-${YEAR}-0001`);
  });

  it('numbers the rows of batches and imports in their order', async () => {
    const model = await newModel({ fields: [label, size, numbered({ gapless: true })] });
    const items = ['a', 'b'].map((each) => ({ payload: { label: each } }));
    dataOf(await call(`/api/meta/commands/execute/${model.command}/batch`, { token: user.token, body: { items } }));
    const content = 'label,size\nc,1\nd,-1\ne,2\n';
    const asked = await askForImport(user, { pageKey: model.code, content, body: { mode: 'create' } });
    expect(await endedImport(user, dataOf(asked).importPid)).toMatchObject({ created: 2, failed: 1 });
    const rows = await runSql(`select label, number from dev.mt_${model.code} order by id`);
    expect(rows).toEqual(['a', 'b', 'c', 'e'].map((each, index) => ({ label: each, number: String(index + 1) })));
  });

  it('is unique on two nodes at once, with dry runs in between', async () => {
    const model = await newModel({ fields });
    const nodes = [undefined, await anotherNode()];
    const made = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const at = nodes[index % 2];
        const dry = { payload: {}, dryRun: true };
        await until('a dry run', async () => (await write(model, dry, user, at)).status === 200);
        return (await create(model, {}, user, at)).number as string;
      }),
    );
    expect(new Set(made).size).toBe(24);
    // A command that was put off has left a gap.
    for (const number of made) expect(upTo(48, `INV-${YEAR}-`, 4)).toContain(number);
  });

  it('goes on after the numbers that records have, where it comes later', async () => {
    const model = await newModel({ fields: [label, { code: 'number', name: 'Number', type: 'string' }] });
    await insert(tenant, model.code, [
      { number: `INV-${YEAR}-0041` },
      { number: 'INV-1999-0999' },
      { number: `INV-${YEAR}-x` },
    ]);
    await changeModel(model, { fields });
    expect((await create(model)).number).toBe(`INV-${YEAR}-0042`);
    const renamed = {
      ...numbered({ prefix: 'INV-{yyyy}-', digits: 4, per: 'year' }),
      code: 'no',
      renamedFrom: 'number',
    };
    await changeModel(model, { fields: [label, size, renamed] });
    expect((await create(model)).no).toBe(`INV-${YEAR}-0043`);
  });

  it('is what an import in the mode update finds records by', async () => {
    const model = await newModel({ fields });
    const { number, pid } = await create(model, { label: 'old' });
    const content = `number,label\n${number},new\n`;
    const asked = await askForImport(user, {
      pageKey: model.code,
      content,
      body: { mode: 'update', matchOn: 'number' },
    });
    expect(await endedImport(user, dataOf(asked).importPid)).toMatchObject({ updated: 1, failed: 0 });
    const record = dataOf(await call(`/api/dynamic/${model.code}/${pid}?fields=label,number`, { token: user.token }));
    expect(record).toMatchObject({ label: 'new', number });
  });
});

describe('a gapless sequence', () => {
  it('misses no number, whatever is refused in between, on two nodes at once', async () => {
    const double: FieldContent = { code: 'mark', name: 'Mark', type: 'string', computed: '"No. " + record.number' };
    const checks = [{ assert: 'record.size == null || record.size < 5', message: 'Too large', fields: ['size'] }];
    const model = await newModel({ fields: [label, size, numbered({ digits: 3, gapless: true }), double], checks });
    const nodes = [undefined, await anotherNode()];
    const statuses = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const payload = index % 3 === 0 ? { size: 9 } : {};
        return (await write(model, { payload }, user, nodes[index % 2])).status;
      }),
    );
    expect(statuses.filter((status) => status === 400)).toHaveLength(8);
    expect(await numbersIn(model)).toEqual(upTo(16, '', 3));
    expect((await create(model)).mark).toBe('No. 017');
  });
});

describe('a sequence is not saved', () => {
  it.each<[string, object, string]>([
    ['of another type', { type: 'integer' }, 'sequence'],
    ['that is required', { required: true }, 'required'],
    ['with a default', { default: 'x' }, 'default'],
    ['with a length', { maxLength: 20 }, 'maxLength'],
    ['whose numbers come again each year', { sequence: { prefix: 'INV-', per: 'year' } }, 'sequence.prefix'],
    ['whose numbers come again each month', { sequence: { prefix: '{yyyy}-', per: 'month' } }, 'sequence.prefix'],
    ['with an unknown part', { sequence: { prefix: '{dd}-' } }, 'sequence.prefix'],
  ])('%s', async (_what, more, option) => {
    const field = { ...numbered({ prefix: 'A' }), ...more };
    const { data } = (await failureOf(newModel({ fields: [label, field] }))) as {
      data: { fieldErrors: Record<string, unknown> };
    };
    expect(Object.keys(data.fieldErrors).map((path) => path.split(' ').at(-1))).toEqual([`content.fields.1.${option}`]);
  });
});
