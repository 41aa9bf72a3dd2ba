import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, dataOf, execute, list, refusal } from '../support/api.ts';
import { ends } from '../support/cli.ts';
import { askForImport, endedImport } from '../support/imports.ts';
import { newKey } from '../support/keys.ts';
import {
  insert,
  modelDraft,
  name,
  newModel,
  newRole,
  roleDraft,
  save,
  size,
  type TestModel,
} from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { columnsIn, platformAdmin } from '../support/promotions.ts';
import { newTenant, newUser } from '../support/world.ts';

const admin = platformAdmin();

const OLD: FieldContent = { code: 'old', name: 'Old', type: 'string', unique: true };
const PATH = '/api/admin/environments/dev/removed-fields';
const listed = async (modelCode: string) =>
  dataOf(await call(`${PATH}?modelCode=${modelCode}`, { token: admin.user.token }));
const drop = (body: object, token = admin.user.token) =>
  call(`${PATH}/drop`, { token, body: { reason: 'not used', ...body } });

/** A model that has lost a field; two of its records have a value there, one of another tenant. */
async function withRemovedField(
  meanwhile: (modelCode: string) => Promise<void> = () => Promise.resolve(),
): Promise<TestModel> {
  const model = await newModel({ fields: [name, OLD] });
  await insert(admin.tenant, model.code, [{ name: 'a', old: '1' }, { name: 'b' }]);
  const other = (await newUser(['ADMIN'], await newTenant())).token;
  dataOf(await execute(other, model.command, { operationType: 'CREATE', payload: { old: '2' } }));
  await meanwhile(model.code);
  await save('dev', modelDraft(model.code, { fields: [name] }));
  return model;
}

describe('GET /api/admin/environments/{environment}/removed-fields', () => {
  it('lists the fields that have left their models, with the values of all tenants for one model', async () => {
    const { code } = await withRemovedField();

    expect(await listed(code)).toEqual([
      {
        modelCode: code,
        columnsMade: 11,
        fields: [{ code: 'old', column: 'text', values: 2 }],
        rewrite: { megabytes: 1, seconds: 1 },
      },
    ]);
    const all = dataOf(await call(PATH, { token: admin.user.token }));
    expect(all).toContainEqual(expect.objectContaining({ modelCode: code, rewrite: null }));
  });

  it('is for administrators of environments', async () => {
    const { token } = await newUser(['ADMIN'], admin.tenant);
    expect([(await call(PATH, { token })).status, (await drop({ modelCode: 'x', fields: {} }, token)).status]).toEqual([
      403, 403,
    ]);
  });
});

describe('POST /api/admin/environments/{environment}/removed-fields/drop', () => {
  it('drops columns with consent to the number of their values, and is audited', async () => {
    const { code } = await withRemovedField();

    expect(refusal(await drop({ modelCode: code, fields: { old: 1, name: 2 } }))).toMatchObject({
      status: 400,
      data: {
        fieldErrors: { 'fields.old': 'has 2 values, not 1', 'fields.name': 'is no removed field of this model' },
      },
    });
    expect(await columnsIn('dev', code)).toHaveProperty('old');
    expect(dataOf(await drop({ modelCode: code, fields: { old: 2 } }))).toEqual({
      modelCode: code,
      dropped: ['old'],
      rewritten: false,
      columnsMade: 11,
    });
    expect(await columnsIn('dev', code)).not.toHaveProperty('old');
    const [entry] = await runSql(
      `select actor, reason, after from platform.audit_entry where action = 'environment.fields.drop'
       and after->>'modelCode' = $1`,
      [code],
    );
    expect(entry).toMatchObject({ reason: 'not used', after: { fields: { old: 2 } } });
  });

  it('ends the history of the field: another one that gets its code has its own', async () => {
    const { code, command } = await newModel({ fields: [name, OLD] });
    const own = (await newUser(['PLATFORM_ADMIN'], await newTenant())).token;
    const write = async (payload: object, targetRecordId?: string) =>
      dataOf(
        await execute(own, command, {
          operationType: targetRecordId ? 'UPDATE' : 'CREATE',
          payload,
          ...(targetRecordId && { targetRecordId }),
        }),
      );
    const { pid } = await write({ name: 'a', old: '1' });
    await write({ name: 'b', old: '2' }, pid);
    await save('dev', modelDraft(code, { fields: [name] }));
    dataOf(await drop({ modelCode: code, fields: { old: 1 } }));
    await save('dev', modelDraft(code, { fields: [name, { code: 'old', name: 'New', type: 'string' }] }));
    await write({ old: '3' }, pid);

    const history = dataOf(await call(`/api/dynamic/${code}/${pid}/history`, { token: own })).records;
    expect(history.map(({ changes }: { changes: object }) => changes)).toEqual([
      { old: { from: null, to: '3' } },
      { name: { from: 'a', to: 'b' } },
      { name: { from: null, to: 'a' } },
    ]);
    const { body } = await execute(own, 'record:revert', { payload: { modelCode: code, pid, version: 1 } });
    expect(body.data).toMatchObject({ record: { name: 'a', old: null }, skipped: [] });
  });

  it('is refused while a role, a saved view or the filter of a webhook names the field', async () => {
    const { code } = await withRemovedField(async (modelCode) => {
      const body = { name: 'V', pageKey: modelCode, columns: ['old'], conditions: [] };
      dataOf(await call('/api/views', { token: admin.user.token, body }));
    });
    const [view] = await runSql<{ pid: string }>(`select pid from platform.saved_view where page_key = $1`, [code]);
    const role = await newRole([`field:read:${code}.old`]);

    const refused = await drop({ modelCode: code, fields: { old: 2 } });

    expect(refusal(refused)).toMatchObject({ status: 409, code: 'CONFLICT', data: { reason: 'REFERENCE' } });
    expect(refused.body.message).toBe(`2 name these fields: PERMISSION/${role}, VIEW/${view?.pid}`);
    await save('dev', roleDraft(role, []));
    dataOf(await call(`/api/views/${view?.pid}`, { token: admin.user.token, method: 'DELETE' }));
    expect((await drop({ modelCode: code, fields: { old: 2 } })).status).toBe(200);
  });

  it('is refused while a key or an import that goes on names the field', async () => {
    const { code } = await withRemovedField();
    const scope = `field:write:${code}.old`;
    const { pid, accountPid, prefix } = await newKey(admin.user, [`record:read:${code}`]);
    await runSql(`update platform.api_key set scopes = scopes || $2::text where pid = $1`, [pid, scope]);
    const asked = await askForImport(admin.user, { pageKey: code, content: 'name\na\n', body: { mode: 'create' } });
    const { importPid } = asked.body.data;
    await endedImport(admin.user, importPid);
    const mapped = (status: string) =>
      runSql(`update platform.data_import set status = $2, mapping = '{"Old":"old"}' where pid = $1`, [
        importPid,
        status,
      ]);
    await mapped('RUNNING');

    const refused = await drop({ modelCode: code, fields: { old: 2 } });

    expect(refused.body.message).toBe(`2 name these fields: API_KEY/${prefix}, IMPORT/${importPid}`);
    await mapped('SUCCEEDED');
    const path = `/api/admin/service-accounts/${accountPid}/keys/${pid}`;
    dataOf(await call(path, { token: admin.user.token, method: 'DELETE' }));
    expect((await drop({ modelCode: code, fields: { old: 2 } })).status).toBe(200);
  });

  it('writes the table anew, with its records, ids, indexes and walls: the 1,600 columns are free again', async () => {
    const { code, command } = await withRemovedField();
    const { token } = await newUser(['ADMIN'], admin.tenant);
    const before = dataOf(await list(token, code, { sortField: 'id', sortOrder: 'asc' })).records;
    const shape = () =>
      runSql(
        `select (select json_agg(indexname order by indexname) from pg_indexes where tablename = $1) as indexes,
           (select json_agg(polname order by polname) from pg_policy p where p.polrelid = c.oid) as policies,
           c.relrowsecurity, c.relforcerowsecurity, c.relacl::text as acl
         from pg_class c where c.oid = ('dev.' || $1)::regclass`,
        [`mt_${code}`],
      );
    const shapeBefore = await shape();
    const removed = Array.from({ length: 1_589 }, (_, index) => `add column r${index} text`);
    await runSql(`alter table dev.mt_${code} ${removed.join(', ')}`);
    expect((await saveSize(code)).status).toBe(400);

    const fields = Object.fromEntries([...Array(1_589).keys()].map((index) => [`r${index}`, 0]));
    const answer = dataOf(await drop({ modelCode: code, fields: { ...fields, old: 2 }, rewrite: true }));

    expect(answer).toMatchObject({ rewritten: true, columnsMade: 10 });
    expect(await shape()).toEqual(shapeBefore);
    expect(dataOf(await list(token, code, { sortField: 'id', sortOrder: 'asc' })).records).toEqual(before);
    dataOf(await saveSize(code));
    const created = dataOf(await execute(token, command, { operationType: 'CREATE', payload: { name: 'c', size: 1 } }));
    expect(Number(created.id)).toBeGreaterThan(Math.max(...before.map(({ id }: { id: string }) => Number(id))));
  });

  const saveSize = (code: string) =>
    execute(admin.user.token, 'meta:save', {
      payload: { resourceType: 'MODEL', code, content: { name: code, fields: [name, size] } },
    });
});

describe('keelson fields', () => {
  it('lists and drops, after consent to what is lost', async () => {
    const { code } = await withRemovedField();

    const as = admin.user;
    await ends(0, ['fields', 'list', code], {
      as,
      out: /^MODEL +FIELD +COLUMN +VALUES\n\S+ +old +text +2\n\S+: \d+ of 1600 columns/,
    });
    const drops = ['fields', 'drop', code, 'old', '--reason', 'r'];
    await ends(1, drops, { as, err: 'say --values 2 to consent' });
    await ends(0, [...drops, '--values', '2', '--rewrite'], { as, out: '10 of 1600 columns' });
  });
});
