import { dataOf } from '../support/api.ts';
import { newAdmin } from '../support/promotions.ts';
import { watch } from '../support/streams.ts';

describe('GET /api/admin/promotions/{pid}/stream', () => {
  it('tells what has happened to a promotion and what happens to it, until it has ended', async () => {
    const admin = await newAdmin();
    const { pid } = dataOf(await admin.create('*'));
    const path = `/api/admin/promotions/${pid}/stream`;
    const client = await watch(path, { token: admin.user.token });
    await client.get(1, 'promotion');

    dataOf(await admin.post(`/admin/promotions/${pid}/validate`));
    await client.get(2, 'promotion');
    dataOf(await admin.post(`/admin/promotions/${pid}/cancel`, { reason: 'not now' }));

    await client.over();
    const told = client.named('promotion').map(({ data }) => data);
    const status = expect.stringMatching('DRAFT|VALIDATED');
    const actor = { userPid: admin.user.pid, username: admin.user.email };
    const at = expect.stringMatching(/Z$/);
    expect(told).toEqual([
      { pid, status: 'DRAFT', change: { at, actor, action: 'promotion.create', reason: null } },
      { pid, status, change: { at, actor, action: 'promotion.validate', reason: null } },
      { pid, status: 'CANCELLED', change: { at, actor, action: 'promotion.cancel', reason: 'not now' } },
    ]);
    expect(client.events.at(-1)).toMatchObject({ event: 'end', data: { pid, status: 'CANCELLED' } });

    const late = await watch(path, { token: admin.user.token });
    await late.over();
    expect(late.events).toEqual(client.events);
  });
});
