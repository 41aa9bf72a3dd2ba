import { readConfig } from '../../src/foundation/config/config.ts';
import type { ConnectionTurns } from '../../src/foundation/database/connection-turns.ts';
import { Database, type Transaction } from '../../src/foundation/database/pool.ts';
import { createLogger } from '../../src/foundation/logging/logger.ts';
import { runSql } from '../support/platform.ts';

const TABLE = 'public.in_turn';
const INSERT = `insert into ${TABLE} (id, name) values ($1, $2) returning id, name, pg_backend_pid() backend`;

// One connection: whoever keeps it, or waits for another one meanwhile, is seen.
const database = new Database(readConfig().databaseUrl, 1, createLogger('silent'));
type Written = { readonly id: number; readonly backend: number };

/** Writes each of `ids` in a transaction of its own, in turn. @returns what was written, and what failed */
async function writeInTurn(
  ids: readonly number[],
  write: (transaction: Transaction, id: number) => Promise<Written | undefined> = insert,
): Promise<{ written: Written[]; failed: number[] }> {
  const [written, failed]: [Written[], number[]] = [[], []];
  const turns: ConnectionTurns = database.turns();
  await turns.forEach(ids, async (id) => {
    const result = await database.transaction((transaction) => write(transaction, id), turns).catch(() => null);
    if (result) written.push(result);
    else failed.push(id);
  });
  return { written, failed };
}

async function insert(transaction: Transaction, id: number): Promise<Written | undefined> {
  const [written] = await transaction.queryRecords<Written>(INSERT, [id, 'a']);
  return written;
}

const stored = async () => (await runSql<{ id: number }>(`select id from ${TABLE} order by id`)).map(({ id }) => id);

beforeEach(async () => {
  await runSql(`drop table if exists ${TABLE}`);
  await runSql(`create table ${TABLE} (id int primary key deferrable initially deferred, name text)`);
  await runSql(`grant select, insert on ${TABLE} to keelson_app`);
});

afterAll(async () => {
  await database.close();
  await runSql(`drop table if exists ${TABLE}`);
});

describe('transactions that take turns on a connection', () => {
  it('are committed one by one, on that connection, which goes back to the pool', async () => {
    const { written, failed } = await writeInTurn([1, 2, 3]);

    expect([written.map(({ id }) => id), failed]).toEqual([[1, 2, 3], []]);
    expect(new Set(written.map(({ backend }) => backend)).size).toBe(1);
    expect(await stored()).toEqual([1, 2, 3]);
    expect(database.connections).toEqual({ used: 0, idle: 1, waiting: 0 });
  });

  it('begin when the commit before them has been sent, and before it is answered', async () => {
    const seen: string[] = [];
    const turns = database.turns();
    await turns.forEach([1, 2], async (id) => {
      await database.transaction(async (transaction) => {
        seen.push(`${id} begins`);
        await transaction.conclude(insert(transaction, id));
      }, turns);
      seen.push(`${id} is committed`);
    });

    expect(seen).toEqual(['1 begins', '2 begins', '1 is committed', '2 is committed']);
  });

  it.each([
    ['before its commit', (transaction: Transaction) => transaction.queryRecords(`select 1 / 0`)],
    ['in the statement that its commit follows', (transaction: Transaction) => divideAndCommit(transaction)],
    ['by its commit', (transaction: Transaction) => insert(transaction, 1)],
  ])('undo one that fails %s, and none beside it', async (_when, fail) => {
    const { failed } = await writeInTurn([1, 2, 3], async (transaction, id) => {
      const written = await insert(transaction, id);
      if (id === 2) await fail(transaction);
      return written;
    });

    expect([failed, await stored()]).toEqual([[2], [1, 3]]);
    expect(database.connections).toEqual({ used: 0, idle: 1, waiting: 0 });
  });

  it('go on with a new connection when theirs is lost, with what was sent to it', async () => {
    const { written, failed } = await writeInTurn([1, 2, 3, 4], async (transaction, id) => {
      const row = await insert(transaction, id);
      if (id === 2) await runSql(`select pg_terminate_backend(${row?.backend})`);
      return row;
    });

    expect([failed, await stored()]).toEqual([
      [2, 3],
      [1, 4],
    ]);
    expect(new Set(written.map(({ backend }) => backend)).size).toBe(2);
    expect(database.connections).toEqual({ used: 0, idle: 1, waiting: 0 });
  });

  it('are repeated on a new connection when theirs has plans of an older table', async () => {
    const readAll = (transaction: Transaction) => transaction.queryRecords(`select * from ${TABLE}`);
    for (let time = 0; time < 8; time += 1) await database.transaction(readAll);
    await runSql(`alter table ${TABLE} add column added int`);

    const { written, failed } = await writeInTurn([1, 2, 3], async (transaction, id) => {
      await readAll(transaction);
      return insert(transaction, id);
    });

    expect([written.map(({ id }) => id).toSorted(), failed]).toEqual([[1, 2, 3], []]);
    expect(database.connections).toEqual({ used: 0, idle: 1, waiting: 0 });
  });

  it('take no connection when there is nothing to do', async () => {
    expect(await writeInTurn([])).toEqual({ written: [], failed: [] });
    expect(database.connections).toMatchObject({ used: 0, waiting: 0 });
  });
});

async function divideAndCommit(transaction: Transaction): Promise<void> {
  await transaction.conclude(transaction.queryRecords('select 1 / 0'));
}
