import { dataOf } from '../support/api.ts';
import { changeModel, newCode, roleDraft, save, pageDraft, name, size } from '../support/models.ts';
import { failureOf, runSql } from '../support/platform.ts';
import { contentIn, newAdmin, newUnits } from '../support/promotions.ts';
import { container } from '../support/world.ts';
import type { EnvironmentCode } from '../../src/foundation/config/environments.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';

const more: FieldContent = { code: 'more', name: 'More', type: 'integer' };

const invalid = (fieldErrors: object) => ({ code: 'VALIDATION_ERROR', data: { fieldErrors } });

/** What an earlier version of the program, with milder rules, has left behind. */
async function setColumns(environment: EnvironmentCode, code: string, columns: string[]): Promise<void> {
  await runSql(
    `update platform.dsl_resource set content = jsonb_set(content, '{columns}', $1::jsonb)
     where environment = $2 and resource_type = 'PAGE_SCHEMA' and code = $3`,
    [JSON.stringify(columns), environment, code],
  );
  await (await container()).snapshots.refresh(environment);
}

/** A model whose page names, in this environment, a column that no field has. */
async function withBrokenPage(environment: EnvironmentCode) {
  const model = await newUnits([name, size]);
  if (environment === 'staging') await (await newAdmin()).promote(model.units);
  await setColumns(environment, model.code, ['nope', 'name']);
  return model;
}

describe('a resource that is invalid already', () => {
  const broken: [EnvironmentCode, string][] = [];
  const leave = async (environment: EnvironmentCode) => {
    const model = await withBrokenPage(environment);
    broken.push([environment, model.code]);
    return model;
  };
  // Other tests share the environments.
  afterAll(async () => {
    for (const [environment, code] of broken) await setColumns(environment, code, []);
  });

  it('does not block saving another one, nor what it refers to', async () => {
    const model = await leave('dev');

    expect(await save('dev', roleDraft(newCode().toUpperCase(), []))).toBe(1);
    expect(await changeModel(model, { fields: [name, size, more] })).toBe(1);
  });

  it('does not become more invalid by a change of what it refers to', async () => {
    const model = await leave('dev');

    expect(await failureOf(changeModel(model, { fields: [size] }))).toEqual(
      invalid({ [`PAGE_SCHEMA/${model.code} content.columns.1`]: `is not a field of ${model.code}` }),
    );
  });

  it('is saved again only when all of it is valid', async () => {
    const { code } = await leave('dev');

    expect(await failureOf(save('dev', pageDraft(code, code, [{ code: 'nope' }, size])))).toEqual(
      invalid({ [`PAGE_SCHEMA/${code} content.columns.0`]: `is not a field of ${code}` }),
    );
    expect(await save('dev', pageDraft(code, code, [size, name]))).toBe(1);
  });

  it('in the target does not block the promotion of what it refers to, unless this breaks more of it', async () => {
    const model = await leave('staging');
    const admin = await newAdmin();
    await changeModel(model, { fields: [name, size, more] });

    const promotion = dataOf(await admin.validate(await admin.created([model.model])));
    expect(promotion).toMatchObject({ status: 'VALIDATED', conflicts: [] });
    expect(dataOf(await admin.apply(promotion.pid))).toMatchObject({ status: 'APPLIED' });
    expect((await contentIn('staging', 'MODEL', model.code))?.fields).toHaveLength(3);

    await save('dev', pageDraft(model.code, model.code, [size]));
    await changeModel(model, { fields: [size] });
    expect(dataOf(await admin.validate(await admin.created([model.model])))).toMatchObject({
      status: 'DRAFT',
      conflicts: [{ type: 'REFERENCED_REMOVAL', details: { field: 'name' } }],
    });
  });
});
