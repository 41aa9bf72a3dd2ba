import pg from 'pg';
import { Failure } from '../../cli/outcome.mjs';

/** SQLSTATEs: there is no such database, schema or table. */
const MISSING = new Set(['3D000', '3F000', '42P01']);
/** A database that every server has, to drop another one from. */
const MAINTENANCE = 'postgres';

/** The database of an installation. It holds no connection between its calls: it could not be dropped. */
export class DatabasePart {
  readonly #url: string;
  readonly name: string;

  constructor(url: string) {
    this.#url = url;
    this.name = decodeURIComponent(new URL(url).pathname.slice(1));
  }

  /** Null where there is no database, or no installation in it. */
  async installationId(): Promise<string | null> {
    try {
      const [row] = await this.query<{ id: string }>('select id from platform.installation');
      return row?.id ?? null;
    } catch (error) {
      if (MISSING.has(String((error as { code?: unknown }).code))) return null;
      throw error;
    }
  }

  /** @throws Failure while a node is connected, or where the user may not drop the database */
  async requireDroppable(): Promise<void> {
    const [state] = await this.#onServer<{ connections: number; isOwner: boolean }>(
      `select (select count(*)::int from pg_stat_activity where datname = $1 and backend_type = 'client backend') as connections,
         pg_has_role(d.datdba, 'usage') as "isOwner" from pg_database d where d.datname = $1`,
      [this.name],
    );
    if (state && !state.isOwner)
      throw new Failure(`The database ${this.name} belongs to another user: DATABASE_URL must name its owner`);
    if (state && state.connections > 0)
      throw new Failure(`${state.connections} connections to ${this.name} are open: stop all nodes, then try again`);
  }

  /** What goes with the database: name -> how many. */
  async counts(): Promise<(readonly [string, number])[]> {
    const client = await connect(this.#url);
    try {
      await client.query('begin');
      await client.query(`select set_config('keelson.all_tenants', 'on', true)`);
      const { rows: environments } = await client.query<{ code: string }>(
        'select code from platform.environment order by id',
      );
      const counts: (readonly [string, number])[] = [];
      for (const { code } of environments) {
        const { rows: tables } = await client.query<{ name: string }>(
          `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where n.nspname = $1 and c.relkind = 'r' and starts_with(c.relname, 'mt_')`,
          [code],
        );
        const of = tables.map(({ name }) => `(select count(*) from ${name})`).join(' + ');
        const { rows } = await client.query<{ count: number }>(`select (${of || '0'})::int as count`);
        counts.push([`records in ${code}`, rows[0]?.count ?? 0]);
      }
      for (const table of ['tenant', 'user']) {
        const { rows } = await client.query<{ count: number }>(
          `select count(*)::int as count from platform."${table}"`,
        );
        counts.push([`${table}s`, rows[0]?.count ?? 0]);
      }
      return counts;
    } finally {
      await client.end();
    }
  }

  /** The task queues that schedules were made for. */
  async taskQueues(): Promise<string[]> {
    const found = await this.query<{ queue: string }>(
      'select distinct task_queue as queue from platform.automation_schedule',
    );
    return found.map(({ queue }) => queue);
  }

  async query<R extends pg.QueryResultRow>(text: string): Promise<R[]> {
    const client = await connect(this.#url);
    try {
      await client.query('begin');
      await client.query(`select set_config('keelson.all_tenants', 'on', true)`);
      return (await client.query<R>(text)).rows;
    } finally {
      await client.end();
    }
  }

  async drop(): Promise<void> {
    await this.#onServer(`drop database if exists "${this.name.replaceAll('"', '""')}"`);
  }

  async #onServer<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
    const url = Object.assign(new URL(this.#url), { pathname: `/${MAINTENANCE}` });
    const client = await connect(url.href);
    try {
      return (await client.query<R>(text, values)).rows;
    } finally {
      await client.end();
    }
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
