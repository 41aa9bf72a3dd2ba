import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { call, dataOf, execute, list } from '../support/api.ts';
import { download, upload } from '../support/files.ts';
import { askForImport, endedImport } from '../support/imports.ts';
import { newModel, name, save } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { platformAdmin, resourceIn } from '../support/promotions.ts';
import { subscribe, subscriptionRow } from '../support/webhooks.ts';
import { signedInForEach } from '../support/world.ts';

const admin = platformAdmin();
const { tenant, user } = signedInForEach('ADMIN');

const SUBJECT = { code: 'subject', name: 'Subject', type: 'string', unique: true } as const;
const TITLE = { ...SUBJECT, code: 'title', renamedFrom: 'subject' } as const;

const saveModel = async (code: string, fields: FieldContent[]) =>
  dataOf(
    await execute(admin.user.token, 'meta:save', {
      payload: { resourceType: 'MODEL', code, content: { name: code, fields } },
    }),
  );
const historyOf = async (code: string, pid: string) =>
  dataOf(await call(`/api/dynamic/${code}/${pid}/history`, { token: user.token })).records as {
    changes: object;
    executionPid: string;
  }[];

describe('a field that gets another code', () => {
  it('keeps its history, and a record can go back to what it was under the old code', async () => {
    const { code, command } = await newModel({ fields: [name, SUBJECT] });
    const { pid } = dataOf(await execute(user.token, command, { operationType: 'CREATE', payload: { subject: 'a' } }));
    const write = (payload: object) =>
      execute(user.token, command, { operationType: 'UPDATE', targetRecordId: pid, payload });
    dataOf(await write({ subject: 'b' }));

    await saveModel(code, [name, TITLE]);
    dataOf(await write({ title: 'c' }));

    const history = await historyOf(code, pid);
    expect(history.map(({ changes }) => changes)).toMatchObject([
      { title: { from: 'b', to: 'c' } },
      { title: { from: 'a', to: 'b' } },
      { title: { from: null, to: 'a' } },
    ]);
    const { body } = await execute(user.token, 'record:revert', { payload: { modelCode: code, pid, version: 1 } });
    expect(body.data).toMatchObject({ record: { title: 'a' }, skipped: [] });
  });

  it('that a new field has taken over since keeps its own history apart', async () => {
    const { code, command } = await newModel({ fields: [name, SUBJECT] });
    const { pid } = dataOf(await execute(user.token, command, { operationType: 'CREATE', payload: { subject: 'a' } }));
    await saveModel(code, [name, TITLE]);
    await saveModel(code, [name, { ...SUBJECT, code: 'title' }, SUBJECT]);
    dataOf(
      await execute(user.token, command, { operationType: 'UPDATE', targetRecordId: pid, payload: { subject: 'new' } }),
    );

    expect((await historyOf(code, pid)).map(({ changes }) => changes)).toMatchObject([
      { subject: { from: null, to: 'new' } },
      { title: { from: null, to: 'a' } },
    ]);
  });

  it('stays in saved views, those of pages that lead to its model too', async () => {
    const { code } = await newModel({ fields: [name, SUBJECT] });
    const part = { code: 'part', name: 'Part', type: 'relation', target: code } as const;
    const other = await newModel({ fields: [name, part] });
    const viewOf = async (pageKey: string, parts: object) =>
      dataOf(await call('/api/views', { token: user.token, body: { name: 'V', pageKey, ...parts } })).pid as string;
    const condition = (fieldName: string) => ({ fieldName, operator: 'eq', value: 'subject' });
    const own = await viewOf(code, {
      conditions: [{ or: [condition('subject'), { not: condition('name') }] }],
      sortFields: [{ fieldName: 'subject', order: 'asc' }],
      columns: ['subject', 'name'],
    });
    const distant = await viewOf(other.code, { conditions: [condition('part.subject')] });

    await saveModel(code, [name, TITLE]);

    const view = async (pid: string) => dataOf(await call(`/api/views/${pid}`, { token: user.token }));
    expect(await view(own)).toMatchObject({
      conditions: [{ or: [condition('title'), { not: condition('name') }] }],
      sortFields: [{ fieldName: 'title', order: 'asc' }],
      columns: ['title', 'name'],
    });
    expect(await view(distant)).toMatchObject({ conditions: [condition('part.title')] });
    expect(dataOf(await list(user.token, code, { viewId: own })).total).toBe(0);
  });

  it('stays in dashboards and in views of the configuration, which get a version of their own', async () => {
    const { code } = await newModel({ fields: [name, SUBJECT, { code: 'on', name: 'On', type: 'date' }] });
    const condition = (fieldName: string) => ({ fieldName, operator: 'ne', value: 'subject' });
    const tilesOf = (field: string) => [
      {
        code: 'by',
        title: 'By',
        kind: 'table',
        page: code,
        aggregate: {
          groupBy: [{ fieldName: field }],
          measures: [{ fn: 'max', fieldName: field, as: 'subject_most' }],
          having: [condition(field)],
          sortFields: [{ fieldName: field, order: 'asc' }],
        },
        conditions: [{ not: condition(field) }],
      },
      {
        code: 'all',
        title: 'All',
        kind: 'number',
        page: code,
        conditions: [condition(field)],
        compareWith: { conditions: [{ or: [condition(field), condition('name')] }] },
      },
    ];
    const viewOf = (field: string) => ({ name: 'V', pageKey: code, conditions: [condition(field)], columns: [field] });
    await save(
      'dev',
      { resourceType: 'DASHBOARD', code, content: { name: 'D', tiles: tilesOf('subject') } },
      { resourceType: 'VIEW', code, content: viewOf('subject') },
    );

    await saveModel(code, [name, TITLE, { code: 'on', name: 'On', type: 'date' }]);

    expect(await resourceIn('dev', 'DASHBOARD', code)).toMatchObject({
      version: 2,
      content: { tiles: tilesOf('title') },
    });
    expect(await resourceIn('dev', 'VIEW', code)).toMatchObject({ version: 2, content: viewOf('title') });
    expect(dataOf(await call(`/api/dashboards/${code}/tiles/by`, { token: user.token })).rows).toEqual([]);
  });

  it('stays in the mappings of imports', async () => {
    const { code } = await newModel({ fields: [name, SUBJECT] });
    const mapping = { Thema: 'subject', Name: 'name' };
    const asked = await askForImport(user, {
      pageKey: code,
      content: 'Thema,Name\na,b\n',
      body: { mode: 'create', mapping },
    });
    await endedImport(user, asked.body.data.importPid);

    await saveModel(code, [name, TITLE]);

    const after = dataOf(await call(`/api/imports/${asked.body.data.importPid}`, { token: user.token }));
    expect(after.mapping).toEqual({ Thema: 'title', Name: 'name' });
  });

  it('stays in the filters of webhooks to its model', async () => {
    const { code } = await newModel({ fields: [name, SUBJECT] });
    const filterOf = (filterExpression: string) =>
      subscribe(tenant, user, 'http://127.0.0.1:1/', { eventType: 'record.*', modelCode: code, filterExpression });
    const filter = `subject == "subject" && payload.subject != result["subject"] && [1].exists(x, x == 1) && name != null`;
    const pid = await filterOf(filter);

    await saveModel(code, [name, TITLE]);

    expect((await subscriptionRow(pid)).filterExpression).toBe(
      `title == "subject" && payload.title != result["title"] && [1].exists(x, x == 1) && name != null`,
    );
  });

  it('still gives its readers the files that it names', async () => {
    const scan = { code: 'scan', name: 'Scan', type: 'file' } as const;
    const { code, command } = await newModel({ fields: [name, scan] });
    const file = await upload(user, 'bytes', { name: 'a.txt', type: 'text/plain' });
    const { pid } = file.body.data;
    dataOf(await execute(user.token, command, { operationType: 'CREATE', payload: { scan: pid } }));

    await saveModel(code, [name, { ...scan, code: 'paper', renamedFrom: 'scan' }]);

    expect(await runSql(`select field_code from platform.file_reference where file_pid = $1`, [pid])).toEqual([
      { fieldCode: 'paper' },
    ]);
    expect((await download(user, pid)).status).toBe(200);
  });
});
