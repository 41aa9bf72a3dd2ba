import { call, execute, expectRefusal } from '../support/api.ts';
import { newRole } from '../support/models.ts';
import { watch } from '../support/streams.ts';
import { newTenant, newUser, signedInForEach } from '../support/world.ts';

const { tenant, user } = signedInForEach('ADMIN');

describe('GET /api/dynamic/{pageKey}/{recordId}/stream', () => {
  it('tells each version with who has made it, and no values; it is resumed by the id of the last event', async () => {
    const { pid } = (await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } })).body.data;
    const path = `/api/dynamic/leads/${pid}/stream`;
    const watched = await watch(path, { token: user.token });
    const [first] = await watched.get(1, 'record');
    expect(first?.data).toMatchObject({ version: 1, action: 'CREATE', actor: { userPid: user.pid } });

    const other = await newUser(['ADMIN'], tenant);
    await execute(other.token, 'crm:update_lead', { targetRecordId: pid, payload: { phone: '123' } });
    const [, second] = await watched.get(2, 'record');
    expect(second?.data).toMatchObject({ version: 2, action: 'UPDATE', actor: { userPid: other.pid } });
    expect(JSON.stringify(second)).not.toContain('123');
    watched.leave();
    const resumed = await watch(path, { token: user.token, lastEventId: first?.id ?? null });
    expect(await resumed.get(1, 'record')).toMatchObject([{ data: { version: 2 } }]);
    resumed.leave();
  });

  it('is for those who may read the record', async () => {
    const { pid } = (await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } })).body.data;
    const path = `/api/dynamic/leads/${pid}/stream`;
    const stranger = await newUser(['ADMIN'], await newTenant());
    const blind = await newUser([await newRole(['record:read:deal'])], tenant);

    expectRefusal(await call(path, { token: stranger.token }), 'NOT_FOUND');
    expectRefusal(await call(path, { token: blind.token }), 'FORBIDDEN');
  });
});
