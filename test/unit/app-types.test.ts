import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readApplication } from '../../cli/app/application-files.ts';
import { types } from '../../cli/app/types.ts';
import type { Invocation } from '../../cli/command-line.mjs';
import { printTypes } from '../../cli/types/print-types.ts';
import { DEMO } from '../../scripts/database/load-application.ts';
import { offlineResourceChecks } from '../../src/offline.ts';
import type { EnvironmentResource } from '../../src/platform/metadata/resources/resource-type.ts';
import { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import { typeProblemsIn } from '../support/type-problems.ts';

const print = (resources: readonly EnvironmentResource[]): string =>
  printTypes(new Snapshot('test', 0, resources, offlineResourceChecks().types));
const resource = (resourceType: string, code: string, content: object) => ({ resourceType, code, content });
const field = (code: string, type: string, options: object = {}) => ({ code, name: code, type, ...options });

const PARTS = [
  resource('MODEL', 'part', {
    name: 'Part',
    fields: [
      field('name', 'string', { required: true }),
      field('state', 'enum', { values: ["it's", 'a "b"\n*/', 'c'], required: true, default: 'c' }),
      field('cost', 'decimal', { readPermission: true }),
      field('stock', 'bigint', { required: true }),
      field('data', 'json'),
      field('serial', 'string', { sequence: { prefix: 'P', gapless: true } }),
      field('worth', 'decimal', { computed: 'record.cost * 2' }),
      field('maker', 'user'),
      field('photo', 'file'),
      field('whole', 'relation', { target: 'part' }),
    ],
    relations: [{ code: 'kits', name: 'Kits', through: 'kit_part', from: 'part', to: 'kit' }],
  }),
  resource('MODEL', 'kit', { name: 'Kit', fields: [field('label', 'string', { required: true })] }),
  resource('MODEL', 'kit_part', {
    name: 'Part of a kit',
    fields: [field('part', 'relation', { target: 'part' }), field('kit', 'relation', { target: 'kit' })],
  }),
  resource('PAGE_SCHEMA', 'spare-parts', { name: 'A', modelCode: 'part', columns: [{ fieldName: 'pid' }, 'name'] }),
  resource('COMMAND', 'shop:save', { name: 'A', modelCode: 'part', operations: ['UPDATE', 'CREATE'] }),
  resource('COMMAND', 'shop:ready', {
    name: 'A',
    modelCode: 'part',
    operations: ['UPDATE'],
    event: { type: 'part.changed' },
    transition: { field: 'state', from: ['c'], to: "it's" },
  }),
  resource('COMMAND', 'shop:split', {
    name: 'A',
    modelCode: 'part',
    operations: ['CUSTOM'],
    target: true,
    event: { type: 'part.changed' },
    payload: [field('note', 'string'), field('count', 'integer', { required: true })],
    steps: [
      { id: 'part', operation: 'UPDATE', modelCode: 'part', target: 'record.pid', values: { name: 'record.name' } },
      {
        id: 'copy',
        operation: 'CREATE',
        modelCode: 'part',
        when: 'payload.count > 1',
        values: { name: 'record.name' },
      },
    ],
    result: {
      part: 'steps.part',
      copy: 'steps.copy',
      either: 'payload.count > 1 ? steps.copy : null',
      note: 'payload.note',
      cost: 'record.cost',
      maker: 'record.maker',
      pid: 'steps.part.pid',
      name: 'record.name + "!"',
      many: 'payload.count > 1',
      length: 'size(record.name)',
      at: 'now',
      doubled: 'record.stock * 2',
      same: 'record == steps.part',
    },
  }),
  resource('COMMAND', 'shop:cost', {
    name: 'A',
    modelCode: 'part',
    operations: ['CUSTOM'],
    target: true,
    reveals: ['part.cost'],
    steps: [{ id: 'part', operation: 'UPDATE', modelCode: 'part', target: 'record.pid', values: {} }],
    result: { part: 'steps.part', cost: 'record.cost' },
  }),
  resource('COMMAND', 'shop:tell', {
    name: 'A',
    modelCode: 'part',
    operations: ['CUSTOM'],
    steps: [
      { id: 'all', type: 'query', modelCode: 'part', limit: 5 },
      { id: 'few', type: 'query', modelCode: 'part', fields: ['name'] },
      {
        id: 'set',
        type: 'set',
        values: {
          first: 'steps.all.record',
          length: 'size(steps.few.record.name)',
          price: 'decimal(steps.all.record.stock) * 3',
          half: 'steps.all.record.stock / 2 + 1',
        },
      },
      { id: 'tell', type: 'emit', eventType: 'part.told', payload: { name: 'steps.few.record.name' } },
    ],
    result: {
      all: 'steps.all.records',
      first: 'steps.set.first',
      name: 'steps.few.record.name',
      length: 'steps.set.length',
      price: 'steps.set.price',
      half: 'steps.set.half',
      event: 'steps.tell.eventPid',
    },
  }),
];

const SAME =
  'type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;\n' +
  'declare function same<A, B>(yes: Same<A, B>): void;\n';

const OF_DEMO = `
import type { Commands, Events, Expanded, Models, PageKey, Pages, Pid, RecordOf } from './demo';
declare const lead: RecordOf<'lead'>;
declare const pid: Pid<'lead'>;
type Create = Models['lead']['create'];
const good: Create = { name: 'Ada', amount: '12.50', status: 'open', score: 5, account: null };
const change: Models['lead']['update'] = { amount: null };
// @ts-expect-error a required field is missing
const nameless: Create = { status: 'open' };
// @ts-expect-error no such value
const wrong: Create = { name: 'Ada', status: 'opn' };
// @ts-expect-error a decimal is a text
const number: Create = { name: 'Ada', amount: 12.5 };
// @ts-expect-error system fields are not written
const system: Create = { name: 'Ada', id: lead.id };
// @ts-expect-error what is required has a value
const empty: Models['lead']['update'] = { name: null };
// @ts-expect-error pids of two models
const account: Pid<'account'> = pid;
// @ts-expect-error no plain text
const plain: Pid<'lead'> = 'x';
// @ts-expect-error not every reader may read it
const score: number | null = lead.score;
// @ts-expect-error digits are no number
const sum: number = lead.amount ?? 0;
same<Models['lead']['masked'], 'score'>(true);
same<PageKey, 'accounts' | 'contacts' | 'deals' | 'leads' | 'tasks'>(true);
same<Pages['leads']['model'], 'lead'>(true);
declare const expanded: Expanded<'lead', 'account' | 'deal.lead' | 'account.contact.account'>;
const industry = expanded.expanded.account?.industry;
const total: number = expanded.expanded['deal.lead'].total;
const birthday = expanded.expanded['account.contact.account']?.records[0]?.birthday;
// @ts-expect-error not asked for
expanded.expanded['task.lead'];
// @ts-expect-error no relation
type Wrong = Expanded<'lead', 'name'>;
same<Commands['crm:convert_lead']['result']['account'], RecordOf<'account'> | null>(true);
same<Events['lead.converted']['commandCode'], 'crm:convert_lead'>(true);
type Line = { position: number; product: string; unit_price: '9.50' };
const line: Line = { position: 1, product: 'Seat', unit_price: '9.50' };
declare const linePid: Pid<'deal_line'>;
const deal: Commands['crm:create_deal']['payload'] = { name: 'Big', lines: { create: [line] } };
const changes: Commands['crm:update_deal']['payload'] = {
  lines: { create: [line], update: [{ pid: linePid, quantity: '2', expectedVersion: 1 }], delete: [linePid, { pid: linePid }] },
};
// @ts-expect-error a required field of a line is missing
const short: Commands['crm:create_deal']['payload'] = { name: 'Big', lines: { create: [{ product: 'Seat' }] } };
// @ts-expect-error the command sets the deal of a line
const linked: Commands['crm:update_deal']['payload'] = { lines: { update: [{ pid: linePid, deal: null }] } };
// @ts-expect-error not one of its operations
const unlinked: Commands['crm:update_deal']['payload'] = { lines: { unlink: [linePid] } };
same<Commands['crm:update_deal']['result']['lines']['create'], RecordOf<'deal_line'>[]>(true);
same<Commands['crm:update_deal']['result']['lines']['delete'], Pid<'deal_line'>[]>(true);
same<Commands['crm:update_deal']['result']['stage'], RecordOf<'deal'>['stage']>(true);
`;

const OF_PARTS = `
import * as all from './parts';
import type {
  BigInteger, Commands, DateTime, Decimal, Events, Expanded, Models, Pages, RecordOf, UserPid,
} from './parts';
// @ts-expect-error no payload names what is numbered
const serial: Models['part']['create'] = { name: 'A', stock: '1', serial: '2' };
// @ts-expect-error no payload names what is computed
const worth: Models['part']['create'] = { name: 'A', stock: '1', worth: '2' };
same<RecordOf<'part'>['worth'], Decimal | null>(true);
same<Pages['spare-parts']['columns'], 'name' | 'pid'>(true);
same<Models['part']['create']['state'], "it's" | 'a "b"\\n*/' | 'c' | undefined>(true);
const part: Models['part']['create'] = { name: 'a', stock: '9007199254740993' };
// @ts-expect-error a bigint is a text
const number: Models['part']['create'] = { name: 'a', stock: 9 };
same<Commands['shop:save']['kind'], 'CREATE' | 'UPDATE'>(true);
same<Extract<Commands['shop:save'], { kind: 'CREATE' }>['target'], null>(true);
// @ts-expect-error the command sets it
const state: Commands['shop:ready']['payload'] = { state: 'c' };
same<Commands['shop:split']['payload'], { count: number; note?: string | null }>(true);
type Part = RecordOf<'part'>;
declare const inKits: Expanded<'part', 'kits' | 'whole.kits'>;
const labels: string[] = inKits.expanded.kits.records.map(({ label }) => label);
const kitsOfWhole: number | undefined = inKits.expanded['whole.kits']?.total;
same<Commands['shop:split']['result'], {
  at: DateTime; copy: Part | null; cost?: Decimal | null; doubled: Decimal; either: Part | null; length: number;
  maker: UserPid | null; many: boolean; name: string; note: string | null; part: Part; pid: Part['pid']; same?: unknown;
}>(true);
declare const cost: Commands['shop:cost']['result'];
const revealed: (Decimal | null)[] = [cost.cost, cost.part.cost];
// @ts-expect-error an event reveals nothing
const hidden: Decimal | null = (null as unknown as Events['shop:cost']).result.part.cost;
same<Events['part.changed']['commandCode'], 'shop:ready' | 'shop:split'>(true);
same<Commands['shop:tell']['result'], {
  all: Part[]; event: string; first: Part | null; half: Decimal; length: number; name: string; price: Decimal;
}>(true);
same<Events['part.told']['payload'], { name?: unknown }>(true);
// @ts-expect-error helpers stay inside
type Inner = all.Branded<'a'>;
const stock: BigInteger = (null as unknown as Part).stock;
`;

async function exampleOfDocumentation(): Promise<string> {
  const text = await readFile(new URL('../../docs/configuration-as-code.md', import.meta.url), 'utf8');
  const [, example = ''] = /^```ts\n([^]*?)^```/m.exec(text) ?? [];
  expect(example).toMatch('./keelson-app');
  return example;
}

describe('the types of an application', () => {
  it('compile under strict, and take what the service takes', async () => {
    const { resources } = await readApplication(DEMO);
    const files = {
      '/types/demo.d.ts': print(resources),
      '/types/parts.d.ts': print(PARTS),
      '/types/nothing.d.ts': print([]),
      '/types/same.d.ts': SAME,
      '/types/of-demo.ts': OF_DEMO,
      '/types/keelson-app.d.ts': print(resources),
      '/types/documentation.ts': await exampleOfDocumentation(),
      '/types/of-parts.ts': OF_PARTS,
    };
    expect(typeProblemsIn(files)).toEqual([]);
  });

  it('do not depend on the order of resources, fields, columns and operations', () => {
    const reversed = PARTS.toReversed().map(({ content, ...rest }) => ({
      ...rest,
      content: Object.fromEntries(
        Object.entries(content).map(([key, value]: [string, unknown]) => [
          key,
          Array.isArray(value) && key !== 'steps' ? value.toReversed() : value,
        ]),
      ),
    }));
    expect(print(reversed)).toBe(print(PARTS));
  });
});

describe('keelson types --dir', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-types-'));
    file = join(folder, 'app.d.ts');
  });
  afterEach(() => rm(folder, { recursive: true }));
  const run = (options: object): Promise<number> => {
    const output = { show: async () => undefined };
    return types({ output, args: [], options } as unknown as Invocation);
  };

  it('writes the file with a line that says where it is from, and no time', async () => {
    expect(await run({ dir: DEMO, out: file })).toBe(0);
    expect(await readFile(file, 'utf8')).toMatch(
      /^\/\/ Printed by keelson types from the files of crm\. Do not edit\.\nexport interface Models \{\n {2}account: /,
    );
  });

  it('with --check fails for a file that is stale or missing, and writes nothing', async () => {
    await expect(run({ dir: DEMO, out: file, check: true })).rejects.toThrow('app.d.ts is stale');
    await run({ dir: DEMO, out: file });
    const text = await readFile(file, 'utf8');
    expect(await run({ dir: DEMO, out: file, check: true })).toBe(0);
    // The line at the top is not of the types.
    await writeFile(file, text.replace(/^.*/, '// from elsewhere'));
    expect(await run({ dir: DEMO, out: file, check: true })).toBe(0);
    const stale = text.replace('score?: number', 'score: number');
    await writeFile(file, stale);
    await expect(run({ dir: DEMO, out: file, check: true })).rejects.toThrow('it differs from the files of crm');
    expect(await readFile(file, 'utf8')).toBe(stale);
  });

  it('refuses --check without a file, and two sources', async () => {
    await expect(run({ dir: DEMO, check: true })).rejects.toThrow('--check needs the file');
    await expect(run({ dir: DEMO, env: 'dev' })).rejects.toThrow('name one');
  });
});
