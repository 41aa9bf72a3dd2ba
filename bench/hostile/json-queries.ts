import { modelDrafts, type Attack } from './attack.ts';

const MODEL = 'hostile_query';
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** As much as a URL takes. */
const QUERIES: readonly Readonly<Record<string, string>>[] = [
  { sortFields: nested(7_000) },
  { filters: nested(7_000) },
  { extraParams: `{${'"a":{'.repeat(4_000)}` },
  { filters: `[${'{},'.repeat(6_000)}{}]` },
  { filters: `[${'9'.repeat(20_000)}]` },
  { keyword: '\u{1F600}'.repeat(2_000) },
];

/** JSON in query strings. */
export const jsonQueries: Attack = {
  name: 'json-queries',

  prepare: ({ save }) => save(...modelDrafts(MODEL, [{ code: 'name', type: 'string' }])),

  async attack(target) {
    const paths = QUERIES.map((query) => `/api/dynamic/${MODEL}/list?${new URLSearchParams(query).toString()}`);
    await Promise.all(paths.map((path) => target.send({ path })));
  },
};
