import type { Attack } from './attack.ts';

/** A text of 16 MiB, doubled from one character; from it, one of 128 MiB. */
const LARGE = `with recursive r(x) as (select 'x'::text union all select x || x from r where length(x) < 16777216),
  large(x) as (select x from r order by length(x) desc limit 1)`;
const SOURCES = {
  hostile_joined: `${LARGE} select x || x || x || x || x || x || x || x as v from large`,
  hostile_replaced: `${LARGE} select replace(x, 'x', 'xxxxxxxx') as v from large`,
};

/** Data sources whose SQL makes huge values in Postgres. */
export const sqlLargeValues: Attack = {
  name: 'sql-large-values',

  async prepare({ save }) {
    const drafts = Object.entries(SOURCES).map(([code, sql]) => ({ code, content: { name: code, kind: 'sql', sql } }));
    await save(...drafts.map((draft) => ({ resourceType: 'DATASOURCE', ...draft })));
  },

  async attack(target) {
    for (const code of Object.keys(SOURCES)) {
      await target.send({ path: `/api/datasource/list?datasourceId=${code}&maxItems=5000` });
    }
  },
};
