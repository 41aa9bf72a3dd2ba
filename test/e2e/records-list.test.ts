import { call, execute, list } from '../support/api.ts';
import { newTenant, newUser } from '../support/world.ts';

describe('GET /api/dynamic/{pageKey}/list', () => {
  it('gives the newest first, ten to a page, with the exact total', async () => {
    const { token } = await newUser(['SALES'], await newTenant());
    for (let number = 1; number <= 12; number += 1) {
      await execute(token, 'crm:create_lead', { payload: { name: `Lead ${number}` } });
    }

    const { status, body } = await list(token, 'leads');

    expect(status).toBe(200);
    expect(body.data).toMatchObject({ total: 12, pageNum: 1, pageSize: 10 });
    expect(body.data.records.map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: 10 }, (_, index) => `Lead ${12 - index}`),
    );
  });

  it('answers 401 UNAUTHORIZED without a token', async () => {
    const { status, body } = await call('/api/dynamic/leads/list');

    expect({ status, body }).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED', data: null } });
  });
});
