import { memorySettings } from '../../scripts/startup/memory-settings.mjs';
import { afterEachFile } from '../../scripts/testing/jest/after-each-file.cjs';
import { call, refusal } from '../support/api.ts';
import { newCode, save } from '../support/models.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

/** A text of 16 MiB, doubled from one character. */
const LARGE = `with recursive r(x) as (select 'x'::text union all select x || x from r where length(x) < 16777216),
  large(x) as (select x from r order by length(x) desc limit 1)`;

/** Each makes values of 100 to 200 MB in Postgres. */
const ATTACKS: readonly string[] = [
  `${LARGE} select x || x || x || x || x || x || x || x as v from large`,
  `${LARGE} select replace(x, 'x', 'xxxxxxxxxxxx') as v from large`,
  `${LARGE} select string_agg(x, ',') as v from large, (values (1), (2), (3), (4), (5), (6), (7), (8)) n(i)`,
  `${LARGE} select x as v from large, (values (1), (2), (3), (4)) n(i)`,
  `${LARGE} select json_agg(x) as v from large, (values (1), (2)) n(i)`,
];

let own: OwnProgram;
let user: TestUser;

beforeAll(async () => {
  own = await startOwnProgram('sqllarge', memorySettings({}, 2 ** 30));
  user = await newUser(['ADMIN'], await newTenant());
});
afterEachFile(() => own.stop());

const read = async (sql: string) => {
  const source = newCode();
  await save('dev', { resourceType: 'DATASOURCE', code: source, content: { name: source, kind: 'sql', sql } });
  return call(`/api/datasource/list?datasourceId=${source}`, { token: user.token });
};

describe('a data source whose SQL makes huge values', () => {
  it('answers that its answer is too long, and the node serves others meanwhile', async () => {
    // One after the other: five at once take a slow machine longer than Postgres is waited for.
    for (const sql of ATTACKS) {
      const answering = read(sql);
      const live = await fetch(`${own.program.url}/actuator/health/liveness`);

      expect(live.status).toBe(200);
      expect(refusal(await answering)).toMatchObject({
        status: 409,
        code: 'CONFLICT',
        data: { reason: 'DATASOURCE', sqlState: expect.stringMatching(/^(KE001|57014|54000)$/) },
      });
    }
    expect((await call('/api/datasource/list?datasourceId=lead_statuses', { token: user.token })).status).toBe(200);
  });
});
