import type { ResourceDraft } from '../../src/platform/metadata/changes/resources.service.ts';
import { dataOf } from '../support/api.ts';
import { changeModel, newCode, save, name, size } from '../support/models.ts';
import { newUnits, unitOf, platformAdmin } from '../support/promotions.ts';

const admin = platformAdmin();

describe('a SQL data source', () => {
  const source = (sql: string): ResourceDraft => ({
    resourceType: 'DATASOURCE',
    code: newCode(),
    content: { name: 'A source', kind: 'sql', sql },
  });

  /** A model that staging has with its field `name` only, and dev with `size` as well. */
  async function ahead() {
    const model = await newUnits([name]);
    await admin.promote(model.units);
    await changeModel(model, { fields: [name, size] });
    return model;
  }

  it.each<[what: string, sql: (table: string) => string]>([
    ['selects', (table) => `select size from ${table}`],
    ['selects from a subquery', (table) => `select s.size from (select * from ${table}) s`],
    ['sorts by', (table) => `with all_of_it as (select * from ${table}) select name from all_of_it order by size`],
  ])(
    'that %s a column which the model of the target lacks is a conflict, until the model comes along',
    async (_w, sql) => {
      const model = await ahead();
      const draft = source(sql(`mt_${model.code}`));
      await save('dev', draft);
      const unit = await unitOf('DATASOURCE', draft.code);
      const pid = await admin.created([unit]);

      const [conflict, ...others] = (await admin.conflicting(pid)).conflicts;
      expect(others).toEqual([]);
      expect(conflict).toMatchObject({
        type: 'MISSING_DEPENDENCY',
        resourcePid: unit.resourcePid,
        details: { available: false },
        message: expect.stringMatching(/content\.sql .*\bsize\b/),
      });

      const both = await admin.created([unit, model.model]);
      expect(dataOf(await admin.validate(both))).toMatchObject({ status: 'VALIDATED', conflicts: [] });
      expect(dataOf(await admin.apply(both))).toMatchObject({ status: 'APPLIED' });
    },
  );

  it('that stays in the target is a conflict of the model whose column it would lose', async () => {
    const model = await newUnits([name, size]);
    const draft = source(`select size from mt_${model.code}`);
    await save('dev', draft);
    await admin.promote([...model.units, await unitOf('DATASOURCE', draft.code)]);
    await save('dev', {
      ...draft,
      content: { name: 'A source', kind: 'sql', sql: `select name from mt_${model.code}` },
    });
    await changeModel(model, { fields: [name] });

    const [conflict] = (await admin.conflicting(await admin.created([model.model]))).conflicts;

    expect(conflict).toMatchObject({
      type: 'REFERENCED_REMOVAL',
      resourcePid: model.model.resourcePid,
      message: expect.stringContaining(`DATASOURCE/${draft.code} content.sql`),
    });
  });

  it('cannot be saved with a column that its model lacks, or an operation that it cannot have', async () => {
    const { code } = await newUnits([name, size]);
    for (const sql of [
      `select width from mt_${code}`,
      `select size || size from mt_${code}`,
      `select name + 1 from mt_${code}`,
    ]) {
      await expect(save('dev', source(sql))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
    expect(await save('dev', source(`select name, size / 0 as s from mt_${code} order by 1`))).toBe(1);
  });
});
