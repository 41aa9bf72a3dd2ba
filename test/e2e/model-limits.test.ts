import { randomBytes } from 'node:crypto';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { uniqueIndexName } from '../../src/platform/metadata/models/tables/table-indexes.ts';
import { dataOf, execute, refusal } from '../support/api.ts';
import { name, newModel, size } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { platformAdmin } from '../support/promotions.ts';

const admin = platformAdmin();

const saveModel = (code: string, fields: FieldContent[]) =>
  execute(admin.user.token, 'meta:save', {
    payload: { resourceType: 'MODEL', code, content: { name: code, fields } },
  });
const create = (command: string, payload: object) =>
  execute(admin.user.token, command, { operationType: 'CREATE', payload });
const texts = (count: number): FieldContent[] =>
  Array.from({ length: count }, (_, index) => ({ code: `f${index}`, name: `F${index}`, type: 'string' }));

describe('a model with more fields than a row has place for', () => {
  it('is saved with a warning, and a record that is too wide is refused with its widest fields', async () => {
    const { code, command } = await newModel({ fields: [...texts(499), size] });
    const values = (length: number, count: number) =>
      Object.fromEntries(texts(count).map((field, index) => [field.code, 'x'.repeat(index === 7 ? 200 : length)]));

    const saved = dataOf(await saveModel(code, [...texts(498), size]));
    expect(saved.warnings).toEqual([{ path: 'content.fields', message: expect.stringMatching(/and a row has 8160/) }]);
    expect(dataOf(await saveModel(code, [...texts(200), size])).warnings).toEqual([]);
    dataOf(await saveModel(code, [...texts(499), size]));

    expect(dataOf(await create(command, values(16, 400))).f7).toHaveLength(200);
    const refused = await create(command, values(16, 499));
    expect(refusal(refused)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(refused.body.message).toBe(
      'The record has too many values: 499 fields take more than the 8160 bytes of a row',
    );
    expect(refused.body.data.fieldErrors).toMatchObject({ f7: 'takes 24 bytes', f0: 'takes 17 bytes' });
    expect(Object.keys(refused.body.data.fieldErrors)).toHaveLength(10);
  });

  it('refuses an update that makes a record too wide, as it is with what it had', async () => {
    const { command } = await newModel({ fields: texts(499) });
    const half = (from: number, to: number) =>
      Object.fromEntries(
        texts(to)
          .slice(from)
          .map((field) => [field.code, 'x'.repeat(23)]),
      );
    const { pid } = dataOf(await create(command, half(0, 300)));

    const refused = await execute(admin.user.token, command, {
      operationType: 'UPDATE',
      targetRecordId: pid,
      payload: half(300, 499),
    });

    expect(refusal(refused)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(refused.body.message).toContain('499 fields');
  });
});

describe('a text that is too long for an index that an earlier release made', () => {
  it('is refused at its field', async () => {
    const { code, command } = await newModel({ fields: [name, { code: 'note', name: 'Note', type: 'text' }] });
    await runSql(`create unique index ${uniqueIndexName(code, 'note')} on dev.mt_${code} (tenant_id, note)`);

    expect(refusal(await create(command, { note: randomBytes(4_000).toString('base64') }))).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      data: { fieldErrors: { note: 'is too long for the index of its field: 600 characters' } },
    });
  });
});

describe('a table that has had 1,600 columns', () => {
  it('takes no other field, with the reason at the field', async () => {
    const { code } = await newModel({ fields: [name] });
    const removed = Array.from({ length: 1_590 }, (_, index) => `add column r${index} text`);
    await runSql(`alter table dev.mt_${code} ${removed.join(', ')}`);

    expect(refusal(await saveModel(code, [name, size]))).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      data: {
        fieldErrors: {
          [`MODEL/${code} content.fields.1.type`]:
            'has no place: a table has 1600 columns, 1590 of which are of removed fields: renamedFrom takes one over, keelson fields drop --rewrite frees all',
        },
      },
    });
    const taken: FieldContent = { ...size, type: 'string', renamedFrom: 'r7' };
    expect(dataOf(await saveModel(code, [name, taken])).version).toBe(2);
  });
});
