import type pg from 'pg';

/** A connection that is lent for one statement or one transaction. */
export interface Loan {
  readonly client: pg.PoolClient;
  /** All of the transaction, with its commit, has been sent: only answers are waited for. */
  readonly sent: () => void;
  /** @param isBroken whether the connection is of no use any more */
  readonly giveBack: (isBroken: boolean) => void;
}

export interface Lender {
  /** @throws the driver's error when no connection can be had */
  lend(): Promise<Loan>;
}

interface Lent {
  readonly client: pg.PoolClient;
  borrowers: number;
  isBroken: boolean;
}

/**
 * One connection for transactions that follow each other: the next one begins as soon as the commit of the
 * last has been sent, so that both are one message to Postgres.
 */
export class ConnectionTurns implements Lender {
  readonly #connect: () => Promise<pg.PoolClient>;
  #lent: Lent | null = null;
  /** Resolves when the next transaction may begin. */
  #turn = Promise.resolve();
  #isLast = false;

  /** @param connect takes a connection from a pool */
  constructor(connect: () => Promise<pg.PoolClient>) {
    this.#connect = connect;
  }

  /**
   * Calls `each`, which must not throw, for one item after the other: as soon as a transaction may begin. The
   * connection goes back to the pool with the last transaction.
   */
  async forEach<T>(items: Iterable<T>, each: (item: T) => Promise<void>): Promise<void> {
    const begun: Promise<void>[] = [];
    for (const item of items) {
      begun.push(each(item));
      await this.#turn;
    }
    this.#isLast = true;
    if (this.#lent) this.#releaseUnused(this.#lent);
    await Promise.all(begun);
  }

  async lend(): Promise<Loan> {
    const before = this.#turn;
    let pass = (): void => undefined;
    this.#turn = new Promise((resolve) => (pass = resolve));
    await before;
    try {
      const lent = (this.#lent ??= { client: await this.#connect(), borrowers: 0, isBroken: false });
      lent.borrowers += 1;
      const giveBack = (isBroken: boolean): void => {
        lent.borrowers -= 1;
        lent.isBroken ||= isBroken;
        this.#releaseUnused(lent);
        pass();
      };
      return { client: lent.client, sent: pass, giveBack };
    } catch (error) {
      pass();
      throw error;
    }
  }

  /** A broken connection is closed once no transaction waits for its answers; the next one gets another. */
  #releaseUnused(lent: Lent): void {
    if (!lent.isBroken && !this.#isLast) return;
    if (this.#lent === lent) this.#lent = null;
    if (lent.borrowers === 0) lent.client.release(lent.isBroken);
  }
}
