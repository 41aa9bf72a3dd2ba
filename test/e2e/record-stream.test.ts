import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, execute, expectRefusal } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { askForImport } from '../support/imports.ts';
import { changeModel, name, newModel, newRole, size } from '../support/models.ts';
import { anotherNode, nodeInside } from '../support/nodes.ts';
import { watch } from '../support/streams.ts';
import { container, newTenant, newUser, signedInForEach } from '../support/world.ts';

/** Of the nodes of this file: rights are checked again often, and pings show that time goes on. */
Object.assign(process.env, { STREAM_RECHECK_MS: '100', STREAM_PING_MS: '150', MAX_STREAMS_PER_USER: '40' });

const SMALL = { fieldName: 'size', operator: 'lt', value: 10 };

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

  it('reads nothing while nobody writes, however many watch, and only what was written then, on each node', async () => {
    const items = Array.from({ length: 30 }, (_, index) => ({ payload: { name: `Lead ${index}` } }));
    await call('/api/meta/commands/execute/crm:create_lead/batch', { token: user.token, body: { items } });
    const { records } = (await call('/api/dynamic/leads/list?pageSize=30', { token: user.token })).body.data;
    const [one] = records;
    const inside = await nodeInside();
    const elsewhere = await watch(`/api/dynamic/leads/${one.pid}/stream`, {
      token: user.token,
      baseUrl: await anotherNode(),
    });
    const here = await Promise.all(
      records.map(({ pid }: { pid: string }) =>
        watch(`/api/dynamic/leads/${pid}/stream`, { token: user.token, baseUrl: inside }),
      ),
    );
    await Promise.all([elsewhere, ...here].map((each) => each.get(1, 'record')));
    const { database } = await container();
    const pings = () => here[0]?.comments.length ?? 0;
    const later = async (count: number, from = pings()) => until('time goes on', () => pings() >= from + count);
    await later(8);

    const statementsOf = async (act: () => Promise<unknown>): Promise<number> => {
      const before = database.statements;
      await act();
      return database.statements - before;
    };
    // After each publish of other files all rights are read anew: there are times without one.
    await until('nothing is read', async () => (await statementsOf(() => later(8))) === 0);

    let updates = 0;
    const change = async () => {
      updates += 1;
      await execute(user.token, 'crm:update_lead', { targetRecordId: one.pid, payload: { phone: `123${updates}` } });
      const told = await Promise.all([elsewhere, here[0]].map((each) => each?.get(1 + updates, 'record')));
      expect(told[0]).toEqual(told[1]);
      await later(8);
    };
    // One statement for all watched records of the model and one for who has made the version, each in a
    // transaction of three; twice, as the event stamps the model again; and the rights of the one reader.
    await until('only what was written is read', async () => (await statementsOf(change)) < 20);
    expect([elsewhere, ...here].map((each) => each.named('record').length)).toEqual([
      1 + updates,
      ...records.map(({ pid }: { pid: string }) => (pid === one.pid ? 1 + updates : 1)),
    ]);
  });

  it('tells what a batch and an import have changed; it ends for readers from whom a rule hides the record', async () => {
    const fields: FieldContent[] = [{ ...name, unique: true }, size];
    const model = await newModel({ fields });
    const rule = { name: 'Small', unless: `record:all:${model.code}`, conditions: [SMALL] };
    await changeModel(model, { fields, rowRules: [rule] });
    const writer = await newUser([await newRole([...model.permissions, rule.unless])], tenant);
    const bound = await newUser([await newRole(model.permissions)], tenant);
    const { pid } = (await execute(writer.token, model.command, { payload: { name: 'a', size: 1 } })).body.data;
    const path = `/api/dynamic/${model.code}/${pid}/stream`;
    const watched = await watch(path, { token: writer.token, baseUrl: await anotherNode() });
    const hidden = await watch(path, { token: bound.token, baseUrl: await nodeInside() });
    await Promise.all([watched, hidden].map((each) => each.get(1, 'record')));

    const items = [{ operationType: 'UPDATE', targetRecordId: pid, payload: { size: 2 } }];
    const batch = `/api/meta/commands/execute/${model.command}/batch`;
    expect(await call(batch, { token: writer.token, body: { items } })).toMatchObject({ status: 200 });
    await watched.get(2, 'record');
    const mapping = { name: 'name', size: 'size' };
    const body = { mapping, mode: 'update', matchOn: 'name' };
    const asked = await askForImport(writer, { pageKey: model.code, content: 'name,size\na,30\n', body });
    expect(asked).toMatchObject({ status: 202 });
    expect((await watched.get(3, 'record')).map(({ data }) => data.version)).toEqual([1, 2, 3]);

    expect(await hidden.get(1, 'revoked')).toMatchObject([{ data: { code: 'NOT_FOUND' } }]);
    await hidden.over();
    expect(watched.isOver).toBe(false);
  });
});
