import type { FieldContent } from '../../../src/platform/metadata/field-types/field-content.ts';
import type { ResourceDraft } from '../../../src/platform/metadata/changes/resources.service.ts';
import { execute } from '../api.ts';
import { upload } from '../files.ts';
import { insert, modelDraft, newCode, newRole, pageDraft, save } from '../models.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../world.ts';

/** Codes of what both worlds share: models, their page, and commands on `thing`. */
export interface Codes {
  /** Has the hidden fields; its page has the same code. */
  readonly thing: string;
  /** What a hidden relation of things leads to. */
  readonly place: string;
  /** Leads to things by a field that all may read. */
  readonly note: string;
  /** A page of things whose default order is by a hidden field. */
  readonly sorted: string;
  readonly write: string;
  readonly upsert: string;
  readonly custom: string;
  readonly find: string;
}

/** One of two tenants that are alike but for the values of hidden fields. */
export interface World {
  readonly tenant: TestTenant;
  readonly codes: Codes;
  /** May do all that tenants can, but read the hidden fields. */
  readonly blind: TestUser;
  readonly sighted: TestUser;
  /** Names of the pids and users that both worlds have. */
  readonly known: ReadonlyMap<string, string>;
  /** Pid of what has this name. */
  pid(name: string): string;
}

/** Hidden values that one of the worlds has, the other not. */
export const SECRETS = { secret: 'zebra 911', level: 7, band: 'gold', no: 'K-1', state: 'open' } as const;
export const HIDDEN = ['secret', 'level', 'band', 'no', 'state', 'place', 'at', 'doc'] as const;

const hidden = { readPermission: true };
const THING: FieldContent[] = [
  { code: 'name', name: 'Name', type: 'string', searchable: true },
  { code: 'size', name: 'Size', type: 'integer' },
  { code: 'secret', name: 'Secret', type: 'string', searchable: true, indexed: true, ...hidden },
  { code: 'level', name: 'Level', type: 'integer', ...hidden },
  { code: 'band', name: 'Band', type: 'enum', values: ['gold', 'tin', 'lead'], ...hidden },
  { code: 'no', name: 'No', type: 'string', unique: true, ...hidden },
  {
    code: 'state',
    name: 'State',
    type: 'enum',
    values: ['new', 'open', 'done'],
    ...hidden,
    transitions: { new: ['open'], open: ['done'] },
  },
  { code: 'at', name: 'At', type: 'datetime', ...hidden },
  { code: 'doc', name: 'Doc', type: 'file', ...hidden },
];

const THINGS = ['a', 'b', 'c', 'gone'];
/** The hidden values of the things of each world, in their order. */
const VALUES = [
  [
    { ...SECRETS, at: '2020-01-01T00:00:00Z' },
    { secret: 'mole', level: 5, band: 'tin', no: 'K-2', state: 'new' },
    { secret: 'ant', level: 1, band: 'lead', no: 'K-3', state: 'done' },
    { secret: 'fox', level: 2, band: 'tin', no: 'K-4', state: 'new' },
  ],
  [
    { secret: 'bee', level: 3, band: 'tin', no: 'Q-1', state: 'done' },
    { secret: 'cow', level: 5, band: 'lead', no: 'Q-2', state: 'open', at: '2020-01-01T00:00:00Z' },
    { level: 9, band: 'gold', no: 'Q-3' },
    { secret: 'elk', level: 8, band: 'gold', no: 'Q-4', state: 'open' },
  ],
];
const PLACES = [
  ['north', 'south', null, 'north'],
  ['south', null, 'north', null],
];

/** Two tenants over one configuration. @param more what the configuration has beside */
export async function twinWorlds(more: (codes: Codes) => readonly ResourceDraft[] = () => []): Promise<World[]> {
  const codes = await configure(more);
  const { thing, place } = codes;
  const all = ['record:read:*', 'record:write:*', 'record:restore:*', 'record:purge:*', 'command:execute:*'];
  const rights = [
    ...all,
    'webhook:manage',
    'automation:run:*',
    'assistant:use:*',
    'datasource:read:*',
    'dashboard:read:*',
  ];
  const may = await newRole([...rights, 'execution:read', 'user:lookup']);
  const fields = [...HIDDEN.map((code) => `field:read:${thing}.${code}`), `field:read:${place}.secret`];
  const sees = await newRole([...rights, ...fields]);
  return Promise.all(
    [0, 1].map(async (index) => {
      const tenant = await newTenant();
      const blind = await newUser([may], tenant);
      return fill(tenant, blind, await newUser([sees], tenant), codes, index);
    }),
  );
}

async function configure(more: (codes: Codes) => readonly ResourceDraft[]): Promise<Codes> {
  const [thing, place, note, sorted] = [newCode(), newCode(), newCode(), newCode()];
  const commandOf = (name: string): string => `test:${name}_${thing}`;
  const [write, upsert, custom, find] = [
    commandOf('write'),
    commandOf('upsert'),
    commandOf('custom'),
    commandOf('find'),
  ];
  const codes: Codes = { thing, place, note, sorted, write, upsert, custom, find };
  const name = THING.slice(0, 1);
  const to = (code: string, target: string, rest = {}): FieldContent => {
    return { code, name: code, type: 'relation', target, ...rest };
  };
  const command = (code: string, content: object): ResourceDraft => {
    return { resourceType: 'COMMAND', code, content: { name: code, modelCode: thing, ...content } };
  };
  const steps = [{ id: 'note', operation: 'CREATE', modelCode: note, values: { name: '"made"', about: 'record.pid' } }];
  const result = { thing: 'record', hot: 'record.level > 5', note: 'steps.note', all: '[record.secret, record.name]' };
  const secret: FieldContent = { code: 'secret', name: 'Secret', type: 'string', ...hidden };
  await save(
    'dev',
    modelDraft(place, { fields: [...name, secret] }),
    modelDraft(thing, { fields: [...THING, to('place', place, { ...hidden, onDelete: 'setNull' })] }),
    modelDraft(note, { fields: [...name, to('about', thing)] }),
    pageDraft(thing, thing, THING.slice(0, 4)),
    pageDraft(place, place, name),
    pageDraft(note, note, name),
    {
      resourceType: 'PAGE_SCHEMA',
      code: sorted,
      content: {
        name: 'S',
        modelCode: thing,
        columns: ['name', 'level'],
        sortFields: [{ fieldName: 'level', order: 'desc' }],
      },
    },
    command(codes.write, { operations: ['CREATE', 'UPDATE', 'DELETE'] }),
    command(codes.upsert, { operations: ['UPSERT'], matchOn: ['no'] }),
    command(codes.custom, { operations: ['CUSTOM'], target: true, steps, result }),
    ...more(codes),
  );
  return codes;
}

async function fill(
  tenant: TestTenant,
  blind: TestUser,
  sighted: TestUser,
  codes: Codes,
  index: number,
): Promise<World> {
  const places = await insert(tenant, codes.place, [
    { name: 'north', secret: `north ${index}` },
    { name: 'south', secret: `south ${1 - index}` },
  ]);
  const known = new Map([...places.entries()].map(([at, pid]) => [pid, ['north', 'south'][at] ?? '']));
  const pid = (name: string): string => [...known].find(([, each]) => each === name)?.[0] ?? '';
  const things = THINGS.map((name, at) => {
    const where = PLACES[index]?.[at] ?? null;
    return { name, size: at % 2, ...VALUES[index]?.[at], place: where && pid(where) };
  });
  for (const [at, one] of (await insert(tenant, codes.thing, things)).entries()) known.set(one, THINGS[at] ?? '');
  const notes = ['a', 'b', 'c'].map((name) => ({ name: `of ${name}`, about: pid(name) }));
  for (const one of await insert(tenant, codes.note, notes)) known.set(one, `note ${known.size}`);
  known.set(blind.pid, 'blind').set(sighted.pid, 'sighted').set(blind.email, 'blind@').set(sighted.email, 'sighted@');
  const docs = await Promise.all(['one', 'two'].map((text) => upload(sighted, text)));
  for (const [at, { body }] of docs.entries()) known.set(body.data.pid, ['file one', 'file two'][at] ?? '');
  const write = (name: string, payload: object) =>
    execute(sighted.token, codes.write, { operationType: 'UPDATE', targetRecordId: pid(name), payload });
  // A history in which hidden values take another way to where they are.
  await write('a', { level: index === 0 ? 1 : 3, name: 'a' });
  await write('a', { level: index === 0 ? SECRETS.level : 3, doc: pid(index === 0 ? 'file one' : 'file two') });
  await write('b', { doc: pid(index === 0 ? 'file two' : 'file one') });
  await execute(sighted.token, codes.write, { operationType: 'DELETE', targetRecordId: pid('gone') });
  // In one world that record cannot come back.
  await write('c', { no: 'K-4' });
  return { tenant, codes, blind, sighted, known, pid };
}
