import { TILES } from './configuration.ts';
import { aboutThings, ask, dataOf, type Told } from './told.ts';
import { HIDDEN, SECRETS, type World } from './worlds.ts';

/** A way in which a caller may try to learn a hidden value. */
export type Way = readonly [what: string, go: (world: World) => Promise<Told | readonly Told[]>];

const query = (names: Record<string, unknown>): string => {
  const pairs = Object.entries(names).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(pairs).toString();
};
type PathOf = (world: World) => string;
const things: PathOf = ({ codes }) => `/api/dynamic/${codes.thing}`;
const notes: PathOf = ({ codes }) => `/api/dynamic/${codes.note}`;
const places: PathOf = ({ codes }) => `/api/dynamic/${codes.place}`;

/** Conditions that hold in one world alone, on fields of the thing and by a path from a note. */
function conditions(prefix = ''): { fieldName: string; operator: string; value?: unknown }[] {
  const on = (fieldName: string, operator: string, value?: unknown) => ({
    fieldName: `${prefix}${fieldName}`,
    operator,
    ...(value !== undefined && { value }),
  });
  return [
    on('secret', 'eq', SECRETS.secret),
    on('secret', 'starts_with', 'ze'),
    on('secret', 'is_null'),
    on('level', 'gte', 6),
    on('level', 'between', [6, 8]),
    on('level', 'in', [SECRETS.level]),
    on('level', 'eq', 'no number'),
    on('band', 'ne', 'gold'),
    on('no', 'eq', SECRETS.no),
    on('state', 'not_in', ['done']),
    on('at', 'lt', '$now'),
    on('place', 'is_not_null'),
    on('doc', 'is_null'),
    on('place.name', 'eq', 'north'),
    on('place.secret', 'is_null'),
  ];
}

const lists: Way[] = [
  ...[
    {},
    { fields: '@columns' },
    { fields: 'secret' },
    { count: 'estimate' },
    { count: 'capped' },
    { keyword: 'zebra' },
  ]
    .concat([{ expand: 'place' }, { expand: 'place.name' }] as object[])
    .map((names): Way => [
      `a list with ${query({ ...names })}`,
      (world) => ask(world, `${things(world)}/list?${query({ ...names })}`),
    ]),
  ...HIDDEN.map((sortField): Way => [
    `a list by ${sortField}`,
    (world) => ask(world, `${things(world)}/list?${query({ sortField })}`),
  ]),
  [
    'a page whose order is by a hidden field',
    async (world) => {
      const first = await ask(world, `/api/dynamic/${world.codes.sorted}/list?pageSize=1`);
      const { nextCursor } = dataOf(first);
      return [
        first,
        await ask(world, `/api/dynamic/${world.codes.sorted}/list?${query({ pageSize: '1', cursor: nextCursor })}`),
      ];
    },
  ],
  ...conditions().map((condition): Way => [
    `a list where ${JSON.stringify(condition)}`,
    (world) => ask(world, `${things(world)}/list?${query({ filters: [{ not: { or: [condition] } }] })}`),
  ]),
  ...conditions('about.').map((condition): Way => [
    `a list by a path, ${JSON.stringify(condition)}`,
    (world) => ask(world, `${notes(world)}/query`, { body: { conditions: [condition] } }),
  ]),
  [
    'lists by paths',
    (world) =>
      Promise.all(
        ['level', 'place', 'place.name'].map((code) =>
          ask(world, `${notes(world)}/list?${query({ sortField: `about.${code}` })}`),
        ),
      ),
  ],
  [
    'expanded lists',
    (world) =>
      Promise.all([
        ...['about', 'about.place'].map((expand) => ask(world, `${notes(world)}/list?${query({ expand })}`)),
        ...[`${world.codes.note}.about`].map((expand) => ask(world, `${things(world)}/list?${query({ expand })}`)),
        ...[`${world.codes.thing}.place`].map((expand) => ask(world, `${places(world)}/list?${query({ expand })}`)),
      ]),
  ],
];

const figures: Way[] = [
  ...HIDDEN.flatMap((fieldName): Way[] => [
    [
      `groups by ${fieldName}`,
      (world) =>
        ask(world, `${things(world)}/aggregate`, {
          body: { groupBy: [{ fieldName }], measures: [{ fn: 'count', as: 'n' }] },
        }),
    ],
    [
      `a measure of ${fieldName}`,
      (world) =>
        ask(world, `${things(world)}/aggregate`, {
          body: { measures: [{ fn: 'max', fieldName, as: 'n' }], having: [{ fieldName: 'n', operator: 'is_null' }] },
        }),
    ],
    [
      `groups by a path to ${fieldName}`,
      (world) =>
        ask(world, `${notes(world)}/aggregate`, {
          body: { groupBy: [{ fieldName: `about.${fieldName}` }], measures: [{ fn: 'count', as: 'n' }] },
        }),
    ],
    [
      `stats of ${fieldName}`,
      (world) =>
        Promise.all([
          ask(world, `${things(world)}/stats?fields=${fieldName}`),
          ask(world, `${notes(world)}/stats?fields=about.${fieldName}`),
        ]),
    ],
    [`options of ${fieldName}`, (world) => ask(world, `${things(world)}/options/${fieldName}`)],
  ]),
  [
    'groups of what a condition finds',
    (world) =>
      Promise.all(
        conditions().map((condition) =>
          ask(world, `${things(world)}/aggregate`, {
            body: { measures: [{ fn: 'count', as: 'n' }], conditions: [condition] },
          }),
        ),
      ),
  ],
  [
    'groups sorted by a hidden field',
    (world) =>
      ask(world, `${things(world)}/aggregate`, {
        body: {
          groupBy: [{ fieldName: 'name' }],
          measures: [{ fn: 'count', as: 'n' }],
          sortFields: [{ fieldName: 'level' }],
        },
      }),
  ],
  [
    'stats',
    (world) => Promise.all(['', '?keyword=zebra'].map((names) => ask(world, `${things(world)}/stats${names}`))),
  ],
  ['options of a relation by keyword', (world) => ask(world, `${notes(world)}/options/about?keyword=zebra`)],
  [
    'options of a relation in a payload by keyword',
    (world) => ask(world, `/api/meta/commands/options/${world.codes.find}/like?keyword=zebra`),
  ],
  [
    'options of a relation in the input of a run by keyword',
    (world) => ask(world, `/api/automations/${world.codes.thing}_chosen/options/like?keyword=zebra`),
  ],
];

const exported: Way[] = [
  ...['csv', 'ndjson', 'xlsx'].map((format): Way => [
    `an export as ${format}`,
    (world) => ask(world, `${things(world)}/export?${query({ format, fields: 'name,size', sortField: 'name' })}`),
  ]),
  [
    'exports of all fields, of hidden ones and of what is found by them',
    async (world) => {
      const asked = [
        `${things(world)}/export?format=ndjson`,
        `/api/dynamic/${world.codes.sorted}/export?format=ndjson`,
        `${things(world)}/export?format=csv&fields=secret`,
        `${things(world)}/export?${query({ format: 'csv', fields: 'name', filters: conditions().slice(0, 1) })}`,
        `${things(world)}/export?${query({ format: 'csv', fields: 'name', sortField: 'level' })}`,
      ];
      const answers = [];
      // A user may have two under way: at once, it would be chance which are refused for that.
      for (const path of asked) answers.push(await ask(world, path));
      return answers;
    },
  ],
];

const single: Way[] = [
  ...['', '?expand=place', '/history', '/commands', '/relations/place'].map((path): Way => [
    `a record${path}`,
    (world) => Promise.all(['a', 'b', 'c'].map((name) => ask(world, `${things(world)}/${world.pid(name)}${path}`))),
  ]),
  [
    'the records that refer to one',
    (world) =>
      Promise.all([
        ask(world, `${places(world)}/${world.pid('north')}/relations/${world.codes.thing}.place`),
        ask(world, `${things(world)}/${world.pid('a')}/relations/${world.codes.note}.about`),
        ask(world, `${things(world)}/${world.pid('a')}?expand=${world.codes.note}.about`),
      ]),
  ],
  [
    'the trash, and the history of what is in it',
    (world) =>
      Promise.all([ask(world, `${things(world)}/trash`), ask(world, `${things(world)}/${world.pid('gone')}/history`)]),
  ],
  [
    'what commands have done',
    async (world) => {
      const listed = await ask(world, `/api/meta/commands/executions?recordPid=${world.pid('a')}`);
      const [{ pid, traceId }] = dataOf(listed).records;
      return [
        listed,
        ...(await Promise.all([
          ask(world, `/api/meta/commands/executions/${pid}`),
          ask(world, `/api/meta/trace/${traceId}`),
          ask(world, `/api/meta/commands/executions/${pid}`, { as: world.blind }),
        ])),
      ];
    },
  ],
];

const configured: Way[] = [
  [
    'dashboards',
    async (world) => {
      const path = `/api/dashboards/${world.codes.thing}`;
      const tiles = await Promise.all(TILES.map((code) => ask(world, `${path}/tiles/${code}`)));
      return [aboutThings(world, await ask(world, '/api/dashboards')), await ask(world, path), ...tiles];
    },
  ],
  [
    'the files that hidden fields name',
    (world) =>
      Promise.all(
        ['file one', 'file two'].flatMap((name) => [
          ask(world, `/api/files/${world.pid(name)}`),
          ask(world, `/api/files/${world.pid(name)}/info`),
          ask(world, `/api/files/${world.pid(name)}`, { method: 'DELETE' }),
        ]),
      ),
  ],
  [
    'what the caller may use',
    async (world) => {
      const paths = [
        '/api/meta/app',
        '/api/meta/openapi.json',
        '/api/datasource/catalogue',
        '/api/webhooks/event-types',
      ];
      const told = await Promise.all([...paths, '/api/automations'].map((path) => ask(world, path)));
      return [...told.map((each) => aboutThings(world, each)), await ask(world, '/api/users/lookup?keyword=zebra')];
    },
  ],
  [
    'views of the caller’s own',
    (world) =>
      Promise.all([
        ...conditions().map((condition) =>
          ask(world, '/api/views', { body: { name: 'V', pageKey: world.codes.thing, conditions: [condition] } }),
        ),
        ask(world, '/api/views', {
          body: { name: 'V', pageKey: world.codes.thing, sortFields: [{ fieldName: 'level', order: 'asc' }] },
        }),
      ]),
  ],
  [
    'a view of the caller’s own that comes to ask for a hidden field',
    async (world) => {
      const made = await ask(world, '/api/views', { body: { name: 'W', pageKey: world.codes.thing } });
      const path = `/api/views/${dataOf(made).pid}`;
      const changed = await ask(world, path, { method: 'PATCH', body: { conditions: conditions().slice(0, 1) } });
      const used = await ask(world, `${things(world)}/list?viewId=${dataOf(made).pid}`);
      return [
        made,
        changed,
        used,
        await ask(world, path),
        await ask(world, `/api/views?pageKey=${world.codes.thing}`),
        await ask(world, path, { method: 'DELETE' }),
      ];
    },
  ],
  [
    'a view of the configuration',
    async (world) => {
      const offered = dataOf(await ask(world, `/api/views?pageKey=${world.codes.thing}`, { as: world.sighted }));
      const { pid } = offered.find(({ name }: { name: string }) => name === 'Gold');
      return Promise.all([ask(world, `/api/views/${pid}`), ask(world, `${things(world)}/list?viewId=${pid}`)]);
    },
  ],
  ...['all', 'named', 'where', 'sorted', 'param', 'compared'].map((name): Way => [
    `the data source ${name}`,
    (world) =>
      Promise.all(
        [{}, { least: 6 }].map((params) =>
          ask(world, `/api/datasource/list?${query({ datasourceId: `${world.codes.thing}_${name}`, params })}`),
        ),
      ),
  ]),
];

export const READ_WAYS: readonly Way[] = [...lists, ...figures, ...exported, ...single, ...configured];
