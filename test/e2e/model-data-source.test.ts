import { call } from '../support/api.ts';
import { EVERY_TYPE, insert, newCode, newModel, newRole, RECORDS_OF_EVERY_TYPE, save } from '../support/models.ts';
import { newTenant, newUser } from '../support/world.ts';

describe('a data source of kind model', () => {
  it.each([
    ['asc', 'abcn'],
    ['desc', 'cban'],
  ])('sorted %s has records without a value last, like a list', async (order, names) => {
    const model = await newModel({ fields: EVERY_TYPE });
    const tenant = await newTenant();
    await insert(tenant, model.code, RECORDS_OF_EVERY_TYPE);
    const code = newCode();
    const sortFields = [{ fieldName: 'size', order }];
    await save('dev', {
      resourceType: 'DATASOURCE',
      code,
      content: { name: code, kind: 'model', modelCode: model.code, fields: ['name'], sortFields },
    });
    const { token } = await newUser([await newRole([...model.permissions, `datasource:read:${code}`])], tenant);

    const { body } = await call(`/api/datasource/list?datasourceId=${code}`, { token });

    expect(body.data.map(({ name }: { name: string }) => name).join('')).toBe(names);
  });
});
