import { readConfig } from '../../src/foundation/config/config.ts';
import { Database } from '../../src/foundation/database/pool.ts';
import { createLogger } from '../../src/foundation/logging/logger.ts';
import { runSql } from '../support/platform.ts';

const TABLE = 'public.described_once';
const READ = `select id, name, at, tags, n from ${TABLE} where id <= $1 order by id`;

// One connection, and more executions than it takes to keep a statement prepared.
const database = new Database(readConfig().databaseUrl, 1, createLogger('silent'));
const readOften = async (limit = 2) => {
  const answers = [];
  for (let time = 0; time < 8; time += 1) answers.push(await database.queryRecords(READ, [limit]));
  return answers;
};

beforeEach(async () => {
  await runSql(`drop table if exists ${TABLE}`);
  await runSql(`create table ${TABLE} (id int primary key, name text, at timestamptz, tags jsonb, n bigint)`);
  await runSql(
    `insert into ${TABLE} values (1, 'a', '2026-01-31 09:30:00.25+00', '["x"]', 9007199254740993), (2, null, null, null, null)`,
  );
  await runSql(`grant select, insert on ${TABLE} to keelson_app`);
});

afterAll(async () => {
  await database.close();
  await runSql(`drop table if exists ${TABLE}`);
});

describe('a statement that is executed again', () => {
  it('reads the same rows, in the forms of JSON', async () => {
    const first = { id: 1, name: 'a', at: '2026-01-31T09:30:00.250Z', tags: ['x'], n: '9007199254740993' };
    const second = { id: 2, name: null, at: null, tags: null, n: null };

    expect(await readOften()).toEqual(Array.from({ length: 8 }, () => [first, second]));
    expect(await database.queryRecords(READ, [0])).toEqual([]);
  });

  it('reads a column as what it has become', async () => {
    await readOften();
    await runSql(`alter table ${TABLE} alter n type text using n::text || '!'`);

    expect((await readOften(1)).map(([row]) => row?.n)).toEqual(Array.from({ length: 8 }, () => '9007199254740993!'));
  });

  it('that writes has no rows, with or without those of others beside it in a transaction', async () => {
    const insert = `insert into ${TABLE} (id, name) values ($1, $2)`;
    for (let id = 10; id < 18; id += 1) {
      const [written, read] = await database.transaction((transaction) =>
        Promise.all([transaction.query(insert, [id, 'b']), transaction.queryRecords(READ, [1])]),
      );
      expect([written, read?.map((row) => row.id)]).toEqual([[], [1]]);
    }
  });

  it('that fails leaves its connection to the next one', async () => {
    const insert = `insert into ${TABLE} (id, name) values ($1, $2) returning id`;
    for (let id = 10; id < 18; id += 1) {
      expect(await database.query(insert, [id, 'c'])).toEqual([{ id }]);
      await expect(database.query(insert, [id, 'c'])).rejects.toMatchObject({ code: '23505' });
    }
  });

  it('that several executions prepare at once, the last one in vain, is prepared again', async () => {
    for (let time = 0; time < 4; time += 1) {
      await database
        .transaction(async (transaction) => {
          const read = () => transaction.queryRecords(`${READ} limit 1`, [1]);
          const ends = await Promise.allSettled([read(), read(), transaction.query('select 1 / 0'), read()]);
          expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
          throw new Error('undone');
        })
        .catch((error: Error) => expect(error.message).toBe('undone'));
    }
    expect((await database.queryRecords(`${READ} limit 1`, [1])).map(({ id }) => id)).toEqual([1]);
  });

  it('that reads too much is refused, and leaves its connection to the next one', async () => {
    await readOften();
    await runSql(`update ${TABLE} set name = repeat('x', 17 * 1024 * 1024) where id = 1`);
    await expect(database.queryRecords(READ, [1])).rejects.toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'TOO_LARGE' },
    });
    await runSql(`update ${TABLE} set name = 'a' where id = 1`);

    expect((await readOften(1)).map(([row]) => row?.name)).toEqual(Array.from({ length: 8 }, () => 'a'));
  });
});

describe('a parameter', () => {
  const at = new Date('2026-01-31T09:30:00.250Z');
  it.each([
    ['text', null, null],
    ['text', undefined, null],
    ['text', 'ü "quoted" \\ {,}', 'ü "quoted" \\ {,}'],
    ['boolean', true, true],
    ['int8', 9007199254740993n, '9007199254740993'],
    ['float8', -0.5, -0.5],
    ['timestamptz', at, at.toISOString()],
    ['bytea', Buffer.from([0, 92, 255]), Buffer.from([0, 92, 255])],
    ['jsonb', { a: ['"', null] }, { a: ['"', null] }],
    ['text[]', ['a', null, '', 'NULL', '"\\,{}', ' b'], ['a', null, '', 'NULL', '"\\,{}', ' b']],
    [
      'int[]',
      [
        [1, 2],
        [3, null],
      ],
      [
        [1, 2],
        [3, null],
      ],
    ],
    ['text[]', [], []],
    ['jsonb[]', [{ a: '"\\' }, null], [{ a: '"\\' }, null]],
    ['timestamptz[]', [at], '{"2026-01-31 09:30:00.25+00"}'],
    ['bytea[]', [Buffer.from([0, 92, 255])], [Buffer.from([0, 92, 255])]],
  ])('of %s is read as it was meant: %j', async (type, sent, read) => {
    const [row] = await database.query<{ value: unknown }>(`select $1::${type} as value`, [sent]);
    expect(row?.value).toEqual(read);
  });

  it('that cannot be written fails its statement alone', async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;

    await expect(database.query('select $1::jsonb as value', [circular])).rejects.toThrow(TypeError);
    expect(await database.query('select 1 as value')).toEqual([{ value: 1 }]);
  });
});
