import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Logger } from '../logging/logger.ts';
import { withPropertyNames } from './columns.ts';
import { isConnectionFailure, isStalePlan, translate } from './failures.ts';
import { parseTimestamp } from './timestamps.ts';

export type SqlValue = string | number | boolean | null | readonly SqlValue[];
export type Row = Record<string, unknown>;

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
 * How long a statement may run. It stands well above the slowest sensible list, and below the 30 s that
 * proxies commonly grant.
 */
const STATEMENT_TIMEOUT_MS = 20_000;
/** How long an answer may take to arrive: a server that is silent cannot keep to its own limit. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/**
 * A statement gets a server-side name (parse and plan once) from its third use on; at most this many get one.
 */
const MAX_NAMED_STATEMENTS = 500;
const USES_BEFORE_NAMED = 3;

const TIMESTAMPTZ_OID = 1184;
/**
 * date, timestamp, interval, and the arrays of timestamp, date, timestamptz, interval and numeric: Postgres'
 * own text.
 */
const TEXT_OIDS = new Set([1082, 1114, 1186, 1115, 1182, 1185, 1187, 1231]);

/** JSON's forms straight from the wire: timestamps as ISO 8601 UTC, dates, bigint and decimal as strings. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === TIMESTAMPTZ_OID) return parseTimestamp;
    if (TEXT_OIDS.has(oid)) return (text: string) => text;
    return pg.types.getTypeParser(oid, format) as unknown;
  }) as typeof pg.types.getTypeParser,
};

/**
 * The door to tenant data. Every connection runs as APP_ROLE, so row-level security applies to whatever it is
 * sent.
 */
export class Database implements SqlRunner {
  readonly #pool: pg.Pool;
  readonly #size: number;
  readonly #uses = new Map<string, number>();
  #named = 0;
  /** Statements sent so far; tests count round trips with it. */
  statements = 0;

  constructor(url: string, size: number, logger: Logger) {
    this.#size = size;
    this.#pool = new pg.Pool({
      connectionString: url,
      max: size,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 30_000,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
      types,
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
  async query<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return withPropertyNames(await this.queryRecords(text, values)) as R[];
  }

  /** As `query`, for records: keys are the columns' names, which are the codes of their fields. */
  async queryRecords<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    this.statements += 1;
    return this.#withClient(async (client) => {
      const result = await client.query({ text, values: values as unknown[], name: this.#nameFor(text) });
      return result.rows as R[];
    });
  }

  /**
   * Runs `work` in one transaction: commits what it did when it returns, undoes all of it when it throws.
   * `work` may run again, from the start, when the connection turns out to hold plans of an older table.
   */
  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#withClient(async (client) => {
      const transaction = new Transaction(client, (text) => this.#nameFor(text));
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
    });
  }

  /**
   * Lends `use` a connection. One that is broken, or that holds stale plans, does not go back into the pool.
   */
  async #withClient<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    // At worst every idle connection holds stale plans; the one after those is new.
    for (let tries = 0; ; tries += 1) {
      const client = await this.#pool.connect().catch((error: unknown) => {
        throw translate(error);
      });
      try {
        const result = await use(client);
        client.release();
        return result;
      } catch (thrown) {
        const error = thrown instanceof RollbackError ? thrown.original : thrown;
        const stale = isStalePlan(error);
        client.release(stale || thrown instanceof RollbackError || isConnectionFailure(error));
        if (!stale || tries > this.#size) throw translate(error);
      }
    }
  }

  get connections(): PoolUse {
    return useOf(this.#pool);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #nameFor(text: string): string | undefined {
    const uses = this.#uses.get(text) ?? 0;
    if (uses < USES_BEFORE_NAMED) {
      if (this.#named < MAX_NAMED_STATEMENTS) this.#remember(text, uses + 1);
      return undefined;
    }
    return statementName(text);
  }

  #remember(text: string, uses: number): void {
    // Shapes that never earn a name make room again, so that odd filters cannot grow this map without bound.
    if (this.#uses.size > MAX_NAMED_STATEMENTS * 4) {
      for (const [key, count] of this.#uses) if (count < USES_BEFORE_NAMED) this.#uses.delete(key);
    }
    if (uses === USES_BEFORE_NAMED) this.#named += 1;
    this.#uses.set(text, uses);
  }
}

/** One open transaction. Statements sent without waiting for each other travel together. */
export class Transaction implements SqlRunner {
  readonly #client: pg.PoolClient;
  readonly #nameFor: (text: string) => string | undefined;
  readonly #begun: Promise<unknown>;
  #concluded = false;
  statements = 2;

  constructor(client: pg.PoolClient, nameFor: (text: string) => string | undefined) {
    this.#client = client;
    this.#nameFor = nameFor;
    this.#begun = client.query('begin');
    // The first statement goes out right behind `begin`; a failure surfaces when `begin` is awaited.
    this.#begun.catch(() => undefined);
  }

  async query<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return withPropertyNames(await this.queryRecords(text, values)) as R[];
  }

  /** As `query`, for records: keys are the columns' names, which are the codes of their fields. */
  async queryRecords<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    this.statements += 1;
    const sent = this.#client.query({ text, values: values as unknown[], name: this.#nameFor(text) });
    const [result] = await Promise.all([sent, this.#begun]);
    return result.rows as R[];
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
    if (this.#concluded) return;
    this.#concluded = true;
    const { command } = await this.#client.query('commit');
    // Postgres answers a commit of a failed transaction with ROLLBACK instead of an error.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed');
  }

  async rollback(): Promise<void> {
    await this.#client.query('rollback');
  }
}

const statementNames = new Map<string, string>();

function statementName(text: string): string {
  let name = statementNames.get(text);
  if (!name) {
    name = `k_${createHash('sha1').update(text).digest('hex')}`;
    statementNames.set(text, name);
  }
  return name;
}

/** A transaction failed, and so did its rollback: the connection is of no use any more. */
class RollbackError extends Error {
  readonly original: unknown;

  constructor(original: unknown, cause: unknown) {
    super('the rollback failed', { cause });
    this.original = original;
  }
}
