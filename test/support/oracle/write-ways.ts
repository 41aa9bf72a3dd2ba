import { upload } from '../files.ts';
import { until } from '../faults.ts';
import { watch } from '../streams.ts';
import { ask, dataOf, note, withoutWorld, type Told } from './told.ts';
import { SECRETS, type World } from './worlds.ts';
import type { Way } from './read-ways.ts';

const EXECUTE = '/api/meta/commands/execute';
const execute = (world: World, code: string, body: object): Promise<Told> => ask(world, `${EXECUTE}/${code}`, { body });
const update = (world: World, payload: object, name = 'a') => ({
  operationType: 'UPDATE',
  targetRecordId: world.pid(name),
  payload,
});

/** Payloads that are refused, or change nothing, in one world alone: for who may not read what they name. */
const PROBES: readonly ((world: World) => object)[] = [
  () => ({ no: SECRETS.no }),
  () => ({ no: 'K-2' }),
  () => ({ state: 'open' }),
  () => ({ state: 'done' }),
  () => ({ secret: SECRETS.secret }),
  () => ({ level: SECRETS.level }),
  () => ({ band: SECRETS.band, size: 1 }),
  (world) => ({ place: world.pid('north') }),
  () => ({ place: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }),
  (world) => ({ doc: world.pid('file one') }),
];

const probed: Way[] = PROBES.flatMap((payload, index): Way[] => [
  [
    `a dry run of update ${index}`,
    (world) =>
      Promise.all(
        ['a', 'b'].map((name) =>
          execute(world, world.codes.write, { ...update(world, payload(world), name), dryRun: true }),
        ),
      ),
  ],
  [
    `a dry run of create ${index}`,
    (world) => execute(world, world.codes.write, { payload: payload(world), dryRun: true }),
  ],
  [
    `a validation of update ${index}`,
    (world) => ask(world, `/api/meta/commands/validate/${world.codes.write}`, { body: update(world, payload(world)) }),
  ],
  [`an update ${index}`, (world) => execute(world, world.codes.write, update(world, payload(world), 'c'))],
  [
    `a batch of update ${index}`,
    (world) =>
      ask(world, `${EXECUTE}/${world.codes.write}/batch`, {
        body: { items: [update(world, payload(world), 'c')], mode: 'partial' },
      }),
  ],
]);

const executed: Way[] = [
  [
    'a create and its record',
    async (world) => {
      const made = await execute(world, world.codes.write, { payload: { name: 'n', level: 5 } });
      return [made, await ask(world, `/api/dynamic/${world.codes.thing}/${dataOf(made).pid}`)];
    },
  ],
  [
    'a command whose result names hidden fields',
    (world) =>
      execute(world, world.codes.custom, { operationType: 'CUSTOM', targetRecordId: world.pid('a'), payload: {} }),
  ],
  [
    'a command that looks by a hidden field for what its caller says',
    (world) => execute(world, world.codes.find, { operationType: 'CUSTOM', payload: { least: 6 } }),
  ],
  [
    'an upsert by a hidden field',
    (world) =>
      Promise.all(
        [SECRETS.no, 'none'].map((no) =>
          execute(world, world.codes.upsert, { operationType: 'UPSERT', payload: { no, name: 'u' } }),
        ),
      ),
  ],
  [
    'a stale version',
    (world) => execute(world, world.codes.write, { ...update(world, { size: 5 }), expectedVersion: 99 }),
  ],
  [
    'the deletion of what a hidden relation leads to, as a dry run',
    (world) =>
      execute(world, world.codes.write, { operationType: 'DELETE', targetRecordId: world.pid('b'), dryRun: true }),
  ],
  [
    'a revert',
    (world) =>
      execute(world, 'record:revert', {
        payload: { modelCode: world.codes.thing, pid: world.pid('a'), version: 2 },
      }),
  ],
  [
    'a restore, and a purge',
    async (world) => {
      const payload = { modelCode: world.codes.thing, pid: world.pid('gone') };
      const restored = await execute(world, 'record:restore', { payload });
      const refused = await execute(world, 'record:purge', { payload });
      return [restored, refused];
    },
  ],
  [
    'a relation by a hidden field',
    async (world) => {
      const [thing, place] = [world.codes.thing, world.codes.place];
      const from = { modelCode: thing, pid: world.pid('a'), name: 'place', related: world.pid('north') };
      const to = { modelCode: place, pid: world.pid('north'), name: `${thing}.place`, related: world.pid('a') };
      const told: Told[] = [];
      for (const code of ['record:relate', 'record:unrelate'])
        for (const payload of [from, to]) told.push(await execute(world, code, { payload }));
      return told;
    },
  ],
  [
    'an execution as it is followed',
    async (world) => {
      const accepted = await ask(world, `${EXECUTE}/${world.codes.write}`, {
        headers: { Prefer: 'respond-async' },
        body: update(world, { size: 7 }, 'b'),
      });
      const path = `/api/meta/commands/executions/${dataOf(accepted).executionPid}`;
      return [await followed(world, `${path}/stream`), await ask(world, path)];
    },
  ],
  [
    'a failed execution, tried again and cancelled',
    async (world) => {
      const listed = await ask(world, '/api/meta/commands/executions?status=FAILED');
      const path = `/api/meta/commands/executions/${dataOf(listed).records[0].pid}`;
      return [
        listed,
        await ask(world, `${path}/retry`, { body: {} }),
        await ask(world, `${path}/cancel`, { body: {} }),
      ];
    },
  ],
];

const IMPORTS: readonly (readonly [string, object])[] = [
  ['matched by a hidden field', { mode: 'update', matchOn: 'no', mapping: { no: 'no', size: 'size' } }],
  ['that writes hidden fields', { mode: 'create', mapping: { size: 'size', level: 'level', no: 'no' } }],
  ['that writes what it may', { mode: 'create', mapping: { size: 'size', level: 'level' } }],
];
const imported: Way[] = IMPORTS.map(([what, body]) => [
  `a dry run of an import ${what}`,
  async (world) => {
    const file = await upload(world.blind, `no,size,level\n${SECRETS.no},3,7\n`, { name: 'a.csv', type: 'text/csv' });
    const asked = { filePid: file.body.data.pid, format: 'csv', commandCode: world.codes.write, dryRun: true, ...body };
    const answer = await ask(world, `/api/dynamic/${world.codes.thing}/imports`, { body: asked });
    if (answer.status !== 202) return answer;
    const path = `/api/imports/${dataOf(answer).importPid}`;
    const state = await until('the import ends', async () => {
      const told = await ask(world, path);
      return ['SUCCEEDED', 'FAILED'].includes(dataOf(told).status) ? told : null;
    });
    const report = dataOf(state).errorFilePid;
    return [
      state,
      await followed(world, `${path}/stream`),
      await ask(world, `${path}/problems`),
      ...(report ? [await ask(world, `/api/files/${report}`)] : []),
      await ask(world, '/api/imports'),
      await ask(world, `${path}/cancel`, { body: {} }),
    ];
  },
]);

/** What a stream has told at its end: the number of progress events depends on timing. */
export async function followed(world: World, path: string): Promise<Told> {
  await note('GET', path);
  const stream = await watch(path, { token: world.blind.token });
  await stream.over();
  const last = new Map(stream.events.map(({ event, data }) => [`${event} ${data?.key ?? ''}`, data]));
  const raw = JSON.stringify([...last]);
  return { status: stream.status, raw, text: withoutWorld(world, raw) };
}

export const WRITE_WAYS: readonly Way[] = [...probed, ...executed, ...imported];
