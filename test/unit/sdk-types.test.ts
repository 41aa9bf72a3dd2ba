import { readApplication } from '../../cli/app/application-files.ts';
import { printTypes } from '../../cli/types/print-types.ts';
import { DEMO } from '../../scripts/database/load-application.ts';
import { offlineResourceChecks } from '../../src/offline.ts';
import type { EnvironmentResource } from '../../src/platform/metadata/resources/resource-type.ts';
import { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import { typeProblemsIn } from '../support/type-problems.ts';

const SDK = new URL('../../sdk/src/index.ts', import.meta.url).pathname;

/** What the demo has not: a data source with params, and a view of people. */
const SINCE = {
  resourceType: 'DATASOURCE',
  code: 'leads_since',
  content: {
    name: 'Since',
    kind: 'model',
    modelCode: 'lead',
    fields: ['pid', 'name', 'status'],
    params: [{ code: 'since', name: 'Since', type: 'date', required: true }],
    conditions: [{ fieldName: 'created_at', operator: 'gte', value: '$params.since' }],
  },
};
const VISIT = {
  resourceType: 'MODEL',
  code: 'visit',
  content: {
    name: 'Visit',
    fields: [
      { code: 'lead', name: 'Lead', type: 'relation', target: 'lead' },
      { code: 'host', name: 'Host', type: 'user' },
      { code: 'photo', name: 'Photo', type: 'file' },
    ],
  },
};
const VISITS = {
  resourceType: 'PAGE_SCHEMA',
  code: 'visits',
  content: { name: 'Visits', modelCode: 'visit', columns: ['lead'] },
};

/** A command of several operations, which the demo has not. */
const SAVE_LEAD = {
  resourceType: 'COMMAND',
  code: 'test:save_lead',
  content: { name: 'Save', modelCode: 'lead', operations: ['CREATE', 'UPDATE', 'DELETE'] },
};

const TYPED = `
import { createClient, verifyWebhook, ConflictError, type Client } from '${SDK}';
import type { Decimal, FilePid, KeelsonApp, Pid, RecordOf, UserPid } from './app';
declare function same<A, B>(yes: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false): void;
const client: Client<KeelsonApp> = createClient<KeelsonApp>({ url: 'http://localhost:6443' });
const leads = client.page('leads');
// @ts-expect-error no such page
client.page('leadz');

const list = await leads.list({ filters: [{ fieldName: 'status', operator: 'eq', value: 'new' }], sortField: 'amount' });
same<(typeof list.records)[number], RecordOf<'lead'>>(true);
const amount: Decimal | null | undefined = list.records[0]?.amount;
// @ts-expect-error not asked for
list.records[0]?.expanded;
// @ts-expect-error no such field
await leads.list({ filters: [{ fieldName: 'statsu', operator: 'eq', value: 'new' }] });
// @ts-expect-error no such operator
await leads.list({ filters: [{ fieldName: 'status', operator: 'equals', value: 'new' }] });
// @ts-expect-error these are the conditions of a query
await leads.list({ conditions: [] });
await leads.query({ conditions: [{ or: [{ fieldName: 'account.name', operator: 'contains', value: 'a' }] }] });

await leads.list({ filters: [{ not: { fieldName: 'status', operator: 'in', value: ['new', 'won'] } }], keyword: 'a' });
// @ts-expect-error no such value
await leads.list({ filters: [{ fieldName: 'status', operator: 'eq', value: 'opne' }] });
// @ts-expect-error no such value in a list
await leads.list({ filters: [{ fieldName: 'status', operator: 'in', value: ['new', 'opne'] }] });
// @ts-expect-error no such value, deep down
await leads.query({ conditions: [{ or: [{ and: [{ fieldName: 'status', operator: 'ne', value: 'opne' }] }] }] });
await leads.list({ filters: [{ fieldName: 'status', operator: 'is_null' }, { fieldName: 'name', operator: 'eq', value: 'Ada' }] });
await client.page('deals').list({ filters: [{ fieldName: 'lead.status', operator: 'eq', value: 'won' }], sortField: 'contact.account.name' });
// @ts-expect-error no such value of a related record
await client.page('deals').list({ filters: [{ fieldName: 'lead.status', operator: 'eq', value: 'wno' }] });
// @ts-expect-error no such field of a related record
await client.page('deals').list({ filters: [{ fieldName: 'lead.stauts', operator: 'eq', value: 'won' }] });
// @ts-expect-error no such path
await client.page('deals').list({ sortField: 'contact.account.nmae' });
await leads.query({ sortFields: [{ fieldName: 'account.name', order: 'desc' }] });

const visits = await client.page('visits').list({ expand: ['host', 'lead.account'], fields: ['host', 'host.username'] });
const host: { pid: UserPid; username: string } | null | undefined = visits.records[0]?.expanded.host;
const hostName: string | null | undefined = visits.records[0]?.['host.username'];

const rows = await client.rows('leads_since', { since: '2026-01-01' }, { maxItems: 5 });
same<(typeof rows)[number]['status'], RecordOf<'lead'>['status']>(true);
// @ts-expect-error a param is missing
await client.rows('leads_since');
// @ts-expect-error no such param
await client.rows('leads_since', { since: '2026-01-01', until: '2026-02-01' });
// @ts-expect-error no such data source
await client.rows('leads_sinse', { since: '2026-01-01' });
// @ts-expect-error not among its fields
rows[0]?.email;

const run = await client.automation('lead_follow_up').start({ leadPid: '' as Pid<'lead'> });
const lead: Pid<'lead'> | undefined = (await run.wait()).input?.leadPid;
for await (const { event, data } of run.events()) if (event === 'run') data.progress?.finished.toFixed();
await run.approve({ step: 'ok', comment: 'fine' });
// @ts-expect-error the input is missing
await client.automation('lead_follow_up').start();
// @ts-expect-error the pid of another model
await client.automation('lead_follow_up').start({ leadPid: '' as Pid<'deal'> });
// @ts-expect-error no such automation
client.automation('lead_folow_up');
const waiting: string | undefined = (await client.approvals({ pageSize: 5 })).records[0]?.step;

const photo: FilePid = (await client.files.upload(new Blob(['a']), 'a.txt')).pid;
const bytes: ArrayBuffer = await (await client.files.download(photo)).arrayBuffer();
const imported = await leads.import(new Blob(['a']), { format: 'csv', mapping: { Company: 'name' }, matchOn: 'email' });
const failed: number = (await imported.wait()).failed;
for await (const { row, message } of imported.problems()) message.padEnd(row);
// @ts-expect-error no such field
await leads.import(photo, { format: 'csv', mapping: { Company: 'nmae' } });
const csv: Response = await leads.export('csv', { fields: ['name', 'account.name'], filters: [] });

const view = await leads.saveView({ name: 'Won', conditions: [{ fieldName: 'status', operator: 'eq', value: 'won' }], columns: ['name'] });
await leads.saveView({ name: 'All' }, view.pid);
await leads.list({ viewId: (await leads.views())[0]?.pid ?? '' });
// @ts-expect-error no such value
await leads.saveView({ name: 'Won', conditions: [{ fieldName: 'status', operator: 'eq', value: 'wno' }] });

const figures = await leads.aggregate({
  groupBy: [{ fieldName: 'status' }, { fieldName: 'created_at', part: 'month', as: 'month' }],
  measures: [{ fn: 'count', as: 'n' }, { fn: 'max', fieldName: 'amount', as: 'most' }],
});
same<(typeof figures.rows)[number]['n'], string>(true);
const most: Decimal | null | undefined = figures.rows[0]?.most;
const month: string | null | undefined = figures.rows[0]?.month;
const status: RecordOf<'lead'>['status'] | null | undefined = figures.rows[0]?.status;
// @ts-expect-error not measured
figures.rows[0]?.total;
// @ts-expect-error no such field
await leads.aggregate({ groupBy: [{ fieldName: 'stauts' }] });

const some = await leads.list({ fields: ['name', 'status'], expand: ['account', 'deal.lead'] });
const name: string | undefined = some.records[0]?.name;
const industry = some.records[0]?.expanded.account?.industry;
const deals: number | undefined = some.records[0]?.expanded['deal.lead'].total;
// @ts-expect-error not among the fields
some.records[0]?.email;
const paths = await leads.list({ fields: ['name', 'account.name', 'owner.username'] });
const accountName: string | null | undefined = paths.records[0]?.['account.name'];
const ownerName: string | null | undefined = paths.records[0]?.['owner.username'];
// @ts-expect-error no such field of the related record
await leads.list({ fields: ['account.nmae'] });
// @ts-expect-error no relation
await leads.list({ expand: ['name'] });
// @ts-expect-error not asked for
some.records[0]?.expanded['task.lead'];

for await (const lead of leads.all({ fields: ['name'] })) {
  const pid: Pid<'lead'> = lead.pid;
  const full = await leads.get(pid, { expand: ['account'] });
  const account = full.expanded.account?.pid;
  // @ts-expect-error the pid of another model
  if (account) await leads.get(account);
}
// @ts-expect-error a plain text is no pid
await leads.get('x');

const created = await client.command('crm:create_lead')({ name: 'Ada', amount: '12.50' });
same<typeof created, RecordOf<'lead'>>(true);
// @ts-expect-error no such command
client.command('crm:create_leed');
// @ts-expect-error a required field is missing
await client.command('crm:create_lead')({});
// @ts-expect-error the record is missing
await client.command('crm:update_lead')({ status: 'open' });
const updated = await client.command('crm:update_lead')({ status: 'open' }, { targetRecordId: created.pid, ifMatch: created });
same<typeof updated, RecordOf<'lead'>>(true);
const converted = await client.command('crm:convert_lead')({}, { targetRecordId: created.pid, idempotencyKey: 'k' });
const dealPid: Pid<'deal'> | undefined = converted.deal?.pid;
const execution = await client.command('crm:create_lead').start({ name: 'Ada' });
same<Awaited<ReturnType<typeof execution.wait>>, RecordOf<'lead'>>(true);
const dry = await client.command('crm:create_lead').dryRun({ name: 'Ada' });
same<typeof dry.result, RecordOf<'lead'>>(true);

const save = client.command('test:save_lead');
same<Awaited<ReturnType<typeof save.start>>['pid'], string>(true);
const saved: RecordOf<'lead'> = await save({ name: 'Ada' });
const changed: RecordOf<'lead'> = await save({ status: 'won' }, { operationType: 'UPDATE', targetRecordId: created.pid });
const deleted: { pid: Pid<'lead'> } = await save({}, { operationType: 'DELETE', targetRecordId: created.pid });
// @ts-expect-error which operation?
await save({ status: 'won' }, { targetRecordId: created.pid });

const delivery = await verifyWebhook<KeelsonApp>('secret', new Headers(), '{}');
if (delivery.eventType === 'lead.converted') {
  const code: 'crm:convert_lead' = delivery.body.commandCode;
  const event: string = delivery.body.result.lead?.name ?? '';
}
try {
  await client.login({ email: 'a', password: 'b' });
} catch (error) {
  if (error instanceof ConflictError) error.fieldErrors['name']?.toUpperCase();
}
`;

const UNTYPED = `
import { createClient, type Condition } from '${SDK}';
const client = createClient({ url: 'http://localhost:6443', token: () => 'x' });
const list = await client.page('anything').list({ filters: [{ fieldName: 'a.b', operator: 'is_null' }], expand: ['a'] });
const pid: string | undefined = list.records[0]?.pid;
const found: unknown = list.records[0]?.whatever;
const result: unknown = await client.command('any:thing')({ a: 1 }, { targetRecordId: 'x', operationType: 'UPDATE' });
await client.command('any:thing')({ a: 1 });
const rows: readonly Readonly<Record<string, unknown>>[] = await client.rows('any', { a: 1 });
const run = await client.automation('any').start({ a: 1 });
const figures = await client.page('anything').aggregate({ measures: [{ fn: 'sum', fieldName: 'a.b', as: 'total' }] });
const total: string | null | undefined = figures.rows[0]?.total;
const conditions: readonly Condition[] = [{ fieldName: 'a', operator: 'eq', value: 1 }];
await client.page('anything').list({ filters: conditions, sortField: 'a.b.c' });
// @ts-expect-error a number
await client.page('anything').list({ pageSize: '10' });
`;

describe('the types of @keelson/client', () => {
  it('follow those that keelson types prints, and do without them', async () => {
    const resources: EnvironmentResource[] = [
      ...(await readApplication(DEMO)).resources,
      SAVE_LEAD,
      SINCE,
      VISIT,
      VISITS,
    ];
    const app = printTypes(new Snapshot('test', 0, resources, offlineResourceChecks().types));

    const files = { '/types/app.d.ts': app, '/types/typed.ts': TYPED, '/types/untyped.ts': UNTYPED };
    expect(typeProblemsIn(files)).toEqual([]);
  });
});
