import pg from 'pg';
import type { Logger } from '../logging/logger.ts';
import { withPropertyNames } from './columns.ts';
import { ConnectionTurns, type Lender, type Loan } from './connection-turns.ts';
import { HeldMemory, heldMemory } from '../memory/held-memory.ts';
import { isConnectionFailure, isStalePlan, translate } from './failures.ts';
import { MAX_RECORDS_LENGTH } from './result-types.ts';
import { sendStatement, type StatementResult } from './statement.ts';
import { ANSWER_TIMEOUT_MS, DATABASE_WAIT_MS, STATEMENT_TIMEOUT_MS } from '../foundation.limits.ts';
import { createHash } from 'node:crypto';

/**
 * A statement gets a server-side name (parse and plan once) after its third use; at most this many get one.
 */
const MAX_NAMED_STATEMENTS = 500;
/** Connections of a node for what has to last beside an open transaction; they close when they are idle. */
const CONNECTIONS_BESIDE = 2;
const USES_BEFORE_NAMED = 3;
/**
 * A plan that is kept serves every value, and tables as they were when it was made. So these are planned each
 * time: statements with patterns, which would read everything, and those over several rows of platform
 * tables, which read all of a table that was small then.
 */
const PLANNED_EACH_TIME = /(?:like|~~\*\)) \$\d|platform\.[^]*any\(\$\d/;

export type Row = Record<string, unknown>;
type Values = readonly unknown[];

/** Decides which statements Postgres keeps prepared. */
class StatementNames {
  readonly #uses = new Map<string, number>();
  readonly #names = new Map<string, string>();

  /** @returns undefined for a statement that is parsed and planned anew */
  of(text: string, values: Values): string | undefined {
    const name = this.#names.get(text);
    if (name !== undefined) return name;
    // One without values is the rare look of a job at a whole table.
    if (values.length === 0 || this.#names.size >= MAX_NAMED_STATEMENTS) return undefined;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses <= USES_BEFORE_NAMED) this.#remember(text, uses);
    else if (!PLANNED_EACH_TIME.test(text)) return this.#give(text);
    return undefined;
  }

  #give(text: string): string {
    const name = `k_${createHash('sha1').update(text).digest('hex')}`;
    this.#names.set(text, name);
    this.#uses.delete(text);
    return name;
  }

  #remember(text: string, uses: number): void {
    // Shapes that never earn a name make room again, so that odd filters cannot grow this map without bound.
    if (this.#uses.size > MAX_NAMED_STATEMENTS * 4) this.#uses.clear();
    this.#uses.set(text, uses);
  }
}

/** One statement with its parameters; values never stand in `text`. */
export interface Sql {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What runs statements on platform tables: the pool itself, or one transaction of it. */
export interface SqlRunner {
  /** Rows have camelCase keys, as the entities' properties have. */
  query<R extends object = Row>(text: string, values?: readonly unknown[]): Promise<R[]>;
}

/** How busy a pool is: its connections, and who waits for one. */
export interface PoolUse {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

export function useOf({ totalCount, idleCount, waitingCount }: pg.Pool): PoolUse {
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

/**
 * The role of every connection that touches tenant data: row-level security binds it, and it owns nothing.
 */
export const APP_ROLE = 'keelson_app';

/**
 * The door to tenant data. Every connection runs as APP_ROLE, so row-level security applies to whatever it is
 * sent.
 */
export class Database implements SqlRunner {
  readonly #pool: pg.Pool;
  readonly #size: number;
  readonly #pooled: Lender = {
    lend: async () => {
      const client = await this.#pool.connect();
      return { client, sent: () => undefined, giveBack: (isBroken) => client.release(isBroken) };
    },
  };
  readonly #names = new StatementNames();
  /** For short transactions beside others: they never wait for a connection that one of those holds. */
  readonly #newBeside: () => Database;
  #beside: Database | null = null;
  /** Statements sent so far; tests count round trips with it. */
  statements = 0;

  /** @param waitMs how long a request waits for a connection */
  constructor(url: string, size: number, logger: Logger, waitMs = DATABASE_WAIT_MS) {
    this.#size = size;
    this.#newBeside = () => new Database(url, CONNECTIONS_BESIDE, logger, waitMs);
    this.#pool = new pg.Pool({
      connectionString: url,
      max: size,
      connectionTimeoutMillis: waitMs,
      idleTimeoutMillis: 30_000,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
      // Statements of one transaction that do not depend on each other's result share a round trip.
      pipeline: true,
      options: `-c role=${APP_ROLE} -c timezone=UTC -c statement_timeout=${STATEMENT_TIMEOUT_MS} -c idle_in_transaction_session_timeout=30000`,
    });
    this.#pool.on('error', (error) => logger.warn({ reason: error.message }, 'an idle Postgres connection was lost'));
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /**
   * Runs one statement on platform tables, on a connection of its own.
   * @throws SERVICE_UNAVAILABLE when Postgres cannot be reached or takes too long; the driver's error for
   *   anything else
   */
  async query<R extends object = Row>(text: string, values: Values = [], maxLength = Infinity): Promise<R[]> {
    return withPropertyNames(await this.#send(text, values, maxLength)) as R[];
  }

  /**
   * As `query`, for records: keys are the columns' names, which are the codes of their fields.
   * @throws CONFLICT (TOO_LARGE)
   */
  async queryRecords<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await this.#send(text, values, MAX_RECORDS_LENGTH)) as R[];
  }

  #send(text: string, values: Values, maxLength: number): Promise<Row[]> {
    this.statements += 1;
    return this.#withClient(async ({ client }, held) => {
      const name = this.#names.of(text, values);
      const { rows } = await sendStatement(client, { text, values, name, maxLength, held });
      return rows;
    });
  }

  /**
   * Runs `work` in one transaction: commits what it did when it returns, undoes all of it when it throws.
   * `work` may run again, from the start, when the connection turns out to hold plans of an older table.
   * @param turns the connection to use, when it is its turn; by default any one that is free
   */
  async transaction<T>(work: (transaction: Transaction) => Promise<T>, turns?: ConnectionTurns): Promise<T> {
    return this.#withClient(async ({ client, sent }, held) => {
      const transaction = new Transaction(client, this.#names, sent, held, () => (this.#beside ??= this.#newBeside()));
      try {
        const result = await work(transaction);
        await transaction.commit();
        return result;
      } catch (error) {
        await transaction.rollback().catch((cause: unknown) => {
          throw new RollbackError(error, cause);
        });
        throw error;
      } finally {
        this.statements += transaction.statements;
      }
    }, turns);
  }

  /** One connection, from its first transaction on, for transactions that follow each other. */
  turns(): ConnectionTurns {
    return new ConnectionTurns(() => this.#pool.connect());
  }

  /** Gives what `work` finds out in a transaction that is always rolled back. */
  async rehearse<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const done: { result?: T } = {};
    const rollback = new Error('a rehearsal is rolled back');
    try {
      await this.transaction(async (transaction) => {
        transaction.rehearse();
        done.result = await work(transaction);
        throw rollback;
      });
    } catch (error) {
      if (error !== rollback) throw error;
    }
    return done.result as T;
  }

  /**
   * Lends `use` a connection. One that is broken, or that holds stale plans, does not go back into the pool.
   * Outside of a piece of work, what `use` reads is held until it is done.
   */
  async #withClient<T>(use: (loan: Loan, held: HeldMemory) => Promise<T>, lender: Lender = this.#pooled): Promise<T> {
    const ofWork = heldMemory();
    const held = ofWork ?? new HeldMemory();
    try {
      return await this.#withFreshClient((loan) => use(loan, held), lender);
    } finally {
      if (!ofWork) held.end();
    }
  }

  async #withFreshClient<T>(use: (loan: Loan) => Promise<T>, lender: Lender): Promise<T> {
    // At worst every idle connection holds stale plans; the one after those is new.
    for (let tries = 0; ; tries += 1) {
      const loan = await lender.lend().catch((error: unknown) => {
        throw translate(error);
      });
      try {
        const result = await use(loan);
        loan.giveBack(false);
        return result;
      } catch (thrown) {
        const error = thrown instanceof RollbackError ? thrown.original : thrown;
        const stale = isStalePlan(error);
        loan.giveBack(stale || thrown instanceof RollbackError || isConnectionFailure(error));
        if (!stale || tries > this.#size) throw translate(error);
      }
    }
  }

  get connections(): PoolUse {
    return useOf(this.#pool);
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#beside?.close()]);
  }
}

/** One open transaction. Statements sent without waiting for each other travel together. */
export class Transaction implements SqlRunner {
  readonly #client: pg.PoolClient;
  readonly #names: StatementNames;
  readonly #sent: () => void;
  readonly #held: HeldMemory;
  readonly #begun: Promise<unknown>;
  #beside: (() => Database) | null;
  #commit: Promise<StatementResult> | null = null;
  statements = 2;

  /**
   * @param sent called when all of it, with its commit, has been sent
   * @param held what its statements read counts to it, where no piece of work within it holds that
   * @param beside see `beside`
   */
  constructor(
    client: pg.PoolClient,
    names: StatementNames,
    sent: () => void,
    held: HeldMemory,
    beside: () => Database,
  ) {
    this.#client = client;
    this.#names = names;
    this.#sent = sent;
    this.#held = held;
    this.#beside = beside;
    // The first statement goes out with `begin`; a failure surfaces when `begin` is awaited.
    this.#begun = sendStatement(client, { text: 'begin' });
    this.#begun.catch(() => undefined);
  }

  /**
   * Where short transactions are carried out that last whatever becomes of this one; null in one that is to
   * leave nothing behind.
   */
  get beside(): Database | null {
    return this.#beside?.() ?? null;
  }

  /** From here on nothing lasts of what is done: who runs the transaction undoes it. */
  rehearse(): void {
    this.#beside = null;
  }

  async query<R extends object = Row>(text: string, values: Values = [], maxLength = Infinity): Promise<R[]> {
    return withPropertyNames(await this.#send(text, values, maxLength)) as R[];
  }

  /** As `query`, for records: as that of `Database`. @throws CONFLICT (TOO_LARGE) */
  async queryRecords<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await this.#send(text, values, MAX_RECORDS_LENGTH)) as R[];
  }

  async #send(text: string, values: Values, maxLength: number): Promise<Row[]> {
    this.statements += 1;
    const held = heldMemory() ?? this.#held;
    const sent = sendStatement(this.#client, { text, values, name: this.#names.of(text, values), maxLength, held });
    const [{ rows }] = await Promise.all([sent, this.#begun]);
    return rows;
  }

  /** Runs `work`; where that throws, what it has written is undone, and the transaction stays usable. */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    // Sent ahead of the first statement of `work`. Savepoints of one name nest.
    const begun = this.query('savepoint attempt');
    begun.catch(() => undefined);
    try {
      const result = await work();
      await this.query('release savepoint attempt');
      return result;
    } catch (error) {
      await begun;
      await Promise.all([this.query('rollback to savepoint attempt'), this.query('release savepoint attempt')]);
      throw error;
    }
  }

  /** Runs a statement for the columns of its result alone. */
  async describe(text: string, values: readonly unknown[] = []): Promise<{ name: string; typeOid: number }[]> {
    this.statements += 1;
    const [{ fields }] = await Promise.all([this.#client.query({ text, values: values as unknown[] }), this.#begun]);
    return fields.map(({ name, dataTypeID: typeOid }) => ({ name, typeOid }));
  }

  /**
   * Commits right behind `last`, a statement that has been sent and not waited for: both share a round trip.
   */
  async conclude(last: Promise<unknown>): Promise<void> {
    const committed = this.commit();
    // Where `last` fails, that is the error to be told: the commit behind it has only rolled back.
    committed.catch(() => undefined);
    await last;
    await committed;
  }

  async commit(): Promise<void> {
    if (!this.#commit) {
      this.#commit = sendStatement(this.#client, { text: 'commit' });
      this.#sent();
    }
    const { command } = await this.#commit;
    // Postgres answers a commit of a failed transaction with ROLLBACK instead of an error.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed');
  }

  async rollback(): Promise<void> {
    // A commit that has been sent undoes what failed by itself; the connection may be another's by now.
    await (this.#commit?.catch(() => undefined) ?? sendStatement(this.#client, { text: 'rollback' }));
  }
}

/** A transaction failed, and so did its rollback: the connection is of no use any more. */
class RollbackError extends Error {
  readonly original: unknown;

  constructor(original: unknown, cause: unknown) {
    super('the rollback failed', { cause });
    this.original = original;
  }
}
