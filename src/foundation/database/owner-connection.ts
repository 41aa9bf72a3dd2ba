import pg from 'pg';
import type { Row, SqlRunner } from './pool.ts';
import { withPropertyNames } from './columns.ts';

/**
 * One connection with the owner's rights, outside of the pools: for statements that cannot run in a
 * transaction and may take hours. Session-level locks that it takes end with it.
 */
export class OwnerConnection implements SqlRunner {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<OwnerConnection> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true });
    // A lost connection fails the statement that runs on it.
    client.on('error', () => undefined);
    await client.connect();
    return new OwnerConnection(client);
  }

  async query<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const { rows } = await this.#client.query<Row>(text, [...values]);
    return withPropertyNames(rows) as R[];
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }
}
